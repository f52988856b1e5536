public import Descant
public import Foundation
public import PlayerApp

/// What is to be played live, and how.
public struct PlayRequest: Sendable {
    /// The tracks, in order.
    public var entries: [PlaylistEntry]
    /// Where sound goes; a destination that plays in real time.
    public var output: OutputDestination
    /// How the playlist sounds.
    public var options: PlayOptions
    /// Where the first track begins, in seconds.
    public var start: TimeInterval
    /// Whether the desktop's media controls reach the player.
    public var isRemoteControlled: Bool

    /// Creates a request.
    ///
    /// - Parameters:
    ///   - entries: The tracks, in order.
    ///   - output: Where sound goes.
    ///   - options: How the playlist sounds.
    ///   - start: Where the first track begins, in seconds.
    ///   - isRemoteControlled: Whether the desktop's media controls reach the player.
    public init(
        entries: [PlaylistEntry], output: OutputDestination, options: PlayOptions, start: TimeInterval = 0,
        isRemoteControlled: Bool = true
    ) {
        self.entries = entries
        self.output = output
        self.options = options
        self.start = start
        self.isRemoteControlled = isRemoteControlled
    }
}
