internal import DescantCore
internal import DescantMixing
internal import Synchronization

/// A deck over PCM in memory, with the channels of the mix and the faults that a test sets.
final class MemoryDeck: Deck {
    private struct State {
        var position: Int64 = 0
        var rate = 1.0
        /// The fraction of a source frame that remains at a rate other than 1.
        var remainder = 0.0
        var isReleased = false
        var isClosed = false
    }

    let name: String
    let sampleRate: Int
    let frameCount: Int64?
    let isFrameCountExact: Bool
    let rewindsInstantly: Bool
    private let source: any PCMSource
    private let fault: DeckFault
    private let channels: Int
    private let wasClosed: @Sendable () -> Void
    private let state = Mutex(State())
    private let readiness = EventCount()

    init(_ source: any PCMSource, fault: DeckFault, channels: Int, wasClosed: @escaping @Sendable () -> Void) {
        self.wasClosed = wasClosed
        self.source = source
        self.fault = fault
        self.channels = channels
        name = source.name
        sampleRate = source.format.sampleRate
        frameCount = fault.announcesLength ? fault.announcedFrames ?? source.frameCount : nil
        isFrameCountExact = fault.isLengthExact && frameCount != nil
        rewindsInstantly = fault.rewindsInstantly
    }

    var rate: Double { state.withLock { $0.rate } }

    var isClosed: Bool { state.withLock { $0.isClosed } }

    func read(into buffer: UnsafeMutablePointer<Float>, frames: Int) -> DeckRead {
        state.withLock { state in
            let start = state.position
            if state.isClosed { return DeckRead(frames: 0, position: start, condition: .ended) }
            var wanted = frames
            if let limit = limit(state) {
                wanted = min(wanted, Int(Double(max(0, limit - start)) / state.rate))
            }
            do {
                let given = try fill(buffer, frames: wanted, state: &state)
                return DeckRead(
                    frames: given, position: start,
                    condition: given == frames ? .complete : condition(state),
                    cues: source.takeCues())
            } catch {
                let failure = error as? CoreError ?? .ioError(underlying: error)
                return DeckRead(frames: 0, position: start, condition: .failed(failure))
            }
        }
    }

    func waitUntilReadable(deadline: UInt64) -> Bool {
        let seen = readiness.raises
        guard state.withLock({ isStarved($0) }) else { return true }
        return readiness.wait(after: seen, deadline: deadline)
    }

    func seek(toFrame frame: Int64) {
        state.withLock { state in move(to: frame, state: &state) }
    }

    func setRate(_ rate: Double, fromFrame frame: Int64) {
        state.withLock { state in
            state.rate = rate
            move(to: frame, state: &state)
        }
    }

    func close() {
        state.withLock { $0.isClosed = true }
        readiness.raise()
        wasClosed()
    }

    /// Ends the starvation of the deck.
    func release() {
        state.withLock { $0.isReleased = true }
        readiness.raise()
    }

    private func move(to frame: Int64, state: inout State) {
        // A source that cannot be repositioned keeps its position, as a live stream does.
        guard (try? source.seek(toFrame: frame)) != nil else { return }
        state.position = frame
        state.remainder = 0
    }

    private func isStarved(_ state: State) -> Bool {
        guard let starves = fault.starvesAtFrame, !state.isReleased, !state.isClosed else { return false }
        return state.position >= starves
    }

    /// The source frame before which reading stops.
    private func limit(_ state: State) -> Int64? {
        let starves = state.isReleased ? nil : fault.starvesAtFrame
        return [starves, fault.failure?.frame, fault.endsAtFrame].compactMap { $0 }.min()
    }

    private func condition(_ state: State) -> DeckRead.Condition {
        if isStarved(state) { return .starved }
        if let failure = fault.failure, state.position >= failure.frame { return .failed(failure.error) }
        if isFrameCountExact, let frameCount, state.position < frameCount {
            return .truncated(.decodeError("\(name) ended at frame \(state.position) of \(frameCount)"))
        }
        return .ended
    }

    /// Reads frames at the deck's rate. Rates other than 1 take the nearest frame, which changes the pitch.
    private func fill(_ buffer: UnsafeMutablePointer<Float>, frames: Int, state: inout State) throws -> Int {
        guard frames > 0 else { return 0 }
        let span = state.remainder + Double(frames) * state.rate
        let needed = Int(span)
        let width = source.format.channels
        var scratch = [Float](repeating: 0, count: max(1, needed) * width)
        var got = 0
        try scratch.withUnsafeMutableBufferPointer { scratch in
            guard let base = scratch.baseAddress else { return }
            while got < needed {
                let part = try source.read(into: base + got * width, maxFrames: needed - got)
                if part == 0 { break }
                got += part
            }
        }
        let given = got == needed ? frames : min(frames, Int(Double(got) / state.rate))
        for frame in 0..<given {
            let from = min(got - 1, Int(Double(frame) * state.rate))
            copy(scratch, frame: from, width: width, to: buffer + frame * channels)
        }
        state.position += Int64(got)
        state.remainder = got == needed ? span - Double(needed) : 0
        return given
    }

    /// One channel is copied to all channels of the mix, several channels are averaged to one, others are copied in order.
    private func copy(_ scratch: [Float], frame: Int, width: Int, to target: UnsafeMutablePointer<Float>) {
        let first = frame * width
        if channels == 1, width > 1 {
            target[0] = scratch[first..<first + width].reduce(0, +) / Float(width)
            return
        }
        for channel in 0..<channels {
            target[channel] = width == 1 ? scratch[first] : channel < width ? scratch[first + channel] : 0
        }
    }
}
