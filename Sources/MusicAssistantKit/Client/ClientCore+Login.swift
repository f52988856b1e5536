/// Logging in and out.
extension ClientCore {
    /// The connection to log in over. Waits for an attempt that is under way; a client that gave up connects again.
    private func sessionForLogin() async throws -> Session {
        let disconnects = disconnectCount
        guard !connection.isDisconnected else { return try session() }
        let token = token
        do {
            try await connect(since: disconnects)
        } catch MusicAssistantError.tokenRejected {
            // The login creates another token.
            replaceToken(token, with: nil)
            try await connect(since: disconnects)
        }
        return try session()
    }

    /// The server closes the connections of a token before it answers that the token is gone. A connection that was lost
    /// for another reason looks the same, so the token is tried once more.
    func logout() async throws {
        let session = try session()
        let token = token
        replaceToken(token, with: nil)
        do {
            _ = try await session.send("auth/logout", [:], limit: nil)
        } catch MusicAssistantError.connectionLost(let reason) {
            guard let token, try await isStillValid(token) else { return }
            throw MusicAssistantError.connectionLost(reason: reason)
        } catch let error as MusicAssistantError where error.serverCode != nil {
            // The server refused the logout, so the token stays valid.
            replaceToken(nil, with: token)
            throw error
        }
    }

    /// Logs in with a token after a logout without a reply. A token that may still be valid is kept for another logout.
    private func isStillValid(_ token: AccessToken) async throws -> Bool {
        do {
            _ = try await authenticate(token)
            return true
        } catch MusicAssistantError.tokenRejected {
            return false
        } catch {
            replaceToken(nil, with: token)
            throw error
        }
    }

    func authenticate(_ token: AccessToken) async throws -> MusicAssistantUser? {
        let session = try await sessionForLogin()
        if let address = try? address.get() { warnOfPlainText(address) }
        let user = try await session.authenticate(token)
        self.token = token
        fetchMirrors(over: session)
        return user
    }

    func login(_ username: String, _ password: String, _ deviceName: String?) async throws -> AccessToken {
        if let address = try? address.get() { warnOfPlainText(address) }
        var args: [String: JSONValue] = ["username": .string(username), "password": .string(password)]
        args["device_name"] = deviceName.map(JSONValue.string)
        let answer = try await sessionForLogin().send("auth/login", args, limit: nil)
        let token = try AccessToken(answer, hiding: password)
        _ = try await authenticate(token)
        return token
    }
}

extension AccessToken {
    /// Reads the reply to a login. The server reports a refused login in the result, not as an error.
    ///
    /// - Parameters:
    ///   - answer: The server's reply.
    ///   - secret: The password or code that was sent; the server may repeat it in its words.
    /// - Throws: ``MusicAssistantError/loginFailed(reason:)`` when the server refuses.
    init(_ answer: JSONValue, hiding secret: String) throws {
        guard answer["success"]?.boolValue ?? true,
            let token = answer["access_token"]?.stringValue ?? answer["token"]?.stringValue
        else {
            let words = answer["error"]?.stringValue ?? "no reason given"
            throw MusicAssistantError.loginFailed(reason: words.hiding(secret))
        }
        self.init(token)
    }
}
