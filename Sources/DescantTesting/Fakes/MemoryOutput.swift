public import DescantCore
internal import Synchronization

/// An output that keeps the frames that it accepts in memory; a test decides when they are heard.
///
/// With the pacing ``OutputPacing/output`` it has a buffer that ``play(frames:)`` empties; otherwise frames count as heard
/// at once. Callable from any thread.
public final class MemoryOutput: AudioOutputPort, Sendable {
    private struct State {
        var format: PCMFormat?
        var framesPerBuffer = 0
        var isStarted = false
        var samples: [Float] = []
        var pending = 0
        var dropped = 0
        var starts = 0
        var flushes = 0
        var startError: CoreError?
        var renderError: CoreError?
        var refusedRate: Double?
    }

    /// Whether the output paces playback.
    public let pacing: OutputPacing
    private let capacity: Int
    private let state = Mutex(State())
    private let progress = EventHub<Int>(initial: 0)

    /// Creates an output.
    ///
    /// - Parameters:
    ///   - pacing: Whether the output paces playback.
    ///   - capacity: The maximum number of pending frames of an output that paces playback.
    public init(pacing: OutputPacing = .none, capacity: Int = 16_384) {
        self.pacing = pacing
        self.capacity = capacity
    }

    // MARK: For tests

    /// All frames that were accepted and not dropped, in order; empty before the output was configured.
    public var content: SampleBuffer {
        state.withLock { SampleBuffer(format: $0.format ?? PCMFormat(sampleRate: 1, channels: 1), samples: $0.samples) }
    }

    /// The number of starts.
    public var startCount: Int { state.withLock { $0.starts } }

    /// The number of flushes.
    public var flushCount: Int { state.withLock { $0.flushes } }

    /// Whether the output is started.
    public var isStarted: Bool { state.withLock { $0.isStarted } }

    /// The buffer size of the last ``configure(sampleRate:channels:framesPerBuffer:)``, in frames.
    public var framesPerBuffer: Int { state.withLock { $0.framesPerBuffer } }

    /// Counts pending frames as heard.
    ///
    /// - Parameter frames: The number of frames; clamped to the pending ones.
    public func play(frames: Int) { state.withLock { $0.pending -= min($0.pending, max(0, frames)) } }

    /// Makes starts fail from now on.
    ///
    /// - Parameter error: The error to throw; `nil` lets starts succeed again.
    public func failStarts(with error: CoreError?) { state.withLock { $0.startError = error } }

    /// Makes rendering fail from now on.
    ///
    /// - Parameter error: The error to throw; `nil` lets rendering succeed again.
    public func failRendering(with error: CoreError?) { state.withLock { $0.renderError = error } }

    /// Refuses a sample rate, as a device does.
    ///
    /// - Parameter rate: In Hz.
    public func refuse(sampleRate rate: Double) { state.withLock { $0.refusedRate = rate } }

    /// Waits until a number of frames was accepted since the output was created; dropped ones count.
    ///
    /// - Parameter frames: The number of frames.
    public func waitForFrames(_ frames: Int) async {
        for await count in progress.stream(buffer: .newest) where count >= frames { return }
    }

    // MARK: AudioOutputPort

    /// Sets the format.
    ///
    /// - Parameters:
    ///   - sampleRate: Frames per second.
    ///   - channels: Samples per frame.
    ///   - framesPerBuffer: The buffer size in frames; see ``framesPerBuffer``.
    /// - Throws: `CoreError.invalidState` while started, `CoreError.invalidArgument` for an invalid format,
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
            guard state.format != nil else { throw CoreError.invalidState("the memory output is not configured") }
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

    /// Accepts frames.
    ///
    /// - Parameters:
    ///   - buffer: Interleaved samples.
    ///   - frameCount: The number of frames.
    /// - Returns: The number of frames that were accepted.
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

    /// The number of pending frames, or of those dropped last when none is pending.
    public var pendingFrames: Int { state.withLock { $0.pending > 0 ? $0.pending : $0.dropped } }
}
