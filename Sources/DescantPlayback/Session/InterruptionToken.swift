/// What a client was like when a session paused it, so that it can tell later whether anybody has touched it since.
public struct InterruptionToken: Sendable, Hashable {
    /// How many commands of a person the client had carried out.
    public let commands: UInt64

    /// Creates a mark; clients do this.
    ///
    /// - Parameter commands: How many commands of a person the client has carried out so far.
    public init(commands: UInt64) { self.commands = commands }
}
