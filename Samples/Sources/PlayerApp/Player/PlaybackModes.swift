public import DescantCore
public import Foundation

/// What happens at the natural end.
public enum RepeatSetting: String, Sendable, CaseIterable {
    /// The playlist is played once.
    case off
    /// The track is played again.
    case track
    /// The first track follows the last one.
    case playlist

    /// The setting that a key changes to.
    var next: RepeatSetting {
        switch self {
        case .off: .playlist
        case .playlist: .track
        case .track: .off
        }
    }
}

/// Which loudness tags bring tracks to one loudness.
public enum LoudnessSetting: String, Sendable, CaseIterable {
    /// None: tracks are played as they are.
    case off
    /// Each track has the same loudness.
    case track
    /// Each album has the same loudness.
    case album

    /// The setting that a key changes to.
    var next: LoudnessSetting {
        switch self {
        case .off: .track
        case .track: .album
        case .album: .off
        }
    }
}

/// When the player stops by itself.
public enum SleepSetting: Sendable, Hashable {
    /// Never.
    case off
    /// After minutes that were heard.
    case after(minutes: Int)
    /// At the end of the track.
    case endOfTrack

    /// The setting that a key changes to.
    var next: SleepSetting {
        switch self {
        case .off: .after(minutes: 15)
        case .after(let minutes) where minutes < 30: .after(minutes: 30)
        case .after(let minutes) where minutes < 60: .after(minutes: 60)
        case .after(let minutes) where minutes < 90: .after(minutes: 90)
        case .after: .endOfTrack
        case .endOfTrack: .off
        }
    }
}

/// How the playlist is played.
public struct PlaybackModes: Sendable, Equatable {
    /// What happens at the natural end.
    public var repeats: RepeatSetting
    /// Whether the order is drawn by chance.
    public var isShuffled: Bool
    /// The speed, 0.5…3; 1 is normal.
    public var rate: Double

    /// The overlap of tracks in seconds; 0 for gapless joins.
    public var crossfade: TimeInterval
    /// Which loudness tags are used.
    public var loudness: LoudnessSetting
    /// The equaliser of the mix.
    public var equalizer: EqualizerSettings
    /// When the player stops by itself.
    public var sleep: SleepSetting
    /// Whether successive tracks of an album are joined gapless, whatever ``crossfade`` says.
    public var gaplessAlbums: Bool

    /// The speeds that keys reach.
    static let rates = 0.5...3.0

    /// The overlap that a key changes to, in seconds.
    var nextCrossfade: TimeInterval { [2, 5, 10].first { $0 > crossfade } ?? 0 }

    /// Creates modes.
    ///
    /// - Parameters:
    ///   - repeats: What happens at the natural end.
    ///   - isShuffled: Whether the order is drawn by chance.
    ///   - rate: The speed, 0.5…3; 1 is normal.
    ///   - crossfade: The overlap of tracks in seconds; 0 for gapless joins.
    ///   - loudness: Which loudness tags are used.
    ///   - equalizer: The equaliser of the mix.
    ///   - sleep: When the player stops by itself.
    ///   - gaplessAlbums: Whether successive tracks of an album are joined gapless, whatever `crossfade` says.
    public init(
        repeats: RepeatSetting = .off, isShuffled: Bool = false, rate: Double = 1, crossfade: TimeInterval = 0,
        loudness: LoudnessSetting = .off, equalizer: EqualizerSettings = EqualizerSettings(),
        sleep: SleepSetting = .off, gaplessAlbums: Bool = false
    ) {
        self.repeats = repeats
        self.isShuffled = isShuffled
        self.rate = rate
        self.crossfade = crossfade
        self.loudness = loudness
        self.equalizer = equalizer
        self.sleep = sleep
        self.gaplessAlbums = gaplessAlbums
    }
}

/// Where sound goes.
public struct OutputStatus: Sendable, Equatable {
    /// The device's description for a person; `nil` while unknown.
    public var device: String?
    /// Why nothing is heard, and the remedy; `nil` while the device takes sound.
    public var problem: String?

    /// Creates a status.
    ///
    /// - Parameters:
    ///   - device: The device's description for a person.
    ///   - problem: Why nothing is heard, and the remedy.
    public init(device: String? = nil, problem: String? = nil) {
        self.device = device
        self.problem = problem
    }
}
