/// What a stream is for, in the words of Linux desktops (`media.role`).
///
/// Sound servers decide by it what makes way for what: a server with role-cork mutes music while somebody is on the phone.
public struct AudioRole: Sendable, Hashable, Codable, RawRepresentable, ExpressibleByStringLiteral,
    CustomStringConvertible
{
    /// The role as the server knows it.
    public let rawValue: String

    /// Creates a role.
    ///
    /// - Parameter rawValue: The role as the server knows it; empty for a stream that says nothing.
    public init(rawValue: String) { self.rawValue = rawValue }

    /// Creates a role.
    ///
    /// - Parameter value: The role as the server knows it.
    public init(stringLiteral value: String) { rawValue = value }

    /// The role as the server knows it.
    public var description: String { rawValue }

    /// Music and everything that is listened to like it.
    public static let music: AudioRole = "music"
    /// Sound of a film.
    public static let video: AudioRole = "video"
    /// Text that is read aloud.
    public static let speech: AudioRole = "a11y"
    /// A short sound that tells of something.
    public static let event: AudioRole = "event"
    /// A conversation; everything else makes way for it.
    public static let phone: AudioRole = "phone"
    /// Sound of a game.
    public static let game: AudioRole = "game"
}
