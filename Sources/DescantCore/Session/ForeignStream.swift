/// A stream that another program plays on the same server.
public struct ForeignStream: Sendable, Hashable, Codable {
    /// The server's number for it; unique while the server lives.
    public var identifier: UInt32
    /// The program's name; empty when it gives none.
    public var application: String
    /// What it is for; empty when the program does not say.
    public var role: AudioRole

    /// Creates a description.
    ///
    /// - Parameters:
    ///   - identifier: The server's number for it.
    ///   - application: The program's name.
    ///   - role: What it is for.
    public init(identifier: UInt32, application: String = "", role: AudioRole = "") {
        self.identifier = identifier
        self.application = application
        self.role = role
    }
}
