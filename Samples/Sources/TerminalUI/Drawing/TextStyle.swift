public import PlayerApp

/// The meaning of a piece of text; ``ColorMode`` decides how a terminal shows it.
public enum TextStyle: Sendable, Hashable {
    /// Normal text.
    case plain
    /// The most important line.
    case strong
    /// Of less importance.
    case dim
    /// Moving parts: bars and the present track.
    case accent
    /// A second moving part: crossfades.
    case second
    /// A level in the usual range.
    case low
    /// A level near full scale; a warning.
    case high
    /// A level at full scale; an error.
    case critical
    /// The selected line.
    case selected
    /// Two pixels of a picture, for the character of an upper half block.
    case pixels(top: CoverArt.Color, bottom: CoverArt.Color)
}
