/// A feature of a player.
public struct PlayerFeature: OpenValue {
    /// The server's text for this value.
    public let rawValue: String

    /// Creates a value from the server's text.
    public init(rawValue: String) { self.rawValue = rawValue }

    /// It can be switched on and off.
    public static let power: Self = "power"
    /// It can pause; without it, pausing stops and keeps the position.
    public static let pause: Self = "pause"
    /// Its volume can be set.
    public static let volumeSet: Self = "volume_set"
    /// It can be muted.
    public static let volumeMute: Self = "volume_mute"
    /// It can be the leader of a group.
    public static let setMembers: Self = "set_members"
    /// It can seek.
    public static let seek: Self = "seek"
    /// It can skip to the next and previous item.
    public static let nextPrevious: Self = "next_previous"
    /// It supports announcements natively.
    public static let playAnnouncement: Self = "play_announcement"
    /// It accepts the next item before the present one ends.
    public static let enqueue: Self = "enqueue"
    /// Its input can be selected.
    public static let selectSource: Self = "select_source"
    /// It plays items without a gap.
    public static let gapless: Self = "gapless_playback"
}
