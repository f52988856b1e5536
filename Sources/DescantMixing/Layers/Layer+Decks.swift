internal import DescantCore

/// Handing decks to a layer: a deck's converter is not Sendable, so it goes in with the lock held.
extension Layer {
    func start(_ queued: consuming sending QueuedDeck, entry: DeckEntry, loop: LoopPlan?) -> DeckID? {
        var handed = Optional(queued)
        return self { core in handed.take().flatMap { core.play($0, entry: entry, loop: loop) } }
    }

    func follow(with queued: consuming sending QueuedDeck, join: DeckJoin) -> DeckID? {
        var handed = Optional(queued)
        return self { core in handed.take().flatMap { core.setFollowUp(($0, join), isDecided: true) } }
    }
}
