internal import DescantCore
internal import Synchronization

/// The follow-up of each deck, decided before the deck ends.
final class FollowUpPlan: Sendable {
    private let followUps = Mutex<[DeckID: FollowUp]>([:])

    /// The follow-up of a deck; `nothing` by default.
    subscript(deck: DeckID) -> FollowUp {
        get { followUps.withLock { $0[deck] ?? .nothing } }
        set { followUps.withLock { $0[deck] = newValue } }
    }
}
