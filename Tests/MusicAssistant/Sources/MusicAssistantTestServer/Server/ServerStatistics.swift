/// The counts of a test server since it was created.
public struct ServerStatistics: Sendable, Hashable {
    /// Connections that were accepted.
    public internal(set) var connections = 0
    /// Web sockets that are open now.
    public internal(set) var openConnections = 0
    /// Received commands.
    public internal(set) var commands = 0
    /// Received answers to pings.
    public internal(set) var pongs = 0
}
