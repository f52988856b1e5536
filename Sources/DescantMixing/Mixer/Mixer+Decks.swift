internal import Dispatch
package import DescantCore
internal import Synchronization

/// Opening and closing decks.
extension Mixer {
    /// The longest clip that is held in memory, in seconds: 30 s of stereo at 48 kHz are 11.5 MB.
    private static let longestClip = 30.0

    package func openDeck(_ source: AudioSource, gain: Double, isClip: Bool) async throws -> DeckInfo {
        guard gain >= 0, gain.isFinite else {
            throw CoreError.invalidArgument("a deck's gain of \(gain); 0 or more is possible")
        }
        guard !state.withLock({ $0.isShutDown }) else { throw CoreError.invalidState("the engine was shut down") }
        let id = state.withLock { $0.decks.nextID() }
        var opened = try await open(source, as: id)
        var standby: (any Deck)?
        if isClip { (opened, standby) = try await keepInMemory(opened, source: source, id: id) }
        let deck = opened.deck
        let record = DeckTable.Record(opened: opened, standby: standby, gain: gain)
        state.withLock { $0.decks.add(record, as: id) }
        return DeckInfo(
            id: id, name: opened.name, frameCount: deck.frameCount, sourceFormat: opened.sourceFormat,
            track: opened.track,
            decoder: opened.decoder, decoderReason: opened.decoderReason)
    }

    private func open(_ source: AudioSource, as id: DeckID) async throws -> OpenedDeck {
        try await provider.open(source, mix: mixFormat) { [weak self] news in self?.receive(news, from: id) }
    }

    /// Replaces a short deck by its samples in memory, and gives a long one a second deck to alternate with in loops.
    private func keepInMemory(
        _ opened: OpenedDeck, source: AudioSource, id: DeckID
    ) async throws -> (OpenedDeck, (any Deck)?) {
        guard !opened.deck.rewindsInstantly else { return (opened, nil) }
        let channels = mixFormat.channels
        let clip = try await onWorkQueue { () throws -> ClipDeck? in
            let deadline = MonotonicClock().now() + 10_000_000_000
            return try ClipDeck.load(opened.deck, channels: channels, limit: Self.longestClip, deadline: deadline)
        }
        if let clip {
            opened.deck.close()
            var inMemory = opened
            inMemory.deck = clip
            return (inMemory, nil)
        }
        opened.deck.seek(toFrame: 0)
        return (opened, try await open(source, as: id).deck)
    }

    private func onWorkQueue<Result: Sendable>(_ work: @escaping @Sendable () throws -> Result) async throws -> Result {
        try await withCheckedThrowingContinuation { continuation in
            workQueue.async { continuation.resume(with: Swift.Result { try work() }) }
        }
    }

    package func closeDeck(_ deck: DeckID) async {
        guard let record = state.withLock({ $0.decks.removeFree(deck) }) else { return }
        record.opened.deck.close()
        record.standby?.close()
    }

    private func receive(_ news: DeckNews, from deck: DeckID) {
        let kind: MixEvent.Kind =
            switch news {
            case .trackInfoChanged(let info): .trackInfoChanged(deck, info)
            case .buffering(let percent): .buffering(deck, percent: percent)
            case .overdue(let plugin, let operation, let seconds):
                .pluginOverdue(plugin: plugin, operation: operation, seconds: seconds)
            }
        eventHub.post(MixEvent(frame: renderedFrame.withLock { $0 }, layer: nil, kind: kind))
    }

    /// Takes a deck for a layer, with a converter when its rate differs from the mix's.
    func queue(_ deck: DeckID, for layer: LayerID) throws -> QueuedDeck {
        let record = try state.withLock { try $0.decks.take(deck, for: layer) }
        var queued = QueuedDeck(
            id: deck, deck: record.opened.deck, standby: record.standby, gain: record.gain, line: nil)
        let rate = record.opened.deck.sampleRate
        if rate != mixFormat.sampleRate {
            do {
                let converter = try converters.makeConverter(
                    from: PCMFormat(sampleRate: rate, channels: mixFormat.channels), to: mixFormat)
                queued.line = ConversionLine(converter: converter, inputRate: rate, outputRate: mixFormat.sampleRate)
            } catch {
                giveBack(deck)
                throw error
            }
        }
        return queued
    }

    func giveBack(_ deck: DeckID?) {
        guard let deck else { return }
        state.withLock { $0.decks.giveBack(deck) }
    }
}
