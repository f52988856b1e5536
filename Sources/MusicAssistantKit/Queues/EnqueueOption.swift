/// Where new items are added to a queue, and whether they are played at once.
public struct EnqueueOption: OpenValue {
    /// The server's text for this value.
    public let rawValue: String

    /// Creates a value from the server's text.
    public init(rawValue: String) { self.rawValue = rawValue }

    /// Adds the items after the present one, and plays them now.
    public static let play: Self = "play"
    /// Replaces all items, and plays the new ones now.
    public static let replace: Self = "replace"
    /// Adds the items after the present one.
    public static let next: Self = "next"
    /// Replaces all items after the present one.
    public static let replaceNext: Self = "replace_next"
    /// Adds the items at the end.
    public static let add: Self = "add"
}
