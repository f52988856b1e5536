public import Descant
public import Foundation
public import PlayerApp

/// What is to be played, and how.
public struct PlayRequest: Sendable {
    /// The tracks, in order.
    public var entries: [PlaylistEntry]
    /// Where sound goes; a destination that plays in real time.
    public var output: OutputDestination
    /// How the playlist is played.
    public var configuration: PlayerConfiguration
    /// A sound over the tracks.
    public var overlay: URL?
    /// The overlay's volume, 0…1.
    public var overlayVolume: Double
    /// Where the first track begins, in seconds.
    public var start: TimeInterval

    /// Creates a request.
    ///
    /// - Parameters:
    ///   - entries: The tracks, in order.
    ///   - output: Where sound goes.
    ///   - configuration: How the playlist is played.
    ///   - overlay: A sound over the tracks.
    ///   - overlayVolume: The overlay's volume, 0…1.
    ///   - start: Where the first track begins, in seconds.
    public init(
        entries: [PlaylistEntry], output: OutputDestination, configuration: PlayerConfiguration, overlay: URL? = nil,
        overlayVolume: Double = 0.3, start: TimeInterval = 0
    ) {
        self.entries = entries
        self.output = output
        self.configuration = configuration
        self.overlay = overlay
        self.overlayVolume = overlayVolume
        self.start = start
    }
}
