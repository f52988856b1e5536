/// The server and its users.
extension MusicAssistantClient {
    /// Gets the server's description.
    ///
    /// - Returns: The server's reply.
    /// - Throws: ``MusicAssistantError``; `CancellationError` when the calling task is cancelled.
    public nonisolated func info() async throws -> ServerInfo {
        try ServerInfo(json: await call("info"))
    }

    /// Lists the ways to log in; works before the login.
    ///
    /// - Returns: The login providers.
    /// - Throws: ``MusicAssistantError``; `CancellationError` when the calling task is cancelled.
    public nonisolated func loginProviders() async throws -> [LoginProvider] {
        LoginProvider.list(try await call("auth/providers"))
    }

    /// Gets the user who is logged in.
    ///
    /// - Returns: The user.
    /// - Throws: ``MusicAssistantError``; `CancellationError` when the calling task is cancelled.
    public nonisolated func me() async throws -> MusicAssistantUser {
        try MusicAssistantUser(json: await call("auth/me"))
    }

    /// Creates a long-lived token for a device or program.
    ///
    /// - Parameter name: The name under which the server lists it.
    /// - Returns: The token.
    /// - Throws: ``MusicAssistantError``; `CancellationError` when the calling task is cancelled.
    public nonisolated func createToken(name: String) async throws -> AccessToken {
        AccessToken(try await value(call("auth/token/create", ["name": .string(name)]), \.stringValue))
    }

    /// Lists the providers that are set up.
    ///
    /// - Parameter type: The type to list, such as `music` or `player`; nil for all.
    /// - Returns: The providers.
    /// - Throws: ``MusicAssistantError``; `CancellationError` when the calling task is cancelled.
    public nonisolated func getProviders(type: String? = nil) async throws -> [MusicAssistantProvider] {
        var args: [String: JSONValue] = [:]
        args["provider_type"] = type.map { .string($0) }
        return MusicAssistantProvider.list(try await call("providers", args))
    }

    /// Lists the providers that could be set up.
    ///
    /// - Returns: The providers.
    /// - Throws: ``MusicAssistantError``; `CancellationError` when the calling task is cancelled.
    public nonisolated func providerManifests() async throws -> [ProviderManifest] {
        ProviderManifest.list(try await call("providers/manifests"))
    }

    /// Logs out: the server revokes the token, and the client removes it.
    ///
    /// The server closes the connections of the token. The client reconnects without a login.
    ///
    /// - Throws: ``MusicAssistantError``; `CancellationError` when the calling task is cancelled. After
    ///   ``MusicAssistantError/connectionLost(reason:)`` the server may not have revoked the token, and the client keeps it
    ///   for another logout.
    public nonisolated func logout() async throws {
        try await core.logout()
    }

    /// Converts a result, or throws an error that names the type.
    nonisolated func value<Value>(_ result: JSONValue, _ read: (JSONValue) -> Value?) throws -> Value {
        guard let value = read(result) else {
            throw MusicAssistantError.decodingFailed(
                JSONModelError(model: "\(Value.self)", problem: "cannot be made of \(result.kind)"))
        }
        return value
    }

    /// Converts a result that may be `null`.
    nonisolated func optional<Model: JSONModel>(_ result: JSONValue) throws -> Model? {
        result.isNull ? nil : try Model(json: result)
    }
}
