/// Tokens, users and join codes. Most of it is for administrators of the server.
extension MusicAssistantClient {
    /// Lists the tokens of a user.
    ///
    /// - Parameter userId: The user; nil for the one that is logged in.
    /// - Returns: The tokens.
    /// - Throws: ``MusicAssistantError``; `CancellationError` when the calling task is cancelled.
    public nonisolated func getTokens(userId: String? = nil) async throws -> [TokenInfo] {
        var args: [String: JSONValue] = [:]
        args["user_id"] = userId.map { .string($0) }
        return TokenInfo.list(try await call("auth/tokens", args))
    }

    /// Ends a token; the server closes the connections that use it.
    ///
    /// - Parameter tokenId: ``TokenInfo/tokenId``.
    /// - Throws: ``MusicAssistantError``; `CancellationError` when the calling task is cancelled.
    public nonisolated func revokeToken(tokenId: String) async throws {
        try await call("auth/token/revoke", ["token_id": .string(tokenId)])
    }

    /// Lists the users.
    ///
    /// - Returns: The users.
    /// - Throws: ``MusicAssistantError``; `CancellationError` when the calling task is cancelled.
    public nonisolated func getUsers() async throws -> [MusicAssistantUser] {
        MusicAssistantUser.list(try await call("auth/users"))
    }

    /// Gets one user.
    ///
    /// - Parameter userId: The user.
    /// - Returns: The user; nil when there is none.
    /// - Throws: ``MusicAssistantError``; `CancellationError` when the calling task is cancelled.
    public nonisolated func getUser(userId: String) async throws -> MusicAssistantUser? {
        try await optional(call("auth/user", ["user_id": .string(userId)]))
    }

    /// Creates a user.
    ///
    /// - Parameters:
    ///   - username: The name to log in with.
    ///   - password: At least eight characters.
    ///   - role: `admin`, `user` or a newer role.
    ///   - displayName: The name to show.
    ///   - avatarURL: The address of a picture.
    ///   - playerFilter: The only players that the user sees.
    ///   - providerFilter: The only providers that the user sees.
    /// - Returns: The user.
    /// - Throws: ``MusicAssistantError``; `CancellationError` when the calling task is cancelled.
    public nonisolated func createUser(
        username: String, password: String, role: String? = nil, displayName: String? = nil, avatarURL: String? = nil,
        playerFilter: [String]? = nil, providerFilter: [String]? = nil
    ) async throws -> MusicAssistantUser {
        var args: [String: JSONValue] = ["username": .string(username), "password": .string(password)]
        args["role"] = role.map { .string($0) }
        args["display_name"] = displayName.map { .string($0) }
        args["avatar_url"] = avatarURL.map { .string($0) }
        args["player_filter"] = playerFilter.map { .array($0.map(JSONValue.string)) }
        args["provider_filter"] = providerFilter.map { .array($0.map(JSONValue.string)) }
        return try MusicAssistantUser(json: await call("auth/user/create", args))
    }

    /// Changes a user.
    ///
    /// - Parameters:
    ///   - userId: The user; nil for the one that is logged in.
    ///   - username: The name to log in with.
    ///   - password: At least eight characters.
    ///   - role: `admin`, `user` or a newer role.
    ///   - displayName: The name to show.
    ///   - avatarURL: The address of a picture.
    ///   - preferences: All preferences; they replace the present ones.
    ///   - playerFilter: The only players that the user sees.
    ///   - providerFilter: The only providers that the user sees.
    /// - Returns: The user.
    /// - Throws: ``MusicAssistantError``; `CancellationError` when the calling task is cancelled.
    public nonisolated func updateUser(
        userId: String? = nil, username: String? = nil, password: String? = nil, role: String? = nil,
        displayName: String? = nil, avatarURL: String? = nil, preferences: [String: JSONValue]? = nil,
        playerFilter: [String]? = nil, providerFilter: [String]? = nil
    ) async throws -> MusicAssistantUser {
        var args: [String: JSONValue] = [:]
        args["user_id"] = userId.map { .string($0) }
        args["username"] = username.map { .string($0) }
        args["password"] = password.map { .string($0) }
        args["role"] = role.map { .string($0) }
        args["display_name"] = displayName.map { .string($0) }
        args["avatar_url"] = avatarURL.map { .string($0) }
        args["preferences"] = preferences.map { .object($0) }
        args["player_filter"] = playerFilter.map { .array($0.map(JSONValue.string)) }
        args["provider_filter"] = providerFilter.map { .array($0.map(JSONValue.string)) }
        return try MusicAssistantUser(json: await call("auth/user/update", args))
    }

    /// Enables a user's login again.
    ///
    /// - Parameter userId: The user.
    /// - Throws: ``MusicAssistantError``; `CancellationError` when the calling task is cancelled.
    public nonisolated func enableUser(userId: String) async throws {
        try await call("auth/user/enable", ["user_id": .string(userId)])
    }

    /// Disables a user's login; the server closes the user's connections.
    ///
    /// - Parameter userId: The user.
    /// - Throws: ``MusicAssistantError``; `CancellationError` when the calling task is cancelled.
    public nonisolated func disableUser(userId: String) async throws {
        try await call("auth/user/disable", ["user_id": .string(userId)])
    }

    /// Removes a user.
    ///
    /// - Parameter userId: The user.
    /// - Throws: ``MusicAssistantError``; `CancellationError` when the calling task is cancelled.
    public nonisolated func deleteUser(userId: String) async throws {
        try await call("auth/user/delete", ["user_id": .string(userId)])
    }

    /// Lists the other accounts that the present user is linked with.
    ///
    /// - Returns: The server's reply.
    /// - Throws: ``MusicAssistantError``; `CancellationError` when the calling task is cancelled.
    public nonisolated func getUserProviders() async throws -> [JSONValue] {
        try await call("auth/user/providers").arrayValue ?? []
    }

    /// Ends the link of a user with another account.
    ///
    /// - Parameters:
    ///   - userId: The user.
    ///   - providerType: The kind of the other account.
    /// - Returns: Whether the link existed and was removed.
    /// - Throws: ``MusicAssistantError``; `CancellationError` when the calling task is cancelled.
    public nonisolated func unlinkProvider(userId: String, providerType: String) async throws -> Bool {
        try await value(
            call("auth/user/unlink_provider", ["user_id": .string(userId), "provider_type": .string(providerType)]),
            \.boolValue)
    }

    /// Gets the address of a page to log in at; works before the login.
    ///
    /// - Parameters:
    ///   - providerId: ``LoginProvider/providerId``.
    ///   - returnURL: The address to which the page redirects afterwards.
    /// - Returns: The server's reply.
    /// - Throws: ``MusicAssistantError``; `CancellationError` when the calling task is cancelled.
    public nonisolated func authorizationURL(providerId: String, returnURL: String? = nil) async throws -> JSONValue {
        var args: [String: JSONValue] = ["provider_id": .string(providerId)]
        args["return_url"] = returnURL.map { .string($0) }
        return try await call("auth/authorization_url", args)
    }

    /// Lists the codes with which guests log in.
    ///
    /// - Parameter userId: The user whose codes to list; nil for all.
    /// - Returns: The codes.
    /// - Throws: ``MusicAssistantError``; `CancellationError` when the calling task is cancelled.
    public nonisolated func getJoinCodes(userId: String? = nil) async throws -> [JoinCode] {
        var args: [String: JSONValue] = [:]
        args["user_id"] = userId.map { .string($0) }
        return JoinCode.list(try await call("auth/join_codes", args))
    }

    /// Exchanges a code for a token; works before the login.
    ///
    /// Log in with the token: ``authenticate(token:)``.
    ///
    /// - Parameter code: The code.
    /// - Returns: The token.
    /// - Throws: ``MusicAssistantError/loginFailed(reason:)`` when the server refuses the code; other
    ///   ``MusicAssistantError``; `CancellationError` when the calling task is cancelled.
    public nonisolated func exchangeJoinCode(code: String) async throws -> AccessToken {
        try AccessToken(await call("auth/join_code/exchange", ["code": .string(code)]), hiding: code)
    }

    /// Ends a code.
    ///
    /// - Parameter codeId: ``JoinCode/codeId``.
    /// - Throws: ``MusicAssistantError``; `CancellationError` when the calling task is cancelled.
    public nonisolated func revokeJoinCode(codeId: String) async throws {
        try await call("auth/join_code/revoke", ["code_id": .string(codeId)])
    }

    /// Returns whether the server can be reached from other networks.
    ///
    /// - Returns: The server's reply.
    /// - Throws: ``MusicAssistantError``; `CancellationError` when the calling task is cancelled.
    public nonisolated func remoteAccess() async throws -> RemoteAccessInfo {
        try RemoteAccessInfo(json: await call("remote_access/info"))
    }

    /// Sets whether the server can be reached from other networks.
    ///
    /// - Parameter enabled: Whether remote access is on.
    /// - Returns: The server's reply.
    /// - Throws: ``MusicAssistantError``; `CancellationError` when the calling task is cancelled.
    public nonisolated func setRemoteAccess(enabled: Bool) async throws -> RemoteAccessInfo {
        try RemoteAccessInfo(json: await call("remote_access/configure", ["enabled": .bool(enabled)]))
    }
}
