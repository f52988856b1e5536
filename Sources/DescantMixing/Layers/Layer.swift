internal import DescantCore
internal import Dispatch
internal import Synchronization

/// A layer that commands and the rendering thread share.
///
/// The lock is held for one block at a time: nothing inside it waits for a disk, a device or an actor.
///
/// When the output can replace frames that were rendered and not heard, the layer keeps snapshots of the last blocks'
/// beginnings, and returns to one of them when a command changes the sound.
final class Layer: Sendable {
    private struct Snapshot {
        var frame: Int64
        var core: LayerCore
        /// The releases before the snapshot.
        var releases: Int
    }

    private struct State {
        var core: LayerCore
        /// In the order of their frames. Only the first one may lie before the heard frame.
        var snapshots: [Snapshot] = []
        /// The decks to close when the frame of their end was heard.
        var released: [(number: Int, deck: ReleasedDeck)] = []
        var releases = 0

        mutating func takeReleased(heard: Int64?) -> [ReleasedDeck] {
            guard !released.isEmpty else { return [] }
            defer { released.removeAll { $0.deck.frame <= heard ?? .max } }
            return released.map(\.deck).filter { $0.frame <= heard ?? .max }
        }
    }

    /// A deck that had no data for frames that are rendered already.
    struct Watch {
        var deck: ObjectIdentifier
        /// `nil` while the deck has no data. When it has some that is rendered later: the number of the last change, as a newer change renders it first.
        var change: UInt64?
    }

    let id: LayerID
    let role: LayerRole
    /// Waits for the first data of started decks, apart from commands and the rendering thread.
    let queue = DispatchQueue(label: "descant.mixer.layer", qos: .userInitiated)
    /// The newest deck without data, which is watched.
    let watch = Mutex<Watch?>(nil)
    private let state: Mutex<State>

    init(id: LayerID, role: LayerRole, mix: PCMFormat, waits: Bool, keepsLogs: Bool) {
        self.id = id
        self.role = role
        state = Mutex(State(core: LayerCore(id: id, mix: mix, waits: waits, keepsLogs: keepsLogs)))
    }

    /// Runs a closure on the layer between two blocks.
    func callAsFunction<Result: Sendable>(_ command: (inout LayerCore) throws -> Result) rethrows -> Result {
        try state.withLock { try command(&$0.core) }
    }

    /// Takes the events since the last call, and the decks that are not needed any more.
    ///
    /// - Parameter heard: The heard frame; decks that end later may still be needed. `nil` when nothing is played again.
    func collect(heard: Int64?) -> (events: [MixEvent], released: [ReleasedDeck]) {
        state.withLock { state in
            let events = state.core.events
            state.core.events.removeAll()
            for deck in state.core.released {
                state.released.append((state.releases, deck))
                state.releases += 1
            }
            state.core.released.removeAll()
            return (events, state.takeReleased(heard: heard))
        }
    }

    /// Takes the collected decks that are not needed any more once a frame was heard.
    func takeReleased(heard: Int64?) -> [ReleasedDeck] { state.withLock { $0.takeReleased(heard: heard) } }

    // MARK: Snapshots

    /// Keeps the present state, to return to it.
    ///
    /// - Parameters:
    ///   - frame: The output frame that is rendered next.
    ///   - heard: The heard frame, before which the layer does not return.
    func keepSnapshot(at frame: Int64, heard: Int64) {
        state.withLock { state in
            state.snapshots.removeAll { $0.frame >= frame }
            state.snapshots.append(Snapshot(frame: frame, core: state.core.copy(), releases: state.releases))
            let passed = state.snapshots.lastIndex { $0.frame <= heard } ?? 0
            guard passed > 0 else { return }
            state.snapshots.removeFirst(passed)
            state.snapshots[0].core.trimLogs()
        }
    }

    /// Returns to the last snapshot at or before a frame.
    ///
    /// - Returns: The snapshot's frame; `nil` when there is none, so that the layer stays as it is.
    func restore(before frame: Int64) -> Int64? {
        state.withLock { state in
            guard let snapshot = state.snapshots.last(where: { $0.frame <= frame }) else { return nil }
            state.core = snapshot.core.copy()
            state.released.removeAll { $0.number >= snapshot.releases && $0.deck.frame >= frame }
            return snapshot.frame
        }
    }

    /// Forgets what was rendered between a snapshot and the frame at which a command takes effect: the events and
    /// releases of these frames were collected before.
    ///
    /// - Returns: Whether the layer became idle in these frames.
    func discardRepeated(before frame: Int64) -> Bool {
        state.withLock { state in
            let hasEnded = state.core.events.contains { if case .idle = $0.kind { $0.frame < frame } else { false } }
            state.core.events.removeAll { $0.frame < frame }
            state.core.released.removeAll { $0.frame < frame }
            return hasEnded
        }
    }

    /// Whether the layer was removed and cannot sound again.
    var isGone: Bool {
        state.withLock { state in
            state.core.isRemoved && state.core.isFinished && state.released.isEmpty
                && state.snapshots.allSatisfy(\.core.isFinished)
        }
    }

    /// The status at a frame, from the first snapshot at or behind it: an event at the frame has happened.
    ///
    /// - Parameter changed: The frame of the last change, which counts before it is heard.
    func status(heard frame: Int64, changed: Int64) -> LayerStatus {
        state.withLock { state in
            let core = state.snapshots.first { $0.frame >= max(frame, changed) }?.core ?? state.core
            return core.status(heard: frame)
        }
    }
}
