/// The status of a server.
public struct ServerStatus: OpenValue {
    /// The server's text for this value.
    public let rawValue: String

    /// Creates a value from the server's text.
    public init(rawValue: String) { self.rawValue = rawValue }

    /// It starts; some providers are not loaded yet.
    public static let starting: Self = "starting"
    /// It runs.
    public static let running: Self = "running"
    /// It is stopping.
    public static let stopping: Self = "stopping"
    /// It has stopped.
    public static let stopped: Self = "stopped"
}
