internal import DescantCore
internal import Synchronization

/// What a buffered deck and its filler share: the ring, the wishes of the one and the progress of the other.
final class DeckBuffer: Sendable {
    /// What a seek is to reach.
    struct Target: Sendable {
        var frame: Int64
        var rate: Double
        var generation: UInt64
    }

    /// What the filler is to do next.
    enum Job {
        case seek(Target)
        case fill(generation: UInt64, space: Int)
        case close
        /// Nothing, until it is woken.
        case rest
    }

    struct State: ~Copyable {
        var ring: PCMRing
        /// Cues within the ring and what is written next, in order.
        var cues: [PCMCue] = []
        /// The source frame of the ring's first frame.
        var position: Double = 0
        /// The speed of what is in the ring.
        var rate = 1.0
        var requestedRate = 1.0
        var wanted: Target?
        /// Whether a seek was asked for and has not landed.
        var isSeeking = false
        var generation: UInt64 = 0
        /// What comes behind the last frame in the ring.
        var end: DeckRead.Condition?
        /// Why the source is not asked for frames any more: a call into it hangs.
        var abandonment: CoreError?
        var isClosed = false
        /// Whether the filler is at work, or was woken and will be.
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

    /// The filler's next job; `rest` also marks it as resting, so that no wish is missed.
    func nextJob() -> Job {
        state.withLock { state in
            if state.isClosed { return .close }
            if let target = state.wanted {
                state.wanted = nil
                return .seek(target)
            }
            guard state.end == nil, state.ring.space > state.ring.capacity / 4 else {
                state.isFilling = false
                return .rest
            }
            return .fill(generation: state.generation, space: state.ring.space)
        }
    }

    /// The stream was moved; frames from the target on follow.
    func landed(_ target: Target) {
        state.withLock { state in
            guard state.generation == target.generation else { return }
            state.position = Double(target.frame)
            state.rate = target.rate
            state.isSeeking = false
        }
        readiness.raise()
    }

    /// A call into the source hangs: what is in the ring is read, then the deck fails. What the call brings later is dropped.
    func abandon(_ error: CoreError) {
        state.withLock { state in
            state.generation += 1
            state.wanted = nil
            state.isSeeking = false
            state.abandonment = error
            state.end = .failed(error)
        }
        readiness.raise()
    }

    /// Puts frames into the ring, unless a seek has overtaken them.
    ///
    /// - Returns: How many were taken.
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

    /// Takes the cues of frames that will be written next.
    func add(_ cues: [PCMCue], generation: UInt64) {
        guard !cues.isEmpty else { return }
        state.withLock { state in
            if state.generation == generation { state.cues.append(contentsOf: cues) }
        }
    }

    /// Nothing follows what is in the ring.
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
        // Safe: made and used inside one call, by one thread; a lock's closure only sees it as sendable.
        let start: UnsafePointer<Float>
    }
}
