/// What a deck is being opened for.
enum OpeningPurpose: Hashable, Sendable {
    case main
    case overlay(OverlayID)
}
