package import DescantCore
internal import Synchronization

extension AudioSource {
    /// Whether the source can be opened by two decks at once.
    fileprivate var opensTwice: Bool {
        switch self {
        case .url, .data: true
        case .bytes, .pcm: false
        }
    }
}

/// Opening and closing decks.
extension Mixer {
    /// The longest clip that is held in memory, in seconds: 30 s of stereo at 48 kHz are 11.5 MB.
    private static let longestClip = 30.0

    /// The time without data after which the source of a clip counts as hung, in seconds.
    private static let clipPatience = 10.0

    /// The time for which a clip is read into memory, in seconds. One that takes longer, such as a station, is played
    /// as it comes.
    private static let longestClipLoad = 10.0

    /// The maximum gain of a deck or a layer, +60 dB: products of gains stay far from what a sample can hold.
    static let maximumGain = 1_000.0

    package func openDeck(_ source: AudioSource, gain: Double, isClip: Bool) async throws -> DeckInfo {
        guard gain >= 0, gain.isFinite else {
            throw CoreError.invalidArgument("a deck's gain of \(gain); 0 or more is possible")
        }
        guard !state.withLock({ $0.isShutDown }) else { throw Self.wasShutDown }
        let gain = min(gain, Self.maximumGain)
        let id = state.withLock { $0.decks.nextID() }
        var opened = try await open(source, as: id)
        var standby: (any Deck)?
        if isClip { (opened, standby) = try await keepInMemory(opened, source: source, id: id) }
        return try add(
            DeckTable.Record(
                opened: opened, standby: standby, gain: gain, source: source, isClip: isClip, openingGain: gain),
            as: id)
    }

    private static var wasShutDown: CoreError { .invalidState("the engine was shut down; make another one") }

    /// Enters an opened deck in the table. The mixer may have been shut down meanwhile; the deck is then closed.
    private func add(_ record: DeckTable.Record, as id: DeckID) throws -> DeckInfo {
        let info = state.withLock { $0.isShutDown ? nil : $0.decks.add(record, as: id) }
        guard let info else {
            record.opened.deck.close()
            record.standby?.close()
            throw Self.wasShutDown
        }
        return info
    }

    package func duplicateDeck(_ deck: DeckID) async throws -> DeckInfo {
        let record = try state.withLock { try $0.decks.existing(deck) }
        guard let clip = record.opened.deck as? ClipDeck else {
            guard record.source.opensTwice else {
                throw CoreError.unsupported(
                    "\(deck) (\(record.opened.info.name)) cannot be duplicated: its source is read by one deck at a time, and only clips "
                        + "of up to \(Int(Self.longestClip)) s are kept in memory")
            }
            return try await openDeck(record.source, gain: record.openingGain, isClip: record.isClip)
        }
        var copy = record
        copy.opened.deck = clip.copy()
        copy.gain = record.openingGain
        copy.layer = nil
        (copy.effects, copy.effectPlan) = ([], EffectPlan([]))
        return try add(copy, as: state.withLock { $0.decks.nextID() })
    }

    package func setTrackGain(_ gain: Double, of deck: DeckID, ramp: Double) async {
        guard gain.isFinite else { return }
        let gain = min(max(0, gain), Self.maximumGain)
        guard let id = state.withLock({ $0.decks.setGain(gain, of: deck) }), let layer = layer(id) else { return }
        change(layer) { $0.setDeckGain(gain, of: deck, rampFrames: mixFormat.length(of: ramp)) }
    }

    private func open(_ source: AudioSource, as id: DeckID) async throws -> OpenedDeck {
        let opened = try await provider.open(source, mix: mixFormat) { [weak self] event in
            self?.receive(event, from: id)
        }
        let rates = PCMFormat.supportedSampleRates
        guard rates.contains(opened.deck.sampleRate) else {
            opened.deck.close()
            throw CoreError.unsupported(
                "\(opened.info.name) has a sample rate of \(opened.deck.sampleRate) Hz; \(rates.lowerBound) to \(rates.upperBound) Hz are possible"
            )
        }
        return opened
    }

    /// Replaces a short deck by its samples in memory. A long or slow one gets a second deck to alternate with in
    /// loops, unless its source is read by one deck at a time.
    private func keepInMemory(
        _ opened: OpenedDeck, source: AudioSource, id: DeckID
    ) async throws -> (OpenedDeck, (any Deck)?) {
        guard !(opened.deck is ClipDeck) else { return (opened, nil) }
        let channels = mixFormat.channels
        // A source that is read by one deck at a time may not give again what was read of it.
        let longest = source.opensTwice ? Self.longestClipLoad : nil
        let clip = try await onThread { [tempo] () throws -> ClipDeck? in
            try ClipDeck.load(
                opened.deck, channels: channels, limit: Self.longestClip, patience: Self.clipPatience,
                longest: longest, tempo: tempo)
        }
        if let clip {
            opened.deck.close()
            var inMemory = opened
            inMemory.deck = clip
            return (inMemory, nil)
        }
        opened.deck.seek(toFrame: 0)
        if opened.deck.rewindsInstantly || !source.opensTwice { return (opened, nil) }
        // A deck that cannot be moved does not give again what was read of it; the new deck does.
        return (try await open(source, as: id), opened.deck)
    }

    private func onThread<Result: Sendable>(_ work: @escaping @Sendable () throws -> Result) async throws -> Result {
        try await withCheckedThrowingContinuation { continuation in
            DedicatedQueue.run("descant.mixer.clip") { continuation.resume(with: Swift.Result { try work() }) }
        }
    }

    package func closeDeck(_ deck: DeckID) async {
        guard let record = state.withLock({ $0.decks.removeFree(deck) }) else { return }
        record.opened.deck.close()
        record.standby?.close()
    }

    private func receive(_ event: DeckEvent, from deck: DeckID) {
        let kind: MixEvent.Kind =
            switch event {
            case .trackInfoChanged(let info): .trackInfoChanged(deck, info)
            case .buffering(let percent): .buffering(deck, percent: percent)
            case .overdue(let plugin, let operation, let seconds):
                .pluginOverdue(plugin: plugin, operation: operation, seconds: seconds)
            }
        let event = MixEvent(frame: renderedFrame.withLock { $0 }, layer: nil, kind: kind)
        eventHub.post(event)
        if case .buffering = kind { updateMediaState(event) }
    }

    /// Takes a deck for a layer, with a converter when its rate differs from the mix's.
    func queue(_ deck: DeckID, for layer: LayerID) throws -> QueuedDeck {
        let record = try state.withLock { try $0.decks.take(deck, for: layer) }
        var queued = QueuedDeck(
            id: deck, deck: record.opened.deck, standby: record.standby, gain: record.gain, effects: record.effectPlan)
        let rate = record.opened.deck.sampleRate
        if rate != mixFormat.sampleRate {
            do {
                let converter = try converters.makeConverter(
                    from: PCMFormat(sampleRate: rate, channels: mixFormat.channels), to: mixFormat)
                queued.conversion = RateConversion(
                    converter: converter, inputRate: rate, outputRate: mixFormat.sampleRate)
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
