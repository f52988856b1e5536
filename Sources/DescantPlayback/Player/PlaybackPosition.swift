public import Foundation

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

    /// The share of the track that was heard, 0…1; 0 when the duration is unknown.
    public var progress: Double { duration > 0 ? min(1, max(0, currentTime / duration)) : 0 }
}
