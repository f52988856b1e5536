/// What a player can do.
public struct PlayerFeature: OpenValue {
    /// The server's word.
    public let rawValue: String

    /// Creates a value from the server's word for it.
    public init(rawValue: String) { self.rawValue = rawValue }

    /// It can be switched on and off.
    public static let power: Self = "power"
    /// It can pause; without it, pausing stops and keeps the position.
    public static let pause: Self = "pause"
    /// Its volume can be set.
    public static let volumeSet: Self = "volume_set"
    /// It can be muted.
    public static let volumeMute: Self = "volume_mute"
    /// It can lead a group.
    public static let setMembers: Self = "set_members"
    /// It can go to a position.
    public static let seek: Self = "seek"
    /// It has a queue of its own to step through.
    public static let nextPrevious: Self = "next_previous"
    /// It plays announcements by itself.
    public static let playAnnouncement: Self = "play_announcement"
    /// It takes the next item before the present one ends.
    public static let enqueue: Self = "enqueue"
    /// It has inputs to choose from.
    public static let selectSource: Self = "select_source"
    /// It joins items without a gap.
    public static let gapless: Self = "gapless_playback"
}
