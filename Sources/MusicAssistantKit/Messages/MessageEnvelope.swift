/// A message of a server, by its type.
public enum MessageEnvelope: Sendable, Hashable {
    /// The greeting of a connection.
    case serverInfo(ServerInfo)
    /// The reply to a command that succeeded.
    case result(ResultMessage)
    /// The reply to a command that failed.
    case error(ErrorResponse)
    /// An event.
    case event(MusicAssistantEvent)
    /// A message of an unknown type.
    case unknown(JSONValue)

    /// Determines the type of a message.
    ///
    /// Unknown fields, which newer servers may add, are ignored.
    ///
    /// - Parameter json: One message.
    public init(json: JSONValue) {
        guard case .object(let members) = json else {
            self = .unknown(json)
            return
        }
        if let kind = members["event"]?.stringValue {
            let event = MusicAssistantEvent(
                event: EventKind(rawValue: kind), objectId: members["object_id"]?.stringValue,
                data: members["data"] ?? .null)
            self = .event(event)
        } else if let id = members["message_id"] {
            self = Self.reply(to: id, members) ?? .unknown(json)
        } else if members["server_version"] != nil, let info = try? ServerInfo(json: json) {
            self = .serverInfo(info)
        } else {
            self = .unknown(json)
        }
    }

    /// Servers send numbers back as text; very old ones sent them as numbers.
    private static func reply(to id: JSONValue, _ members: [String: JSONValue]) -> MessageEnvelope? {
        let messageId = id.intValue ?? id.stringValue.flatMap { Int($0) }
        if members["error_code"] != nil || members["error"] != nil {
            let details = members["details"]
            let message = members["error"]?.stringValue ?? details?.stringValue ?? "no reason given"
            let response = ErrorResponse(
                messageId: messageId, errorCode: members["error_code"]?.intValue.map(ServerErrorCode.init(rawValue:)),
                message: message, details: details.flatMap { $0.isNull ? nil : $0 })
            return .error(response)
        }
        guard let messageId, let result = members["result"] else { return nil }
        let isPartial = members["partial"]?.boolValue ?? false
        return .result(ResultMessage(messageId: messageId, result: result, isPartial: isPartial))
    }
}
