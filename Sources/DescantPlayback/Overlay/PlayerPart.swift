public import DescantCore

/// A part of what a player sounds, or of what sounds beside it.
public enum PlayerPart: Sendable, Hashable {
    /// The playlist.
    case main
    /// One overlay, while it is active.
    case overlay(OverlayID)
    /// All sound effects.
    case effects
    /// Another layer of the same engine, such as a voice's.
    case layer(LayerID)
}
