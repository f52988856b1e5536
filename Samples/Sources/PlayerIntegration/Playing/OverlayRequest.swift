internal import Descant
public import Foundation

/// A sound to lie over the tracks.
public struct OverlayRequest: Sendable, Hashable {
    /// Where the sound is.
    public var url: URL
    /// Its volume, 0…1.
    public var volume: Double
    /// How many times it is played; `nil` for as long as the main line.
    public var passes: Int?
    /// Silence between passes, in seconds.
    public var delay: TimeInterval
    /// Fade at its beginning and its natural end, in seconds; 0 for none.
    public var fade: TimeInterval

    /// Creates a request.
    ///
    /// - Parameters:
    ///   - url: Where the sound is.
    ///   - volume: Its volume, 0…1.
    ///   - passes: How many times it is played; `nil` for as long as the main line.
    ///   - delay: Silence between passes, in seconds.
    ///   - fade: Fade at its beginning and its natural end, in seconds; 0 for none.
    public init(
        url: URL, volume: Double = 1, passes: Int? = 1, delay: TimeInterval = 0, fade: TimeInterval = 0
    ) {
        self.url = url
        self.volume = volume
        self.passes = passes
        self.delay = delay
        self.fade = fade
    }

    /// As the player takes it.
    var configuration: OverlayConfiguration {
        // What a person stops should not take long to end.
        OverlayConfiguration(
            volume: Float(volume), loopMode: passes.map { .count($0) } ?? .infinite, loopDelay: delay,
            fadeInDuration: fade, fadeOutDuration: min(fade, 0.3), fadesEnds: fade > 0)
    }
}
