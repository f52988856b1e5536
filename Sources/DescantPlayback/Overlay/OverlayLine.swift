internal import DescantCore
internal import Foundation

/// An active overlay: its layer and what plays on it.
struct OverlayLine: Sendable {
    /// The engine's layer; it goes when the overlay has ended.
    let layer: LayerID
    /// The present deck.
    var deck: DeckID?
    /// What plays.
    var url: URL?
    /// How it plays.
    var configuration: OverlayConfiguration
    /// What it is doing.
    var state = OverlayState.idle

    /// Whether a new clip takes the place of one that sounds or is frozen.
    var isReplaceable: Bool { !state.isIdle && state != .stopping }
}
