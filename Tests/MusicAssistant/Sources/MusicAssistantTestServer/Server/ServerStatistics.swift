/// What a test server has seen since it was made.
public struct ServerStatistics: Sendable, Hashable {
    /// Connections that were accepted.
    public internal(set) var connections = 0
    /// Web sockets that are open now.
    public internal(set) var openConnections = 0
    /// Commands that came.
    public internal(set) var commands = 0
    /// Answers to pings that came.
    public internal(set) var pongs = 0
}
