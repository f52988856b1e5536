public import DescantCore
internal import Synchronization

/// An output that keeps what it is given, and plays it when a test says so.
///
/// Paced by ``OutputPacing/output`` it has a buffer that ``play(frames:)`` empties; otherwise everything counts as heard at
/// once. Callable from any thread.
public final class MemoryOutput: AudioOutputPort, Sendable {
    private struct State {
        var format: PCMFormat?
        var framesPerBuffer = 0
        var isStarted = false
        var samples: [Float] = []
        var pending = 0
        var dropped = 0
        var starts = 0
        var stops = 0
        var flushes = 0
        var startError: CoreError?
        var renderError: CoreError?
        var refusedRate: Double?
    }

    /// Who keeps the time.
    public let pacing: OutputPacing
    private let capacity: Int
    private let state = Mutex(State())
    private let progress = EventHub<Int>(initial: 0)

    /// Creates an output.
    ///
    /// - Parameters:
    ///   - pacing: Who keeps the time.
    ///   - capacity: How many frames wait to be heard at most, where the output keeps the time.
    public init(pacing: OutputPacing = .none, capacity: Int = 16_384) {
        self.pacing = pacing
        self.capacity = capacity
    }

    // MARK: What a test sees and does

    /// Everything that was taken and not dropped, in order; empty before the output was configured.
    public var content: SampleBuffer {
        state.withLock { SampleBuffer(format: $0.format ?? PCMFormat(sampleRate: 1, channels: 1), samples: $0.samples) }
    }

    /// How often the output was started.
    public var startCount: Int { state.withLock { $0.starts } }

    /// How often the output was stopped.
    public var stopCount: Int { state.withLock { $0.stops } }

    /// How often the output was flushed.
    public var flushCount: Int { state.withLock { $0.flushes } }

    /// Whether the output is started.
    public var isStarted: Bool { state.withLock { $0.isStarted } }

    /// What ``configure(sampleRate:channels:framesPerBuffer:)`` was given last.
    public var framesPerBuffer: Int { state.withLock { $0.framesPerBuffer } }

    /// Plays frames of the buffer: they are heard now.
    ///
    /// - Parameter frames: How many; no more than are pending.
    public func play(frames: Int) { state.withLock { $0.pending -= min($0.pending, max(0, frames)) } }

    /// Has the next starts fail.
    ///
    /// - Parameter error: What they throw; `nil` lets them succeed again.
    public func failStarts(with error: CoreError?) { state.withLock { $0.startError = error } }

    /// Has rendering fail from now on.
    ///
    /// - Parameter error: What it throws; `nil` lets it succeed again.
    public func failRendering(with error: CoreError?) { state.withLock { $0.renderError = error } }

    /// Refuses a sample rate, as a device does.
    ///
    /// - Parameter rate: In Hz.
    public func refuse(sampleRate rate: Double) { state.withLock { $0.refusedRate = rate } }

    /// Waits until so many frames were taken since the output was made; dropped ones count.
    ///
    /// - Parameter frames: How many.
    public func waitForFrames(_ frames: Int) async {
        for await count in progress.stream(buffer: .newest) where count >= frames { return }
    }

    // MARK: AudioOutputPort

    /// Sets the shape.
    ///
    /// - Parameters:
    ///   - sampleRate: Frames per second.
    ///   - channels: Samples per frame.
    ///   - framesPerBuffer: Kept for a test to look at.
    /// - Throws: `CoreError.invalidState` while started, `CoreError.invalidArgument` for an impossible shape,
    ///   `CoreError.unsupported` for a refused one.
    public func configure(sampleRate: Double, channels: Int, framesPerBuffer: Int) throws {
        try state.withLock { state in
            guard !state.isStarted else { throw CoreError.invalidState("the memory output is started") }
            guard sampleRate > 0, sampleRate < 1e6, (1...8).contains(channels), framesPerBuffer > 0 else {
                throw CoreError.invalidArgument("\(channels) channels at \(sampleRate) Hz by \(framesPerBuffer) frames")
            }
            guard sampleRate != state.refusedRate else {
                throw CoreError.unsupported("the memory output does not take \(sampleRate) Hz")
            }
            let format = PCMFormat(sampleRate: Int(sampleRate), channels: channels)
            if state.format != format { state.samples = [] }
            state.format = format
            state.framesPerBuffer = framesPerBuffer
        }
    }

    /// Starts.
    ///
    /// - Throws: `CoreError.invalidState` when not configured, and the error that a test set.
    public func start() throws {
        try state.withLock { state in
            guard state.format != nil else { throw CoreError.invalidState("the memory output has no shape") }
            if let error = state.startError { throw error }
            state.isStarted = true
            state.starts += 1
        }
    }

    /// Stops, and drops what is pending.
    public func stop() {
        state.withLock { state in
            guard state.isStarted else { return }
            state.isStarted = false
            state.stops += 1
            Self.drop(&state)
        }
    }

    /// Drops what is pending.
    public func flush() {
        state.withLock { state in
            guard state.isStarted else { return }
            state.flushes += 1
            Self.drop(&state)
        }
    }

    private static func drop(_ state: inout State) {
        state.samples.removeLast(state.pending * (state.format?.channels ?? 1))
        state.dropped = state.pending
        state.pending = 0
    }

    /// Takes frames.
    ///
    /// - Parameters:
    ///   - buffer: Interleaved samples.
    ///   - frameCount: How many frames.
    /// - Returns: How many there was room for.
    /// - Throws: `CoreError.invalidState` when not started, and the error that a test set.
    public func render(_ buffer: UnsafePointer<Float>, frameCount: Int) throws -> Int {
        let taken = try state.withLock { state in
            guard state.isStarted, let format = state.format else {
                throw CoreError.invalidState("the memory output is not started")
            }
            if let error = state.renderError { throw error }
            let frames = pacing == .output ? min(frameCount, capacity - state.pending) : frameCount
            state.samples.append(contentsOf: UnsafeBufferPointer(start: buffer, count: frames * format.channels))
            if pacing == .output { state.pending += frames }
            if frames > 0 { state.dropped = 0 }
            return frames
        }
        if taken > 0 { progress.post((progress.snapshot ?? 0) + taken) }
        return taken
    }

    /// Frames that were taken and not heard, or were dropped last.
    public var pendingFrames: Int { state.withLock { $0.pending > 0 ? $0.pending : $0.dropped } }
}
