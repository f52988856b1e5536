import Descant

extension MixEvent {
    /// How a deck ended, if this is the event of an end.
    var deckEnd: (deck: DeckID, end: MixEvent.DeckEnd)? {
        if case .deckEnded(let deck, let end) = kind { (deck, end) } else { nil }
    }
}

extension OfflineEngine {
    /// Begins to record events; ``collect(_:)`` returns them after the shutdown.
    func record() -> AsyncStream<Numbered<MixEvent>> { engine.mixEvents.buffered(.bounded(8_192)).numbered }

    /// Shuts the engine down and returns the recorded events.
    func collect(_ recording: AsyncStream<Numbered<MixEvent>>) async -> [MixEvent] {
        await engine.shutdown()
        var events: [MixEvent] = []
        for await numbered in recording { events.append(numbered.event) }
        return events
    }
}
