/// What a queue does at the end of an item.
public struct MusicAssistantRepeatMode: OpenValue {
    /// The server's word.
    public let rawValue: String

    /// Creates a value from the server's word for it.
    public init(rawValue: String) { self.rawValue = rawValue }

    /// Goes on, and stops at the end.
    public static let off: Self = "off"
    /// Plays the item again.
    public static let one: Self = "one"
    /// Goes on, and begins again at the end.
    public static let all: Self = "all"
}
