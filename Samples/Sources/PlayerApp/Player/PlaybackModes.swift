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

/// How the playlist is played.
public struct PlaybackModes: Sendable, Equatable {
    /// What happens at the natural end.
    public var repeats: RepeatSetting
    /// Whether the order is drawn by chance.
    public var isShuffled: Bool
    /// The speed, 0.5…3; 1 is normal.
    public var rate: Double

    /// The speeds that keys reach.
    static let rates = 0.5...3.0

    /// Creates modes.
    ///
    /// - Parameters:
    ///   - repeats: What happens at the natural end.
    ///   - isShuffled: Whether the order is drawn by chance.
    ///   - rate: The speed, 0.5…3; 1 is normal.
    public init(repeats: RepeatSetting = .off, isShuffled: Bool = false, rate: Double = 1) {
        self.repeats = repeats
        self.isShuffled = isShuffled
        self.rate = rate
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
