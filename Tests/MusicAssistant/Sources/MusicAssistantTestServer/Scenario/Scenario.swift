internal import Foundation

/// How the test server behaves. A value: change a copy, or give the server another one while it runs.
public struct Scenario: Sendable {
    /// Players, queues and library.
    public var home = SimulatedHome()
    /// Passwords by user name.
    public var accounts = ["admin": "secret"]
    /// Tokens that are accepted; those of logins are added.
    public var tokens: Set<String> = ["test-token"]
    /// Whether clients have to log in; servers before protocol 28 do not ask for it.
    public var asksForLogin = true
    /// Whether there is a user yet; without, the server closes every connection after its greeting.
    public var isSetUp = true
    /// Whether the first user has finished the set-up; without, the server says so and takes logins all the same.
    public var isOnboarded = true
    /// The version of the protocol.
    public var schemaVersion = 29
    /// The oldest version that the server still speaks.
    public var minimumSchemaVersion = 28
    /// More members of the server's description, or other values for those it has.
    public var descriptionMembers: [String: JSON] = [:]
    /// What the server says first.
    public var greeting = Greeting.description
    /// Whether the greeting is sent together with the end of the handshake, as real servers do at times.
    public var joinsGreetingToHandshake = true
    /// How many items a message of a partial result has.
    public var chunkSize = 500
    /// How many messages may wait for a client that does not read before it is cut off.
    public var backlogLimit = 512
    /// The longest message that is taken from a client, in bytes; a longer one closes with 1009.
    public var longestMessage = 4 << 20
    /// The time between pings; `nil` for none.
    public var pingInterval: Duration?
    /// How long the answer to a ping may take before the connection ends without a word.
    public var pongLimit: Duration = .seconds(16)
    /// Whether pings of the client are answered.
    public var answersPings = true
    /// What goes wrong with connections; all that match a connection count.
    public var connectionFaults: [ConnectionFault] = []
    /// What is unusual about replies; the first that matches a command counts.
    public var replyFaults: [ReplyFault] = []
    /// A conversation to follow; commands that it does not hold are answered as usual.
    public var transcript: Transcript?
    /// The time in seconds since 1970, for positions in queues.
    public var clock: @Sendable () -> Double = { Date().timeIntervalSince1970 }

    /// Creates the usual behaviour: a server that is set up and makes no mistake.
    public init() {}

    /// A server with these faults, otherwise as usual.
    ///
    /// - Parameters:
    ///   - replyFaults: What is unusual about replies.
    ///   - connectionFaults: What goes wrong with connections.
    public init(replyFaults: [ReplyFault] = [], connectionFaults: [ConnectionFault] = []) {
        self.replyFaults = replyFaults
        self.connectionFaults = connectionFaults
    }

    /// What the server says about itself.
    func description(status: String = "running") -> JSON {
        var json: JSON = [
            "server_id": "00112233445566778899aabbccddeeff", "server_version": "0.0.0",
            "schema_version": .int(schemaVersion), "min_supported_schema_version": .int(minimumSchemaVersion),
            // Misleading on purpose: clients have to keep the address that the user gave.
            "base_url": "http://192.0.2.1:8095", "homeassistant_addon": false,
            "onboard_done": .bool(isSetUp && isOnboarded),
            "name": nil, "status": .string(isSetUp ? status : "starting"),
        ]
        for (name, value) in descriptionMembers { json[name] = value }
        return json
    }
}
