public import Foundation

/// A running crossfade.
public struct CrossfadeProgress: Sendable, Equatable {
    /// Seconds that are left.
    public var remaining: TimeInterval
    /// Seconds in all.
    public var duration: TimeInterval

    /// Creates a progress.
    ///
    /// - Parameters:
    ///   - remaining: Seconds that are left.
    ///   - duration: Seconds in all.
    public init(remaining: TimeInterval, duration: TimeInterval) {
        self.remaining = remaining
        self.duration = duration
    }

    /// The share that has passed, 0…1.
    public var share: Double { duration > 0 ? min(1, max(0, 1 - remaining / duration)) : 1 }
}
