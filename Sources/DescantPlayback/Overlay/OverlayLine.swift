internal import DescantCore
internal import Foundation

/// An overlay's layer and what plays on it.
struct OverlayLine: Sendable {
    /// The engine's layer; it stays when the overlay has ended.
    let layer: LayerID
    /// The present deck; `nil` when idle.
    var deck: DeckID?
    /// What plays.
    var url: URL?
    /// How it plays.
    var configuration: OverlayConfiguration
    /// What it is doing.
    var state = OverlayState.idle
}
