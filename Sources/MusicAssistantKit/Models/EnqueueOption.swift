/// Where new items go in a queue, and whether they play at once.
public struct EnqueueOption: OpenValue {
    /// The server's word.
    public let rawValue: String

    /// Creates a value from the server's word for it.
    public init(rawValue: String) { self.rawValue = rawValue }

    /// After the present item, and plays them now.
    public static let play: Self = "play"
    /// In place of everything, and plays them now.
    public static let replace: Self = "replace"
    /// After the present item.
    public static let next: Self = "next"
    /// In place of everything after the present item.
    public static let replaceNext: Self = "replace_next"
    /// At the end.
    public static let add: Self = "add"
}
