import Descant

extension MixEvent {
    /// How a deck ended, if that is what happened.
    var deckEnd: (deck: DeckID, end: MixEvent.DeckEnd)? {
        if case .deckEnded(let deck, let end) = kind { (deck, end) } else { nil }
    }
}

extension OfflineEngine {
    /// Begins to write events down; ``collect(_:)`` reads them once the engine was shut down.
    func record() -> AsyncStream<Numbered<MixEvent>> { engine.mixEvents.buffered(.bounded(8_192)).numbered }

    /// Shuts the engine down and gives everything that happened since the recording began.
    func collect(_ recording: AsyncStream<Numbered<MixEvent>>) async -> [MixEvent] {
        await engine.shutdown()
        var events: [MixEvent] = []
        for await numbered in recording { events.append(numbered.event) }
        return events
    }
}
