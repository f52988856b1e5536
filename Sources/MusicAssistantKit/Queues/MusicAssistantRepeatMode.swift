/// What a queue does at the end of an item.
public struct MusicAssistantRepeatMode: OpenValue {
    /// The server's text for this value.
    public let rawValue: String

    /// Creates a value from the server's text.
    public init(rawValue: String) { self.rawValue = rawValue }

    /// Plays the next item, and stops at the end of the queue.
    public static let off: Self = "off"
    /// Repeats the item.
    public static let one: Self = "one"
    /// Plays the next item, and starts again at the end of the queue.
    public static let all: Self = "all"
}
