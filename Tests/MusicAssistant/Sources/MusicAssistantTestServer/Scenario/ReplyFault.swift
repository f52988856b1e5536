/// Something unusual about the reply to a command.
public struct ReplyFault: Sendable, Hashable {
    /// What is unusual.
    public enum Action: Sendable, Hashable {
        /// The reply comes later.
        case delay(Duration)
        /// The reply comes when the test says so, see ``MusicAssistantTestServer/release(_:)``.
        case hold
        /// There is no reply.
        case drop
        /// The reply comes so many times in all.
        case duplicate(times: Int)
        /// So many replies are gathered and come in reverse; fewer than that come after a second.
        case reverse(count: Int)
        /// This is the result; the command does not run.
        case result(JSON)
        /// The command fails; it does not run.
        case error(ServerError)
        /// These texts come instead of the reply, each as one message.
        case texts([String])
        /// These bytes come as a binary message in front of the reply.
        case binary([UInt8])
        /// These events come in front of the reply.
        case events([ServerEvent])
        /// The reply gets a member that nobody knows, so long that the message has at least so many bytes.
        case pad(bytes: Int)
        /// The reply's frame is sent in fragments of so many bytes.
        case fragment(bytes: Int)
        /// The connection is closed with this code instead of a reply.
        case close(code: Int)
        /// The connection ends after so many bytes of the reply's frame.
        case cut(afterBytes: Int)
    }

    /// The command that it is for; `nil` for every one.
    public var command: String?
    /// The connection that it is for, counted from 0 since the server was made; `nil` for every one.
    public var connection: Int?
    /// How many commands it passes over.
    public var skips: Int
    /// How many commands it is for; `nil` for all that come.
    public var times: Int?
    /// What is unusual.
    public var action: Action

    /// Creates a fault.
    ///
    /// - Parameters:
    ///   - action: What is unusual.
    ///   - command: The command that it is for; `nil` for every one.
    ///   - connection: The connection that it is for; `nil` for every one.
    ///   - skips: How many such commands it passes over.
    ///   - times: How many such commands it is for; `nil` for all that come.
    public init(
        _ action: Action, on command: String? = nil, connection: Int? = nil, skips: Int = 0, times: Int? = nil
    ) {
        self.action = action
        self.command = command
        self.connection = connection
        self.skips = skips
        self.times = times
    }
}
