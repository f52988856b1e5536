internal import DescantCore
internal import Dispatch
internal import Synchronization

/// A deck that is filled ahead of time on a queue of its own, since calls into decoders and hosts may block. A read only
/// copies.
final class BufferedDeck: Deck {
    let sampleRate: Int
    let frameCount: Int64?
    let isFrameCountExact: Bool
    let rewindsInstantly = false

    private let buffer: DeckBuffer
    private let filler: DeckFiller

    /// The frames filled ahead, in seconds.
    private static let lookahead = 0.75

    /// The minimum of frames filled ahead.
    private static let minimumCapacity = 8_192

    /// The maximum memory of the frames filled ahead, in bytes: 0.75 s of eight channels at 1,536 kHz is 37 MB.
    private static let maximumMemory = 40_000_000

    /// Starts filling at once.
    ///
    /// - Parameters:
    ///   - reader: The source of the frames; belongs to the deck from now on.
    ///   - name: The source's name in errors.
    ///   - plugin: The name in reports of overdue calls.
    ///   - channels: The channels of the mix.
    ///   - length: The source's length.
    ///   - queue: A serial queue on which nothing else runs.
    ///   - abandon: Makes the error with which the deck fails when a call is overdue. Without it the call is only reported:
    ///     a host's source may have to wait for its sound.
    /// - Throws: `CoreError.unsupported` when the channels cannot be converted to those of the mix.
    init(
        _ reader: any FrameReader, name: String, plugin: String, channels: Int, length: StreamLength,
        converters: any SampleConverterFactory, tempo: any TempoChangerFactory, limits: CallLimits,
        queue: DispatchQueue,
        abandon: (@Sendable (_ operation: String, _ seconds: Double) -> CoreError)? = nil,
        onEvent: @escaping @Sendable (DeckEvent) -> Void
    ) throws {
        sampleRate = reader.format.sampleRate
        frameCount = length.frames
        isFrameCountExact = length.isExact
        let desired = max(Self.minimumCapacity, Int(Self.lookahead * Double(sampleRate)))
        let possible = Self.maximumMemory / (MemoryLayout<Float>.size * max(1, channels))
        let buffer = DeckBuffer(capacity: min(desired, possible), channels: channels)
        self.buffer = buffer
        let watch = CallWatch { operation, seconds in
            onEvent(.overdue(plugin: plugin, operation: operation, seconds: seconds))
            if let abandon { buffer.abandon(abandon(operation, seconds)) }
        }
        filler = try DeckFiller(
            reader, buffer: buffer, name: name, channels: channels, converters: converters, tempo: tempo, watch: watch,
            limits: limits, queue: queue)
        filler.wake()
    }

    deinit { close() }

    var rate: Double { buffer.state.withLock { $0.rate } }

    /// Whether the source has ended before its first frame. Only for a deck that was neither read nor moved.
    var isEmpty: Bool {
        buffer.state.withLock { state in
            switch state.end {
            case .ended, .truncated: state.ring.count == 0
            case .complete, .starved, .failed, nil: false
            }
        }
    }

    func close() {
        let wasOpen = buffer.state.withLock { state in
            defer { state.isClosed = true }
            return !state.isClosed
        }
        guard wasOpen else { return }
        buffer.readiness.raise()
        filler.finish()
    }
}

// MARK: Reading

extension BufferedDeck {
    func read(into buffer: UnsafeMutablePointer<Float>, frames: Int) -> DeckRead {
        let target = ReadMemory(start: buffer)
        let (result, mustWake) = self.buffer.state.withLock { state -> (DeckRead, Bool) in
            let start = state.nextFrame
            if state.isClosed { return (DeckRead(frames: 0, position: start, condition: .ended), false) }
            if state.isSeeking { return (DeckRead(frames: 0, position: start, condition: .starved), false) }
            let count = state.ring.read(into: target.start, frames: frames)
            state.position += Double(count) * state.rate
            let isLow = state.end == nil && state.ring.count < state.ring.capacity / 2 && !state.isFilling
            if isLow { state.isFilling = true }
            let condition: DeckRead.Condition = count == frames ? .complete : state.end ?? .starved
            let cues = state.takePassedCues()
            return (DeckRead(frames: count, position: start, condition: condition, cues: cues), isLow)
        }
        if mustWake { filler.wake() }
        return result
    }

    func waitUntilReadable(deadline: UInt64) -> Bool {
        while true {
            let seen = buffer.readiness.raises
            let isReadable = buffer.state.withLock { state in
                state.isClosed || !state.isSeeking && (state.ring.count > 0 || state.end != nil)
            }
            if isReadable { return true }
            if !buffer.readiness.wait(after: seen, deadline: deadline) { return false }
        }
    }

    /// Memory that is only written during one call.
    private struct ReadMemory: @unchecked Sendable {
        // Safe: used by one thread inside one call. It is Sendable only because the closure of a lock demands that.
        let start: UnsafeMutablePointer<Float>
    }
}

// MARK: Moving

extension BufferedDeck {
    func seek(toFrame frame: Int64) { enter(at: frame, rate: nil) }

    func setRate(_ rate: Double, fromFrame frame: Int64) { enter(at: frame, rate: rate) }

    private func enter(at frame: Int64, rate: Double?) {
        let frame = FrameCount(clamping: frame).value
        let mustWake = buffer.state.withLock { state in
            guard !state.isClosed else { return false }
            state.generation += 1
            state.ring.removeAll()
            state.cues.removeAll()
            state.requestedRate = rate ?? state.requestedRate
            guard state.abandonment == nil else { return false }
            if let frameCount, frame >= frameCount {
                state.position = Double(frameCount)
                state.rate = state.requestedRate
                state.requestedSeek = nil
                state.isSeeking = false
                state.end = .ended
                return false
            }
            state.end = nil
            state.isSeeking = true
            state.requestedSeek = DeckBuffer.Target(
                frame: max(0, frame), rate: state.requestedRate, generation: state.generation)
            defer { state.isFilling = true }
            return !state.isFilling
        }
        buffer.readiness.raise()
        if mustWake { filler.wake() }
    }
}
