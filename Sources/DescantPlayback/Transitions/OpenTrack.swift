internal import DescantCore
internal import Foundation

/// An item of the playlist with the deck that plays it.
struct OpenTrack: Sendable {
    /// What is played.
    var item: PlaylistItem
    /// Where the item was when it was opened, and what the way to it means.
    var stop: PlaylistRoute.Stop
    /// The engine's deck.
    var deck: DeckID
    /// Title, duration and tags.
    var info: TrackInfo

    /// Where the item was when it was opened.
    var index: Int { stop.index }
}
