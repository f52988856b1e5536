package import DescantCore
internal import Dispatch
internal import Synchronization

/// A short sound in memory. It rewinds at once, so that its loop has no gap.
///
/// At another speed its samples are stretched once, on a queue of its own; `read` is starved where they are not there yet.
/// The phases at the seam of a loop then meet by chance.
package final class ClipDeck: Deck {
    package let sampleRate: Int
    package let isFrameCountExact = true
    private let sound: ClipSound
    private let tempo: (any TempoChangerFactory)?
    /// Wakes the stretching queue; `nil` without a tempo changer.
    // Safe to share: a dispatch source may be used from any thread, and the reference never changes.
    nonisolated(unsafe) private let source: (any DispatchSourceUserDataAdd)?

    /// Creates a deck over interleaved samples.
    ///
    /// - Parameter tempo: Changes the speed; without it the speed stays 1.
    package convenience init(samples: [Float], format: PCMFormat, tempo: (any TempoChangerFactory)? = nil) {
        self.init(ClipSound(samples: samples, format: format), tempo: tempo)
    }

    private init(_ sound: ClipSound, tempo: (any TempoChangerFactory)?) {
        self.sound = sound
        self.tempo = tempo
        sampleRate = sound.format.sampleRate
        guard let tempo else {
            source = nil
            return
        }
        let queue = DispatchQueue(label: "descant.clip", qos: .userInitiated)
        let source = DispatchSource.makeUserDataAddSource(queue: queue)
        source.setEventHandler { sound.stretch(with: tempo) }
        source.activate()
        self.source = source
    }

    deinit { close() }

    /// Another deck over the same samples, at their beginning and at normal speed.
    package func copy() -> ClipDeck {
        ClipDeck(ClipSound(samples: sound.samples, format: sound.format), tempo: tempo)
    }

    package var frameCount: Int64? { sound.frameCount }
    package var rate: Double { sound.state.withLock { $0.rate } }
    package var rewindsInstantly: Bool { sound.state.withLock { $0.rate == 1 || $0.isReadable(at: 0) } }

    package func read(into buffer: UnsafeMutablePointer<Float>, frames: Int) -> DeckRead {
        sound.read(into: buffer, frames: frames)
    }

    package func waitUntilReadable(deadline: UInt64) -> Bool {
        while true {
            let seen = sound.readiness.raises
            if sound.state.withLock({ $0.rate == 1 || $0.isReadable(at: $0.frame) }) { return true }
            if !sound.readiness.wait(after: seen, deadline: deadline) { return false }
        }
    }

    package func seek(toFrame frame: Int64) { sound.move(to: frame, rate: nil) }

    package func setRate(_ rate: Double, fromFrame frame: Int64) {
        // Adding to a source allocates nothing, so the rendering thread may do it.
        if sound.move(to: frame, rate: tempo == nil ? nil : rate) { source?.add(data: 1) }
    }

    package func close() {
        sound.state.withLock { $0.isClosed = true }
        sound.readiness.raise()
        source?.cancel()
    }
}

/// The samples of a clip at its own and at another speed, and the place in them.
private final class ClipSound: Sendable {
    struct State {
        /// The speed of the frames that are read.
        var rate = 1.0
        /// The frame that is read next, counted at that speed.
        var frame: Int64 = 0
        /// Changes with every speed other than the one before.
        var generation: UInt64 = 0
        /// The samples at another speed, as far as they are there.
        var stretched: [Float] = []
        var stretchedFrames: Int64 = 0
        /// The generation of ``stretched``.
        var stretchedGeneration: UInt64 = 0
        /// How ``stretched`` ends; `nil` while more samples will come.
        var end: DeckRead.Condition?
        var isClosed = false

        var isStretched: Bool { stretchedGeneration == generation }

        /// Whether a read from a frame at another speed gives frames or a final condition.
        func isReadable(at frame: Int64) -> Bool { isClosed || isStretched && (frame < stretchedFrames || end != nil) }
    }

    let samples: [Float]
    let format: PCMFormat
    let frameCount: Int64
    let state = Mutex(State())
    let readiness = EventCount()

    private static let chunk = 4_096

    init(samples: [Float], format: PCMFormat) {
        self.samples = samples
        self.format = format
        frameCount = Int64(samples.count / format.channels)
    }

    func read(into buffer: UnsafeMutablePointer<Float>, frames: Int) -> DeckRead {
        let target = ReadMemory(start: buffer)
        return state.withLock { state in
            let start = min(frameCount, Int64((Double(state.frame) * state.rate).rounded(.down)))
            let count: Int
            let short: DeckRead.Condition
            if state.rate == 1 {
                count = copy(samples, of: frameCount, from: state.frame, to: target, frames: frames)
                short = .ended
            } else if state.isStretched {
                count = copy(
                    state.stretched, of: state.stretchedFrames, from: state.frame, to: target, frames: frames)
                short = state.end ?? (state.isClosed ? .ended : .starved)
            } else {
                count = 0
                short = state.isClosed ? .ended : .starved
            }
            state.frame += Int64(count)
            return DeckRead(frames: count, position: start, condition: count < frames ? short : .complete)
        }
    }

    /// Copies the frames that are there; returns their number.
    private func copy(
        _ source: borrowing [Float], of available: Int64, from frame: Int64, to target: ReadMemory, frames: Int
    ) -> Int {
        let count = Int(min(Int64(frames), max(0, available - frame)))
        guard count > 0 else { return 0 }
        source.withUnsafeBufferPointer { memory in
            guard let base = memory.baseAddress else { return }
            target.start.update(from: base + Int(frame) * format.channels, count: count * format.channels)
        }
        return count
    }

    /// Moves to a source frame, at another speed when one is given; returns whether samples must be stretched for it.
    @discardableResult
    func move(to frame: Int64, rate: Double?) -> Bool {
        let frame = min(max(0, frame), frameCount)
        let isNew = state.withLock { state in
            let isNew = rate.map { $0 != state.rate } ?? false
            if let rate, isNew {
                state.rate = rate
                state.generation += 1
            }
            state.frame = Int64((Double(frame) / state.rate).rounded(.up))
            return isNew && state.rate != 1
        }
        readiness.raise()
        return isNew
    }

    /// Stretches the samples for the present speed, unless they are there. Runs on the clip's queue.
    func stretch(with tempo: any TempoChangerFactory) {
        while true {
            let job = state.withLock { state in
                state.isClosed || state.rate == 1 || state.isStretched
                    ? nil : (rate: state.rate, generation: state.generation)
            }
            guard let job else { return }
            // The earlier samples are released outside the lock.
            var room: [Float] = []
            room.reserveCapacity((Int((Double(frameCount) / job.rate).rounded(.up)) + 1) * format.channels)
            state.withLock { state in
                swap(&state.stretched, &room)
                state.stretchedFrames = 0
                state.stretchedGeneration = job.generation
                state.end = nil
            }
            do {
                let changer = try tempo.makeTempoChanger(format: format, rate: job.rate)
                stretch(with: changer, generation: job.generation)
            } catch {
                let failure = error as? CoreError ?? .unsupported("a clip at the speed \(job.rate): \(error)")
                add([], generation: job.generation, end: .failed(failure))
            }
        }
    }

    private func stretch(with changer: any TempoChanger, generation: UInt64) {
        var output: [Float] = []
        var start = 0
        let count = Int(frameCount)
        while start < count {
            let frames = min(Self.chunk, count - start)
            output.removeAll(keepingCapacity: true)
            samples.withUnsafeBufferPointer { memory in
                guard let base = memory.baseAddress else { return }
                changer.stretch(base + start * format.channels, frames: frames, appendingTo: &output)
            }
            start += frames
            guard add(output, generation: generation) else { return }
        }
        output.removeAll(keepingCapacity: true)
        changer.drain(appendingTo: &output)
        add(output, generation: generation, end: .ended)
    }

    /// Adds stretched samples; returns whether they are still wanted.
    @discardableResult
    private func add(_ output: [Float], generation: UInt64, end: DeckRead.Condition? = nil) -> Bool {
        let isWanted = state.withLock { state in
            guard !state.isClosed, state.generation == generation else { return false }
            state.stretched.append(contentsOf: output)
            state.stretchedFrames = Int64(state.stretched.count / format.channels)
            state.end = end
            return true
        }
        readiness.raise()
        return isWanted
    }

    /// Memory that is only written during one call.
    private struct ReadMemory: @unchecked Sendable {
        // Safe: used by one thread inside one call. It is Sendable only because the closure of a lock demands that.
        let start: UnsafeMutablePointer<Float>
    }
}

extension ClipDeck {
    /// Reads a whole deck into memory.
    ///
    /// Blocks; call it on a dedicated queue.
    ///
    /// - Parameters:
    ///   - deck: The deck, at its beginning.
    ///   - channels: The channels it delivers.
    ///   - limit: The maximum length to hold, in seconds.
    ///   - patience: The time without data after which the deck counts as hung, in seconds.
    ///   - longest: The time after which a deck that still gives data is given up, in seconds; `nil` for no limit.
    ///   - clock: Measures these times; the clock of the deck's waits.
    ///   - tempo: Changes the speed of the clip; without it the speed stays 1.
    /// - Returns: The clip, or `nil` when the deck is longer than the limit or takes longer than `longest`.
    /// - Throws: The error of the failed read.
    static func load(
        _ deck: any Deck, channels: Int, limit: Double, patience: Double, longest: Double?,
        clock: any ClockPort = MonotonicClock(), tempo: (any TempoChangerFactory)?
    ) throws -> ClipDeck? {
        let most = Int(limit * Double(deck.sampleRate))
        if let count = deck.frameCount, count > most { return nil }
        var samples: [Float] = []
        samples.reserveCapacity(Int(max(0, deck.frameCount ?? 0)) * channels)
        let block = 4_096
        var chunk = [Float](repeating: 0, count: block * channels)
        let end = longest.map { clock.now() + UInt64($0 * 1e9) }
        while samples.count <= most * channels {
            let read = chunk.withUnsafeMutableBufferPointer { buffer -> DeckRead? in
                buffer.baseAddress.map { deck.read(into: $0, frames: block) }
            }
            guard let read else { return nil }
            samples.append(contentsOf: chunk[0..<read.frames * channels])
            switch read.condition {
            case .complete: continue
            case .ended:
                let format = PCMFormat(sampleRate: deck.sampleRate, channels: channels)
                return ClipDeck(samples: samples, format: format, tempo: tempo)
            case .truncated(let error), .failed(let error): throw error
            case .starved:
                let now = clock.now()
                if let end, now >= end { return nil }
                guard deck.waitUntilReadable(deadline: now + UInt64(patience * 1e9)) else {
                    throw CoreError.ioError("the source gave no data in time")
                }
            }
        }
        return nil
    }
}
