/// Why no web socket was established.
enum LinkError: Error, CustomStringConvertible {
    case closedBeforeUpgrade
    case noWebSocket
    case tooSlow(String)
    case noSecurity

    var description: String {
        switch self {
        case .closedBeforeUpgrade: "the connection ended before the server accepted it"
        case .noWebSocket: "the server has no Music Assistant at this address"
        case .tooSlow(let step): "\(step) took too long"
        case .noSecurity: "wss needs configuration.security; see the module MusicAssistantTLS"
        }
    }
}
