public import DescantCore
public import Foundation

/// How an ``AudioPlayerService`` plays.
///
/// A configuration keeps the values it is given; ``validate()`` tells whether they can be used, and the player
/// validates before it changes anything.
public struct PlayerConfiguration: Sendable, Hashable {
    /// Length of the overlap of two tracks, in seconds: 1…30, or 0 to join them without a gap.
    ///
    /// The player shortens it to 40 % of the shorter track and to what is left of the present one; below 0.1 s the
    /// tracks are joined without a gap.
    public var crossfadeDuration: TimeInterval
    /// The curve of crossfades and fades.
    public var fadeCurve: FadeCurve
    /// What happens at the natural end.
    public var repeatMode: RepeatMode
    /// How many times the playlist or track is repeated after it was played once; `nil` for endlessly.
    public var repeatCount: Int?
    /// Master volume in percent, 0…100.
    public var volume: Int
    /// Length of the fade when playing is stopped, in seconds, 0…10.
    public var stopFadeDuration: TimeInterval
    /// Whether other programs keep sounding while this player plays. If not, the other players of the desktop that are
    /// playing (MPRIS) are asked to pause when this one begins, and to go on when it has stopped; programs that are no players keep
    /// sounding, because a sound server cannot pause them. `AudioSessionPolicy.pausesOtherPlayers` leaves them all alone.
    public var mixWithOthers: Bool
    /// Whether the first track fades in over ``fadeInDuration``.
    public var fadeInAtStart: Bool
    /// What a call for another track or position does to a running crossfade.
    public var transitionInterruption: TransitionInterruption
    /// Whether successive tracks of one album are joined without a gap although a crossfade is set.
    public var gaplessAlbums: Bool

    /// Creates a configuration from any values; see ``validate()``.
    ///
    /// - Parameters:
    ///   - crossfadeDuration: Overlap of two tracks in seconds: 0, or 1…30.
    ///   - fadeCurve: The curve of crossfades and fades.
    ///   - repeatMode: What happens at the natural end.
    ///   - repeatCount: Repetitions after the first play; `nil` for endlessly.
    ///   - volume: Master volume in percent, 0…100.
    ///   - stopFadeDuration: Fade when playing is stopped, in seconds, 0…10.
    ///   - mixWithOthers: Whether other programs keep sounding.
    ///   - fadeInAtStart: Whether the first track fades in.
    ///   - transitionInterruption: What a call for another track does to a running crossfade.
    ///   - gaplessAlbums: Whether successive tracks of one album are joined without a gap.
    public init(
        crossfadeDuration: TimeInterval = 10, fadeCurve: FadeCurve = .equalPower, repeatMode: RepeatMode = .off,
        repeatCount: Int? = nil, volume: Int = 100, stopFadeDuration: TimeInterval = 3, mixWithOthers: Bool = false,
        fadeInAtStart: Bool = false, transitionInterruption: TransitionInterruption = .reject,
        gaplessAlbums: Bool = false
    ) {
        self.crossfadeDuration = crossfadeDuration
        self.fadeCurve = fadeCurve
        self.repeatMode = repeatMode
        self.repeatCount = repeatCount
        self.volume = volume
        self.stopFadeDuration = stopFadeDuration
        self.mixWithOthers = mixWithOthers
        self.fadeInAtStart = fadeInAtStart
        self.transitionInterruption = transitionInterruption
        self.gaplessAlbums = gaplessAlbums
    }

    /// The configuration of a player that was given none: a crossfade of 10 s, no repetition, full volume.
    public static let `default` = PlayerConfiguration()

    /// Length of the fade-in at the start, in seconds: 0.3 × ``crossfadeDuration``.
    public var fadeInDuration: TimeInterval { crossfadeDuration * 0.3 }

    /// Master volume as a linear gain, 0…1.
    public var volumeFloat: Float { Float(volume) / 100 }

    /// Checks every value against its range.
    ///
    /// - Throws: ``ConfigurationError`` for the first value that is outside.
    public func validate() throws {
        guard crossfadeDuration == 0 || (1...30).contains(crossfadeDuration) else {
            throw ConfigurationError.invalidCrossfadeDuration(crossfadeDuration)
        }
        guard (0...100).contains(volume) else { throw ConfigurationError.invalidVolume(volume) }
        if let repeatCount, repeatCount < 0 { throw ConfigurationError.invalidRepeatCount(repeatCount) }
        guard (0...10).contains(stopFadeDuration) else {
            throw ConfigurationError.invalidStopFadeDuration(stopFadeDuration)
        }
    }
}

extension PlayerConfiguration: Codable {
    private enum CodingKeys: String, CodingKey {
        case crossfadeDuration, fadeCurve, repeatMode, repeatCount, volume, stopFadeDuration, mixWithOthers,
            fadeInAtStart
        case transitionInterruption, gaplessAlbums
    }

    /// Reads a configuration; values that are missing have their defaults. Values outside their range are kept, see ``validate()``.
    ///
    /// - Parameter decoder: Where to read.
    /// - Throws: `DecodingError`.
    public init(from decoder: any Decoder) throws {
        let values = try decoder.container(keyedBy: CodingKeys.self)
        func value<Value: Decodable>(_ key: CodingKeys, _ standard: Value) throws -> Value {
            try values.decodeIfPresent(Value.self, forKey: key) ?? standard
        }
        let standard = PlayerConfiguration()
        self.init(
            crossfadeDuration: try value(.crossfadeDuration, standard.crossfadeDuration),
            fadeCurve: try value(.fadeCurve, standard.fadeCurve),
            repeatMode: try value(.repeatMode, standard.repeatMode),
            repeatCount: try values.decodeIfPresent(Int.self, forKey: .repeatCount),
            volume: try value(.volume, standard.volume),
            stopFadeDuration: try value(.stopFadeDuration, standard.stopFadeDuration),
            mixWithOthers: try value(.mixWithOthers, standard.mixWithOthers),
            fadeInAtStart: try value(.fadeInAtStart, standard.fadeInAtStart),
            transitionInterruption: try value(.transitionInterruption, standard.transitionInterruption),
            gaplessAlbums: try value(.gaplessAlbums, standard.gaplessAlbums))
    }
}

/// What happens at the natural end of a track or of the playlist.
///
/// Moves that a person asks for (`nextTrack()`, `previousTrack()`, `jumpToTrack(at:)`) always leave the track.
public enum RepeatMode: String, Sendable, Hashable, Codable, CaseIterable {
    /// The playlist is played once.
    case off
    /// The present track is played again.
    case singleTrack
    /// The first track follows the last one.
    case playlist
}

/// What happens when a person asks for another track, or another position, while a crossfade is running.
public enum TransitionInterruption: String, Sendable, Hashable, Codable, CaseIterable {
    /// The call throws and the crossfade goes on.
    case reject
    /// The running crossfade ends within 0.3 s, then the call is carried out.
    case fastForward
}

/// A value of a configuration that is outside its documented range.
public enum ConfigurationError: Error, Sendable, Hashable {
    /// A crossfade is neither 0 nor 1…30 s long.
    case invalidCrossfadeDuration(TimeInterval)
    /// A volume is outside 0…100.
    case invalidVolume(Int)
    /// A repeat count is negative.
    case invalidRepeatCount(Int)
    /// A stop fade is outside 0…10 s.
    case invalidStopFadeDuration(TimeInterval)
    /// A sleep timer is set to less than 0 s or to more than a day.
    case invalidSleepDuration(TimeInterval)
    /// A speed is outside 0.5…3.
    case invalidRate(Double)
}

extension ConfigurationError: CustomStringConvertible, LocalizedError {
    /// The value and the range it should be in.
    public var description: String {
        switch self {
        case .invalidCrossfadeDuration(let seconds):
            "crossfade duration \(seconds) s: use 0 for gapless joins, or 1 to 30 s"
        case .invalidVolume(let volume): "volume \(volume): use 0 to 100"
        case .invalidRepeatCount(let count): "repeat count \(count): use 0 or more, or nil to repeat endlessly"
        case .invalidStopFadeDuration(let seconds): "stop fade duration \(seconds) s: use 0 to 10 s"
        case .invalidSleepDuration(let seconds): "sleep timer \(seconds) s: use 0 to 86400 s"
        case .invalidRate(let rate): "rate \(rate): use 0.5 to 3"
        }
    }

    /// The same text as ``description``.
    public var errorDescription: String? { description }
}
