internal import DescantCore
internal import DescantMixing
internal import Dispatch
internal import Synchronization

/// The links of a chained Ogg file as one deck: each is a source of its own, with its own pipeline.
///
/// The next link is opened before the present one ends, so that they join without a gap. A seek into another link opens that link. Two
/// pipelines are open at a time, apart from those that are being closed.
final class ChainedDeck: Deck {
    /// Begins to open a link.
    typealias Opener = @Sendable (_ index: Int) -> PipelineOpening

    let sampleRate: Int
    let rewindsInstantly = false

    private let table: ChainTable
    private let channels: Int
    private let opener: Opener
    private let onTrack: @Sendable (TrackInfo) -> Void
    private let state: Mutex<State>
    private let readiness = EventCount()
    /// Reports the tracks in their order.
    private let queue = DispatchQueue(label: "descant.deck.chain", qos: .userInitiated)

    /// A link that is open or about to be.
    private enum Slot {
        case opening(PipelineOpening)
        case open(PlaybinDeck, TrackInfo)
        case failed(CoreError)
    }

    private struct State {
        /// The link that is read.
        var index = 0
        /// The link that is read and the one behind it, by their numbers.
        var slots: [Int: Slot] = [:]
        /// The frame of the deck that comes next.
        var position: Int64 = 0
        var rate = 1.0
        var lastTrack: TrackInfo
        /// The link whose description was compared with the one before it, which takes long with large covers.
        var reportedIndex = 0
        /// The final condition.
        var end: DeckRead.Condition?
        var isClosed = false
    }

    /// The remaining sound of a link at which the next one is opened, in seconds.
    private static let lead = 10.0

    /// - Parameters:
    ///   - first: The first link. Its sample rate and its channels are those of the deck.
    ///   - track: The description of the first link, with the length of the chain.
    ///   - table: The places of all links.
    ///   - channels: The channels that are read.
    ///   - opener: Begins to open another link.
    ///   - onTrack: Receives the description of each link that is read after another one.
    init(
        _ first: PlaybinDeck, track: TrackInfo, table: ChainTable, channels: Int, opener: @escaping Opener,
        onTrack: @escaping @Sendable (TrackInfo) -> Void
    ) {
        sampleRate = first.sampleRate
        self.table = table
        self.channels = channels
        self.opener = opener
        self.onTrack = onTrack
        state = Mutex(State(slots: [0: .open(first, track)], lastTrack: track))
    }

    deinit { close() }

    var frameCount: Int64? { table.frames }

    var isFrameCountExact: Bool { table.isExact && state.withLock { Self.present($0)?.isFrameCountExact ?? true } }

    var rate: Double { state.withLock { Self.present($0)?.rate ?? $0.rate } }

    /// The deck of the link that is read; `nil` while it is being opened.
    private static func present(_ state: State) -> PlaybinDeck? {
        if case .open(let deck, _) = state.slots[state.index] { deck } else { nil }
    }

    func close() {
        state.withLock { state in
            state.isClosed = true
            for index in state.slots.keys { Self.drop(index, &state) }
        }
        readiness.raise()
    }

    private static func drop(_ index: Int, _ state: inout State) {
        switch state.slots.removeValue(forKey: index) {
        case .opening(let opening): opening.abandon()
        case .open(let deck, _): deck.close()
        case .failed, nil: break
        }
    }
}

// MARK: Reading

extension ChainedDeck {
    func read(into buffer: UnsafeMutablePointer<Float>, frames: Int) -> DeckRead {
        let target = ReadTarget(start: buffer)
        return state.withLock { state in
            var written = 0
            var start: Int64?
            while written < frames {
                if let condition = condition(&state) {
                    return DeckRead(frames: written, position: start ?? state.position, condition: condition)
                }
                guard let deck = Self.present(state) else { break }
                let link = table.links[state.index]
                let read = deck.read(into: target.start + written * channels, frames: frames - written)
                if read.frames > 0 {
                    start = start ?? link.start + read.position
                    written += read.frames
                    let played = Int64((Double(read.frames) * deck.rate).rounded())
                    state.position = min(link.start + read.position + played, table.frames)
                    openAhead(&state, left: link.end - state.position)
                }
            }
            return DeckRead(frames: written, position: start ?? state.position, condition: .complete)
        }
    }

    func waitUntilReadable(deadline: UInt64) -> Bool {
        while true {
            let seen = readiness.raises
            let (isReadable, deck) = state.withLock { state in
                guard let condition = condition(&state) else { return (true, PlaybinDeck?.none) }
                return (condition.isFinal, Self.present(state))
            }
            if isReadable { return true }
            let isRaised =
                deck?.waitUntilReadable(deadline: deadline) ?? readiness.wait(after: seen, deadline: deadline)
            if !isRaised { return false }
        }
    }

    /// Goes on to the next link where one has ended.
    ///
    /// - Returns: The condition when no frame can be read now; `nil` when one can.
    private func condition(_ state: inout State) -> DeckRead.Condition? {
        while true {
            if let end = state.end { return end }
            if state.isClosed { return .ended }
            switch state.slots[state.index] {
            case .opening: return .starved
            case .failed(let error):
                state.end = .failed(located(error, state.index))
            case .open(let deck, let track):
                report(track, &state)
                switch deck.conditionOfFirstFrame() {
                case .ended: goOn(&state)
                // The links behind one that lacks its end are there.
                case .truncated where state.index + 1 < table.links.count: goOn(&state)
                case .truncated(let error): state.end = .truncated(located(error, state.index))
                case .failed(let error): state.end = .failed(located(error, state.index))
                case let other: return other
                }
            case nil: open(state.index, &state)
            }
        }
    }

    private func goOn(_ state: inout State) {
        guard state.index + 1 < table.links.count else {
            state.end = .ended
            return
        }
        Self.drop(state.index, &state)
        state.index += 1
        // A host that did not answer in time may do so now.
        if case .failed = state.slots[state.index] { state.slots[state.index] = nil }
        state.position = table.links[state.index].start
    }

    /// Names the link in an error, which names the file already.
    private func located(_ error: CoreError, _ index: Int) -> CoreError {
        let start = ErrorMapping.seconds(Double(table.links[index].start) / Double(sampleRate))
        return error.withMessage(
            "\(error.message) (in part \(index + 1) of \(table.links.count), which begins at \(start) s)")
    }

    private func report(_ track: TrackInfo, _ state: inout State) {
        guard state.reportedIndex != state.index else { return }
        state.reportedIndex = state.index
        guard track != state.lastTrack else { return }
        state.lastTrack = track
        queue.async { [onTrack] in onTrack(track) }
    }
}

// MARK: Opening links

extension ChainedDeck {
    private func openAhead(_ state: inout State, left: Int64) {
        let next = state.index + 1
        guard next < table.links.count, state.slots[next] == nil,
            Double(left) < Self.lead * Double(sampleRate) * max(1, state.rate)
        else { return }
        open(next, &state)
    }

    private func open(_ index: Int, _ state: inout State) {
        let opening = opener(index)
        state.slots[index] = .opening(opening)
        opening.begin { [weak self] result in
            if let self { finish(opening, index, result) } else { try? result.get().deck.close() }
        }
    }

    private func finish(_ opening: PipelineOpening, _ index: Int, _ result: Result<OpenedDeck, any Error>) {
        let isWanted = state.withLock { state in
            guard case .opening(let present) = state.slots[index], present === opening else { return false }
            switch result {
            case .success(let opened):
                guard let deck = opened.deck as? PlaybinDeck else { return false }
                state.slots[index] = .open(deck, track(of: opened, after: state.lastTrack))
                let entry = index == state.index ? max(0, state.position - table.links[index].start) : 0
                if entry > 0 || state.rate != 1 { deck.setRate(state.rate, fromFrame: entry) }
            case .failure(let error):
                state.slots[index] = .failed(error as? CoreError ?? .decodeError("\(error)"))
            }
            return true
        }
        if !isWanted { try? result.get().deck.close() }
        readiness.raise()
    }

    /// The description of a link as that of the deck: the length and the format are those of the deck. A link without tags keeps
    /// those before it.
    private func track(of link: OpenedDeck, after last: TrackInfo) -> TrackInfo {
        var track = link.info.track
        if track.tags == TagBundle() { return last }
        track.duration = last.duration
        track.format = last.format
        return track
    }
}

// MARK: Seeking

extension ChainedDeck {
    func seek(toFrame frame: Int64) { move(to: frame, rate: nil) }

    func setRate(_ rate: Double, fromFrame frame: Int64) { move(to: frame, rate: rate) }

    private func move(to frame: Int64, rate: Double?) {
        state.withLock { state in
            guard !state.isClosed else { return }
            state.rate = rate ?? state.rate
            state.position = min(max(0, frame), table.frames)
            state.end = state.position == table.frames ? .ended : nil
            let index = table.index(of: state.position)
            // The next link stays open at its beginning while the present one stays the same.
            let kept = state.end != nil ? [] : index == state.index ? [index, index + 1] : [index]
            for other in state.slots.keys where !kept.contains(other) { Self.drop(other, &state) }
            state.index = index
            if state.end != nil { return }
            switch state.slots[index] {
            case .open(let deck, _):
                deck.setRate(state.rate, fromFrame: state.position - table.links[index].start)
                if rate != nil, case .open(let next, _) = state.slots[index + 1] {
                    next.setRate(state.rate, fromFrame: 0)
                }
            case .opening: break
            case .failed, nil: open(index, &state)
            }
        }
        readiness.raise()
    }
}
