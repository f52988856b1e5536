internal import Foundation

/// The behaviour of the test server. A running server can be given another scenario.
public struct Scenario: Sendable {
    /// Players, queues and library.
    public var home = SimulatedHome()
    /// Passwords by user name.
    public var accounts = ["admin": "secret"]
    /// Tokens that are accepted; those of logins are added.
    public var tokens: Set<String> = ["test-token"]
    /// Whether clients have to log in; servers before protocol 28 do not require it.
    public var asksForLogin = true
    /// Whether a user exists; if not, the server closes every connection after its greeting.
    public var isSetUp = true
    /// Whether the set-up is finished; if not, the server reports it and accepts logins.
    public var isOnboarded = true
    /// The version of the protocol.
    public var schemaVersion = 29
    /// The oldest supported version.
    public var minimumSchemaVersion = 28
    /// Members that are added to the server's description or replaced in it.
    public var descriptionMembers: [String: JSON] = [:]
    /// The first message of the server.
    public var greeting = Greeting.description
    /// Whether the greeting is sent together with the end of the handshake, as real servers sometimes do.
    public var joinsGreetingToHandshake = true
    /// The number of items in a message of a partial result.
    public var chunkSize = 500
    /// The maximum number of unsent messages; a client that reads too slowly is disconnected.
    public var backlogLimit = 512
    /// The maximum length of a client's message in bytes; a longer one closes the connection with code 1009.
    public var longestMessage = 4 << 20
    /// The time between pings; `nil` for none.
    public var pingInterval: Duration?
    /// The time after which a ping without an answer ends the connection without a close frame.
    public var pongLimit: Duration = .seconds(16)
    /// Whether pings of the client are answered.
    public var answersPings = true
    /// The faults of connections; all that match a connection are applied.
    public var connectionFaults: [ConnectionFault] = []
    /// The faults of replies; the first one that matches a command is applied.
    public var replyFaults: [ReplyFault] = []
    /// A recorded conversation to repeat; other commands are answered as usual.
    public var transcript: Transcript?
    /// The time in seconds since 1970, for positions in queues.
    public var clock: @Sendable () -> Double = { Date().timeIntervalSince1970 }

    /// Creates the default scenario: a server that is set up, without faults.
    public init() {}

    /// The default scenario with faults.
    ///
    /// - Parameters:
    ///   - replyFaults: The faults of replies.
    ///   - connectionFaults: The faults of connections.
    public init(replyFaults: [ReplyFault] = [], connectionFaults: [ConnectionFault] = []) {
        self.replyFaults = replyFaults
        self.connectionFaults = connectionFaults
    }

    /// The description of the server.
    func description(status: String = "running") -> JSON {
        var json: JSON = [
            "server_id": "00112233445566778899aabbccddeeff", "server_version": "0.0.0",
            "schema_version": .int(schemaVersion), "min_supported_schema_version": .int(minimumSchemaVersion),
            // A wrong address on purpose: clients have to use the address that the user gave.
            "base_url": "http://192.0.2.1:8095", "homeassistant_addon": false,
            "onboard_done": .bool(isSetUp && isOnboarded),
            "name": nil, "status": .string(isSetUp ? status : "starting"),
        ]
        for (name, value) in descriptionMembers { json[name] = value }
        return json
    }
}
