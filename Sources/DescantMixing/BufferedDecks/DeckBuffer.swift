internal import DescantCore
internal import Synchronization

/// The state that a buffered deck shares with its filler: the ring, the requests of the deck and the progress of the filler.
final class DeckBuffer: Sendable {
    /// The destination of a seek.
    struct Target: Sendable {
        var frame: Int64
        var rate: Double
        var generation: UInt64
    }

    /// The filler's next step.
    enum Job {
        case seek(Target)
        case fill(generation: UInt64)
        case close
        /// Nothing until the filler is woken.
        case sleep
    }

    struct State: ~Copyable {
        var ring: PCMRing
        /// Cues within the ring and the frames written next, in order.
        var cues: [PCMCue] = []
        /// The source frame of the ring's first frame.
        var position: Double = 0
        /// The speed of the frames in the ring.
        var rate = 1.0
        var requestedRate = 1.0
        /// The newest seek that was not started yet.
        var requestedSeek: Target?
        /// Whether a seek was requested and is not complete.
        var isSeeking = false
        var generation: UInt64 = 0
        /// The condition that follows the last frame in the ring.
        var end: DeckRead.Condition?
        /// The error of an overdue call, after which the source is not read any more.
        var abandonment: CoreError?
        var isClosed = false
        /// Whether the filler runs, or was woken and will run.
        var isFilling = true

        /// The source frame that is read next.
        var nextFrame: Int64 { Int64(position.rounded(.down)) }

        /// The cues that lie before the source frame that is read next.
        mutating func takePassedCues() -> [PCMCue] {
            guard !cues.isEmpty else { return [] }
            let passed = cues.prefix { Double($0.frame) < position }
            cues.removeFirst(passed.count)
            return Array(passed)
        }
    }

    let state: Mutex<State>
    let readiness = EventCount()

    init(capacity: Int, channels: Int) { state = Mutex(State(ring: PCMRing(capacity: capacity, channels: channels))) }

    /// The filler's next step; `sleep` also marks it as not running, so that no request is missed.
    func nextJob() -> Job {
        state.withLock { state in
            if state.isClosed { return .close }
            if let target = state.requestedSeek {
                state.requestedSeek = nil
                return .seek(target)
            }
            guard state.end == nil, state.ring.space > state.ring.capacity / 4 else {
                state.isFilling = false
                return .sleep
            }
            return .fill(generation: state.generation)
        }
    }

    /// Notes that a seek is complete; the next frames are those of the target.
    func completeSeek(_ target: Target) {
        state.withLock { state in
            guard state.generation == target.generation else { return }
            state.position = Double(target.frame)
            state.rate = target.rate
            state.isSeeking = false
        }
        readiness.raise()
    }

    /// Makes the deck fail behind the frames in the ring, after an overdue call. The call's late result is dropped.
    func abandon(_ error: CoreError) {
        state.withLock { state in
            state.generation += 1
            state.requestedSeek = nil
            state.isSeeking = false
            state.abandonment = error
            state.end = .failed(error)
        }
        readiness.raise()
    }

    /// Writes frames into the ring, unless a newer seek makes them useless.
    ///
    /// - Returns: The number of frames written.
    func write(_ samples: ArraySlice<Float>, channels: Int, generation: UInt64) -> Int {
        let written = samples.withUnsafeBufferPointer { buffer -> Int in
            guard let base = buffer.baseAddress else { return 0 }
            let source = SampleMemory(start: base)
            return state.withLock { state in
                guard state.generation == generation else { return buffer.count / channels }
                return state.ring.write(source.start, frames: buffer.count / channels)
            }
        }
        readiness.raise()
        return written
    }

    /// Adds the cues of the frames that will be written next.
    func add(_ cues: [PCMCue], generation: UInt64) {
        guard !cues.isEmpty else { return }
        state.withLock { state in
            if state.generation == generation { state.cues.append(contentsOf: cues) }
        }
    }

    /// Ends the stream behind the frames in the ring.
    func end(_ condition: DeckRead.Condition, generation: UInt64) {
        state.withLock { state in
            guard state.generation == generation else { return }
            state.end = condition
            state.isSeeking = false
        }
        readiness.raise()
    }

    /// Memory that is only read during one call.
    private struct SampleMemory: @unchecked Sendable {
        // Safe: used by one thread inside one call. It is Sendable only because the closure of a lock demands that.
        let start: UnsafePointer<Float>
    }
}

/// Interleaved frames between a filling queue and the rendering thread, in memory that is never moved or enlarged.
///
/// Not thread-safe; the caller holds a lock during each call.
struct PCMRing: ~Copyable {
    let channels: Int
    /// Frames that fit.
    let capacity: Int
    /// Frames to be read.
    private(set) var count = 0

    private let memory: UnsafeMutablePointer<Float>
    private var head = 0

    init(capacity: Int, channels: Int) {
        self.capacity = max(1, capacity)
        self.channels = max(1, channels)
        memory = .allocate(capacity: self.capacity * self.channels)
        memory.initialize(repeating: 0, count: self.capacity * self.channels)
    }

    deinit { memory.deallocate() }

    /// Frames that can be written.
    var space: Int { capacity - count }

    mutating func removeAll() {
        head = 0
        count = 0
    }

    /// Writes as many frames as fit.
    ///
    /// - Returns: The number of frames written.
    mutating func write(_ source: UnsafePointer<Float>, frames: Int) -> Int {
        let total = min(frames, space)
        let tail = (head + count) % capacity
        let first = min(total, capacity - tail)
        (memory + tail * channels).update(from: source, count: first * channels)
        memory.update(from: source + first * channels, count: (total - first) * channels)
        count += total
        return total
    }

    /// Reads as many frames as there are.
    ///
    /// - Returns: The number of frames read.
    mutating func read(into target: UnsafeMutablePointer<Float>, frames: Int) -> Int {
        let total = min(frames, count)
        let first = min(total, capacity - head)
        target.update(from: memory + head * channels, count: first * channels)
        (target + first * channels).update(from: memory, count: (total - first) * channels)
        head = (head + total) % capacity
        count -= total
        return total
    }
}
