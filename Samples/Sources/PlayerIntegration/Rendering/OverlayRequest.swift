public import Foundation

/// A sound to lie over the main line of a render.
public struct OverlayRequest: Sendable, Hashable {
    /// Where the sound is.
    public var url: URL
    /// Its volume, 0…1.
    public var volume: Double
    /// How many times it is played; `nil` for as long as the main line.
    public var passes: Int?
    /// Silence between passes, in seconds.
    public var delay: TimeInterval

    /// Creates a request.
    ///
    /// - Parameters:
    ///   - url: Where the sound is.
    ///   - volume: Its volume, 0…1.
    ///   - passes: How many times it is played; `nil` for as long as the main line.
    ///   - delay: Silence between passes, in seconds.
    public init(url: URL, volume: Double = 1, passes: Int? = 1, delay: TimeInterval = 0) {
        self.url = url
        self.volume = volume
        self.passes = passes
        self.delay = delay
    }
}
