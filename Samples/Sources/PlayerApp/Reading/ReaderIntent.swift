/// What a person wants of a reader, as views report it.
public enum ReaderIntent: Sendable, Equatable {
    /// Pause or go on.
    case togglePause
    /// Move in the text.
    case move(ReaderStep, forward: Bool)
    /// Change the speed by a difference.
    case changeRate(Double)
    /// Change the volume by a difference, in 0…1.
    case changeVolume(Double)
    /// Go on with the next engine.
    case nextEngine
    /// Go on with the next voice.
    case nextVoice
    /// Show the keys or hide them.
    case toggleHelp
    /// End the program.
    case quit
}
