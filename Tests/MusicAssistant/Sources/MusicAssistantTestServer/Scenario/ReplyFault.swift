/// A fault in the reply to a command.
public struct ReplyFault: Sendable, Hashable {
    /// The kind of fault.
    public enum Action: Sendable, Hashable {
        /// The reply is delayed.
        case delay(Duration)
        /// The reply is held until the test releases it, see ``MusicAssistantTestServer/release(_:)``.
        case hold
        /// There is no reply.
        case drop
        /// The reply is sent this number of times.
        case duplicate(times: Int)
        /// This number of replies is collected and sent in reverse order; fewer are sent after one second.
        case reverse(count: Int)
        /// The reply has this result; the command is not run.
        case result(JSON)
        /// The reply is this error; the command is not run.
        case error(ServerError)
        /// These texts are sent instead of the reply, each as one message.
        case texts([String])
        /// These bytes are sent as a binary message before the reply.
        case binary([UInt8])
        /// These events are sent before the reply.
        case events([ServerEvent])
        /// An unknown member is added to the reply, so that the message has at least this number of bytes.
        case pad(bytes: Int)
        /// The reply is sent in fragments of this number of bytes.
        case fragment(bytes: Int)
        /// The connection is closed with this code instead of a reply.
        case close(code: Int)
        /// The connection ends after this number of bytes of the reply's frame.
        case cut(afterBytes: Int)
    }

    /// The affected command; `nil` for all.
    public var command: String?
    /// The affected connection, counted from 0 since the server was created; `nil` for all.
    public var connection: Int?
    /// The number of matching commands before the first affected one.
    public var skips: Int
    /// The number of affected commands; `nil` for all.
    public var times: Int?
    /// The kind of fault.
    public var action: Action

    /// Creates a fault.
    ///
    /// - Parameters:
    ///   - action: The kind of fault.
    ///   - command: The affected command; `nil` for all.
    ///   - connection: The affected connection; `nil` for all.
    ///   - skips: The number of matching commands before the first affected one.
    ///   - times: The number of affected commands; `nil` for all.
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
