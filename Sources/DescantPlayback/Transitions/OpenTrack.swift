internal import DescantCore
internal import Foundation

/// An item of the playlist with the deck that plays it.
struct OpenTrack: Sendable {
    /// What is played.
    var item: PlaylistItem
    /// Where the item was when it was opened.
    var index: Int
    /// The engine's deck.
    var deck: DeckID
    /// Title, duration and tags.
    var info: TrackInfo
    /// Whether starting it repeats the playlist or the track.
    var isRepeat: Bool
}
