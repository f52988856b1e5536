/// Which remote commands have an effect. Stopping always has.
public struct RemoteAbilities: OptionSet, Sendable, Hashable {
    /// The abilities as bits.
    public let rawValue: UInt32
    /// Creates a set from bits.
    ///
    /// - Parameter rawValue: The abilities as bits.
    public init(rawValue: UInt32) { self.rawValue = rawValue }

    /// There is something to play, whether or not it plays already.
    public static let play = RemoteAbilities(rawValue: 1 << 0)
    /// What there is to play can be paused, whether or not it is.
    public static let pause = RemoteAbilities(rawValue: 1 << 1)
    /// The current track has positions to go to.
    public static let seek = RemoteAbilities(rawValue: 1 << 2)
    /// There is a next track, or there may be one.
    public static let next = RemoteAbilities(rawValue: 1 << 3)
    /// There is a previous track, or there may be one.
    public static let previous = RemoteAbilities(rawValue: 1 << 4)
    /// Volume, repetition, order and speed can be set, as far as the snapshot has them.
    public static let adjust = RemoteAbilities(rawValue: 1 << 5)
    /// Files and streams can be opened.
    public static let open = RemoteAbilities(rawValue: 1 << 6)
    /// Tracks can be added and removed.
    public static let editTracks = RemoteAbilities(rawValue: 1 << 7)
    /// The program has a window to show.
    public static let raise = RemoteAbilities(rawValue: 1 << 8)
    /// The program can be ended.
    public static let quit = RemoteAbilities(rawValue: 1 << 9)

    /// Everything.
    public static let all: RemoteAbilities = [
        .play, .pause, .seek, .next, .previous, .adjust, .open, .editTracks, .raise, .quit,
    ]
}
