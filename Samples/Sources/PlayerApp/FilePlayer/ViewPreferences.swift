public import DescantCore
public import Foundation

/// What the app remembers of a person's choices.
public struct ViewPreferences: Sendable, Equatable, Codable {
    /// The volume, 0…1.
    public var volume: Double
    /// What happens at the natural end of a track.
    public var repeats: RepeatSetting
    /// Whether the order is drawn by chance.
    public var isShuffled: Bool
    /// How the playlist is sorted.
    public var sorting: TrackSorting
    /// Whether the time that is left is shown instead of the time that has passed.
    public var showsRemainingTime: Bool
    /// Whether windows are light or dark.
    public var appearance = Appearance.system
    /// The overlap of tracks in seconds: 0 for gapless joins, or 1…30.
    public var crossfade: TimeInterval = 0
    /// The curve of crossfades.
    public var crossfadeCurve = FadeCurve.equalPower
    /// Which loudness tags are used.
    public var loudness = LoudnessSetting.off
    /// The equaliser of the mix.
    public var equalizer = EqualizerSettings()
    /// The person's own equaliser, as it was before a preset or a flat one.
    public var ownEqualizer = EqualizerSettings(isEnabled: true)
    /// The book that was read last; `nil` for none.
    public var book: URL?
    /// The window as it was left; `nil` before it was closed for the first time.
    public var window: WindowFrame?

    /// Creates preferences.
    ///
    /// - Parameters:
    ///   - volume: The volume, clamped to 0…1.
    ///   - repeats: What happens at the natural end of a track.
    ///   - isShuffled: Whether the order is drawn by chance.
    ///   - sorting: How the playlist is sorted.
    ///   - showsRemainingTime: Whether the time that is left is shown.
    public init(
        volume: Double = 1, repeats: RepeatSetting = .off, isShuffled: Bool = false, sorting: TrackSorting = .added,
        showsRemainingTime: Bool = false
    ) {
        self.volume = volume.isNaN ? 1 : min(1, max(0, volume))
        self.repeats = repeats
        self.isShuffled = isShuffled
        self.sorting = sorting
        self.showsRemainingTime = showsRemainingTime
    }

    /// Reads preferences; keys that are missing have their standard value.
    ///
    /// - Parameter decoder: Where to read from.
    /// - Throws: `DecodingError`.
    public init(from decoder: any Decoder) throws {
        let values = try decoder.container(keyedBy: CodingKeys.self)
        self.init(
            volume: try values.decodeIfPresent(Double.self, forKey: .volume) ?? 1,
            repeats: try values.decodeIfPresent(RepeatSetting.self, forKey: .repeats) ?? .off,
            isShuffled: try values.decodeIfPresent(Bool.self, forKey: .isShuffled) ?? false,
            sorting: try values.decodeIfPresent(TrackSorting.self, forKey: .sorting) ?? .added,
            showsRemainingTime: try values.decodeIfPresent(Bool.self, forKey: .showsRemainingTime) ?? false)
        appearance = try values.decodeIfPresent(Appearance.self, forKey: .appearance) ?? .system
        let crossfade = try values.decodeIfPresent(Double.self, forKey: .crossfade) ?? 0
        self.crossfade = (1...30).contains(crossfade) ? crossfade : 0
        crossfadeCurve = try values.decodeIfPresent(FadeCurve.self, forKey: .crossfadeCurve) ?? .equalPower
        loudness = try values.decodeIfPresent(LoudnessSetting.self, forKey: .loudness) ?? .off
        equalizer = try values.decodeIfPresent(EqualizerSettings.self, forKey: .equalizer) ?? EqualizerSettings()
        if let own = try values.decodeIfPresent(EqualizerSettings.self, forKey: .ownEqualizer) { ownEqualizer = own }
        book = try values.decodeIfPresent(URL.self, forKey: .book)
        window = try values.decodeIfPresent(WindowFrame.self, forKey: .window)
    }
}

/// A window as a person has left it.
public struct WindowFrame: Sendable, Equatable, Codable {
    /// The width in pixels, while the window does not fill the screen.
    public let width: Int
    /// The height in pixels, while the window does not fill the screen.
    public let height: Int
    /// Whether the window fills the screen.
    public let isMaximized: Bool
    /// The name of the page that is shown.
    public let page: String
}

extension RepeatSetting: Codable {}
extension LoudnessSetting: Codable {}

/// Whether windows are light or dark.
public enum Appearance: String, Sendable, CaseIterable, Codable {
    /// As the desktop is.
    case system
    /// Dark text on a light ground.
    case light
    /// Light text on a dark ground.
    case dark
}

/// Keeps what a person has chosen and made. The integration layer implements it.
public protocol PlayerStorage: Sendable {
    /// Writes the preferences.
    ///
    /// - Parameter preferences: The preferences.
    /// - Throws: An error with the file and the reason.
    func save(_ preferences: ViewPreferences) async throws

    /// Writes a playlist as M3U, PLS or XSPF, as the ending says.
    ///
    /// - Parameters:
    ///   - entries: The tracks.
    ///   - path: The file; `.m3u` is added to a name without an ending.
    ///   - replaces: Whether a file of that name is overwritten; otherwise that is an error.
    /// - Returns: The path of the file.
    /// - Throws: An error with its reason.
    func save(_ entries: [PlaylistEntry], as path: String, replaces: Bool) async throws -> String
}
