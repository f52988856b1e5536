public import Foundation

/// An observer of an ``AudioPlayerService``; its methods are called one after the other.
///
/// A slow observer holds up neither the player nor other observers; when it falls far behind, the oldest
/// notices are dropped. Every method has an empty default.
public protocol AudioPlayerObserver: Sendable {
    /// The state has changed.
    ///
    /// - Parameter state: The new state.
    func playerStateDidChange(_ state: PlayerState) async

    /// Another half second was heard, or the position was changed.
    ///
    /// - Parameter position: How far the present track was heard.
    func playbackPositionDidUpdate(_ position: PlaybackPosition) async

    /// Something failed outside a call: a track that was skipped, a device that went away.
    ///
    /// - Parameter error: What failed.
    func playerDidEncounterError(_ error: AudioPlayerError) async
}

extension AudioPlayerObserver {
    /// Does nothing.
    ///
    /// - Parameter state: The new state.
    public func playerStateDidChange(_ state: PlayerState) async {}

    /// Does nothing.
    ///
    /// - Parameter position: How far the present track was heard.
    public func playbackPositionDidUpdate(_ position: PlaybackPosition) async {}

    /// Does nothing.
    ///
    /// - Parameter error: What failed.
    public func playerDidEncounterError(_ error: AudioPlayerError) async {}
}

/// How far the present track was heard.
public struct PlaybackPosition: Sendable, Hashable {
    /// Seconds from the beginning of the track.
    public let currentTime: TimeInterval
    /// Length of the track in seconds; 0 when unknown.
    public let duration: TimeInterval

    /// Creates a position.
    ///
    /// - Parameters:
    ///   - currentTime: Seconds from the beginning of the track.
    ///   - duration: Length of the track in seconds; 0 when unknown.
    public init(currentTime: TimeInterval, duration: TimeInterval) {
        self.currentTime = currentTime
        self.duration = duration
    }

    /// Seconds until the end of the track; 0 when the duration is unknown.
    public var remainingTime: TimeInterval { max(0, duration - currentTime) }

    /// The share of the track that was heard, 0…1; 0 when the duration is unknown.
    public var progress: Double { duration > 0 ? min(1, max(0, currentTime / duration)) : 0 }
}
