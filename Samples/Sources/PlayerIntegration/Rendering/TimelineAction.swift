public import Foundation

/// Something that happens to the main line at a moment of a render, in seconds of the output's timeline.
public enum TimelineAction: Sendable, Hashable {
    /// The present track moves to a position.
    case seek(at: TimeInterval, to: TimeInterval)
    /// The main line freezes for a number of seconds.
    case pause(at: TimeInterval, seconds: TimeInterval)
}
