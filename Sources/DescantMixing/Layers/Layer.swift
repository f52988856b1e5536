internal import DescantCore
internal import Dispatch
internal import Synchronization

/// A layer that commands and the rendering thread share.
///
/// The lock is held for one block at a time: nothing inside it waits for a disk, a device or an actor.
final class Layer: Sendable {
    let id: LayerID
    let role: LayerRole
    /// Reads ahead in parallel with the rendering thread.
    let queue = DispatchQueue(label: "descant.mixer.layer", qos: .userInitiated)
    private let core: Mutex<LayerCore>

    init(id: LayerID, role: LayerRole, mix: PCMFormat, waits: Bool) {
        self.id = id
        self.role = role
        core = Mutex(LayerCore(id: id, mix: mix, waits: waits))
    }

    /// Runs a closure on the layer between two blocks.
    func callAsFunction<Result: Sendable>(_ command: (inout LayerCore) throws -> Result) rethrows -> Result {
        try core.withLock { try command(&$0) }
    }

    /// Takes the events since the last call, the decks to close, and the follow-ups that are not needed any more.
    func collect() -> (events: [MixEvent], retired: [(id: DeckID, decks: [any Deck])], takenBack: [DeckID]) {
        core.withLock { core in
            guard !core.events.isEmpty || !core.retired.isEmpty else { return ([], [], []) }
            defer {
                core.events.removeAll()
                core.retired.removeAll()
                core.takenBack.removeAll()
            }
            return (core.events, core.retired, core.takenBack)
        }
    }
}

/// Starts decks on a layer. A deck's converter is not Sendable, so it is passed on with the lock held.
extension Layer {
    /// Starts a deck, at a position of it that is reached before its first frame is rendered.
    ///
    /// - Parameters:
    ///   - queued: The deck.
    ///   - entry: How it comes in.
    ///   - loop: Its passes.
    ///   - seconds: Where it begins; 0 or more.
    ///   - rampFrames: The ramp with which it begins within the sound.
    func start(
        _ queued: consuming sending QueuedDeck, entry: DeckEntry, loop: LoopPlan?, at seconds: Double = 0,
        rampFrames: Int64 = 0
    ) -> DeckID? {
        var handed = Optional(queued)
        return self { core in
            let takenBack = handed.take().flatMap { core.play($0, entry: entry, loop: loop) }
            guard seconds > 0 else { return takenBack }
            let isOpen = !core.gate.isClosing
            core.pause(rampFrames: 0)
            // Refused only without a deck or for a position that is not a number.
            try? core.seek(to: seconds, fadeFrames: 0)
            if isOpen { core.resume(rampFrames: rampFrames) }
            return takenBack
        }
    }

    func follow(with queued: consuming sending QueuedDeck, join: DeckJoin) -> DeckID? {
        var handed = Optional(queued)
        return self { core in handed.take().flatMap { core.setFollowUp(($0, join), isDecided: true) } }
    }
}
