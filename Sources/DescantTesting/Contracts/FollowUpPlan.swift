internal import DescantCore
internal import Synchronization

/// What follows which deck, decided before it is needed.
final class FollowUpPlan: Sendable {
    private let followUps = Mutex<[DeckID: FollowUp]>([:])

    /// What follows a deck; nothing unless it was decided otherwise.
    subscript(deck: DeckID) -> FollowUp {
        get { followUps.withLock { $0[deck] ?? .nothing } }
        set { followUps.withLock { $0[deck] = newValue } }
    }
}
