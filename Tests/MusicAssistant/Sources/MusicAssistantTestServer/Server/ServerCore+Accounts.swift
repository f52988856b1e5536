/// Users, logins and tokens.
extension ServerCore {
    static let loginProviders: JSON = [
        ["provider_id": "builtin", "provider_type": "builtin", "requires_redirect": false]
    ]

    static func user(_ name: String) -> JSON {
        [
            "user_id": "user-1", "username": .string(name), "role": "admin", "enabled": true,
            "created_at": "2026-01-02T03:04:05.678901+00:00", "display_name": nil, "avatar_url": nil,
            "preferences": [:], "provider_filter": [], "player_filter": [],
        ]
    }

    /// The reply to a command about the account or the server itself, and to any command before the client has
    /// authenticated; `nil` for all others.
    func accountReply(to request: ReceivedCommand, from session: ClientConnection) -> CommandReply? {
        switch request.name {
        case "auth": return authenticate(session, request.arguments)
        case "auth/login": return logIn(request.arguments)
        case "auth/providers": return .result(Self.loginProviders)
        default: break
        }
        guard session.isAuthenticated else { return .failure(.authenticationRequired) }
        switch request.name {
        case "info": return .result(scenario.description())
        case "auth/me": return .result(Self.user(session.userName))
        case "auth/logout":
            // A real server also closes the sockets of a revoked token before it answers.
            if let token = session.token { revoke(token) }
            return .result(.null)
        case "auth/token/create":
            guard request.arguments["name"]?.string != nil else {
                return .failure(CommandArguments.missing("name", "str"))
            }
            return .result(.string(newToken()))
        case "providers", "providers/manifests": return .result([])
        default: return nil
        }
    }

    private func authenticate(_ session: ClientConnection, _ arguments: [String: JSON]) -> CommandReply {
        guard let token = arguments["token"]?.string ?? arguments["access_token"]?.string else {
            return .failure(ServerError(20, "token required"))
        }
        guard tokens.contains(token) else { return .failure(.invalidToken) }
        session.authenticate(token: token, as: session.userName)
        noteChange()
        return .result(["authenticated": true, "user": Self.user(session.userName)])
    }

    private func logIn(_ arguments: [String: JSON]) -> CommandReply {
        let (user, password) = (arguments["username"]?.string ?? "", arguments["password"]?.string ?? "")
        guard let token = logIn(user, password) else {
            return .result(["success": false, "error": "Invalid username or password"])
        }
        return .result(["success": true, "access_token": .string(token), "user": Self.user(user)])
    }
}
