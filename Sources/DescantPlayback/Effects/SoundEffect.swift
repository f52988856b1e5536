public import Foundation

/// A short sound for a moment: a click, a chime, a gong.
///
/// Fades and volume are clamped to their range, when the effect is created and on every change.
public struct SoundEffect: Sendable, Hashable {
    /// The sound.
    public var url: URL
    /// Length of the fade at its beginning in seconds, 0…10.
    public var fadeIn: TimeInterval { didSet { fadeIn = fadeIn.clamped(to: 0...10) } }
    /// Length of the fade when it is stopped in seconds, 0…10. A sound that ends by itself is played to its last sample.
    public var fadeOut: TimeInterval { didSet { fadeOut = fadeOut.clamped(to: 0...10) } }
    /// Linear gain, 0…1.
    public var volume: Float { didSet { volume = volume.clamped(to: 0...1) } }

    /// Creates an effect.
    ///
    /// - Parameters:
    ///   - url: The sound.
    ///   - fadeIn: Length of the fade at its beginning in seconds, 0…10.
    ///   - fadeOut: Length of the fade when it is stopped in seconds, 0…10.
    ///   - volume: Linear gain, 0…1.
    public init(url: URL, fadeIn: TimeInterval = 0, fadeOut: TimeInterval = 0.3, volume: Float = 0.8) {
        self.url = url
        self.fadeIn = fadeIn.clamped(to: 0...10)
        self.fadeOut = fadeOut.clamped(to: 0...10)
        self.volume = volume.clamped(to: 0...1)
    }
}

extension SoundEffect: Codable {
    private enum CodingKeys: String, CodingKey { case url, fadeIn, fadeOut, volume }

    /// Reads an effect; values that are missing have their defaults, values outside their range are clamped.
    ///
    /// - Parameter decoder: Where to read.
    /// - Throws: `DecodingError`, also for a missing URL.
    public init(from decoder: any Decoder) throws {
        let values = try decoder.container(keyedBy: CodingKeys.self)
        self.init(url: try values.decode(URL.self, forKey: .url))
        fadeIn = try values.decodeIfPresent(TimeInterval.self, forKey: .fadeIn)?.clamped(to: 0...10) ?? fadeIn
        fadeOut = try values.decodeIfPresent(TimeInterval.self, forKey: .fadeOut)?.clamped(to: 0...10) ?? fadeOut
        volume = try values.decodeIfPresent(Float.self, forKey: .volume)?.clamped(to: 0...1) ?? volume
    }
}
