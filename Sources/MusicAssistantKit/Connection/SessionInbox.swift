internal import Synchronization

/// Dispatches the messages of one connection, on the connection's thread and in the order of arrival.
final class SessionInbox: Sendable {
    let commands: PendingCommands
    /// The first message of the server.
    let greeting = Promise<ServerInfo>()

    private let clock: any ClientClock
    private let lastHeard: Mutex<Duration>
    private let log: @Sendable (LogEntry.Level, @autoclosure () -> String) -> Void
    private let happened: @Sendable (MusicAssistantEvent) -> Void
    /// Receives the date in the server's answer to the connection.
    let accepted: @Sendable (String?) -> Void

    init(
        clock: any ClientClock, log: @escaping @Sendable (LogEntry.Level, @autoclosure () -> String) -> Void,
        accepted: @escaping @Sendable (String?) -> Void, happened: @escaping @Sendable (MusicAssistantEvent) -> Void
    ) {
        self.clock = clock
        self.log = log
        self.accepted = accepted
        self.happened = happened
        commands = PendingCommands(clock: clock)
        lastHeard = Mutex(clock.uptime)
    }

    /// When the last bytes arrived.
    var heardAt: Duration { lastHeard.withLock { $0 } }

    func heard() {
        let now = clock.uptime
        lastHeard.withLock { $0 = now }
    }

    func received(_ message: UnsafeRawBufferPointer) {
        do throws(JSONSyntaxError) {
            dispatch(MessageEnvelope(json: try JSONParser.parse(message)), bytes: message.count)
        } catch {
            log(.warning, "the server sent \(message.count) bytes that are not JSON: \(error)")
        }
    }

    private func dispatch(_ envelope: MessageEnvelope, bytes: Int) {
        switch envelope {
        case .event(let event): happened(event)
        case .result(let result):
            let isAwaited = commands.succeed(result)
            log(.debug, "reply \(result.messageId), \(bytes) bytes\(isAwaited ? "" : ", which no caller waits for")")
        case .error(let response): failed(response)
        case .serverInfo(let info): greeting.succeed(info)
        case .unknown(let json):
            // A malformed reply still ends its command.
            if let id = (json["message_id"]?.stringValue).flatMap({ Int($0) }) {
                commands.fail(id, MusicAssistantError.invalidResponse)
            }
            log(.warning, "the server sent \(bytes) bytes of an unknown message")
        }
    }

    private func failed(_ response: ErrorResponse) {
        if response.errorCode == .setupRequired { greeting.fail(MusicAssistantError.setupRequired) }
        guard let id = response.messageId else {
            return log(.warning, "the server reports error \(response.errorCode?.description ?? "without a number")")
        }
        let error = MusicAssistantError.serverError(
            code: response.errorCode?.rawValue, message: response.message, details: response.details)
        commands.fail(id, error)
        log(.debug, "reply \(id): error \(response.errorCode?.description ?? "without a number")")
    }

    func ended(_ reason: String) {
        let error = MusicAssistantError.connectionLost(reason: reason)
        greeting.fail(error)
        commands.end(error)
    }
}
