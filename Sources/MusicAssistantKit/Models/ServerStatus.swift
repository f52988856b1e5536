/// What a server says of itself.
public struct ServerStatus: OpenValue {
    /// The server's word.
    public let rawValue: String

    /// Creates a value from the server's word for it.
    public init(rawValue: String) { self.rawValue = rawValue }

    /// It starts; some providers are not there yet.
    public static let starting: Self = "starting"
    /// It runs.
    public static let running: Self = "running"
    /// It ends.
    public static let stopping: Self = "stopping"
    /// It has ended.
    public static let stopped: Self = "stopped"
}
