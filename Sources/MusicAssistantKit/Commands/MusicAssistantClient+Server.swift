/// The server and its users.
extension MusicAssistantClient {
    /// Asks the server about itself.
    ///
    /// - Returns: What the server says.
    /// - Throws: ``MusicAssistantError``; `CancellationError` when the calling task is cancelled.
    public nonisolated func info() async throws -> ServerInfo {
        try ServerInfo(json: await call("info"))
    }

    /// Lists the ways to log in; works before the login.
    ///
    /// - Returns: The ways.
    /// - Throws: ``MusicAssistantError``; `CancellationError` when the calling task is cancelled.
    public nonisolated func loginProviders() async throws -> [LoginProvider] {
        LoginProvider.list(try await call("auth/providers"))
    }

    /// Asks who is logged in.
    ///
    /// - Returns: The user.
    /// - Throws: ``MusicAssistantError``; `CancellationError` when the calling task is cancelled.
    public nonisolated func me() async throws -> MusicAssistantUser {
        try MusicAssistantUser(json: await call("auth/me"))
    }

    /// Makes a token that lasts, for a device or program.
    ///
    /// - Parameter name: What the server lists it as.
    /// - Returns: The token.
    /// - Throws: ``MusicAssistantError``; `CancellationError` when the calling task is cancelled.
    public nonisolated func createToken(name: String) async throws -> AccessToken {
        AccessToken(try await value(call("auth/token/create", ["name": .string(name)]), \.stringValue))
    }

    /// Lists the providers that are set up.
    ///
    /// - Parameter type: Only `music`, `player`, …
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

    /// Ends the login; the token is not valid any more and is forgotten.
    ///
    /// The server closes the connections of the token. This one is made again without a login.
    ///
    /// - Throws: ``MusicAssistantError``; `CancellationError` when the calling task is cancelled.
    public nonisolated func logout() async throws {
        try await core.logout()
    }

    /// A result that has to be of a kind.
    nonisolated func value<Value>(_ result: JSONValue, _ read: (JSONValue) -> Value?) throws -> Value {
        guard let value = read(result) else {
            throw MusicAssistantError.decodingFailed(
                JSONModelError(model: "\(Value.self)", problem: "cannot be made of \(result.kind)"))
        }
        return value
    }

    /// A result that may be missing.
    nonisolated func optional<Model: JSONModel>(_ result: JSONValue) throws -> Model? {
        result.isNull ? nil : try Model(json: result)
    }
}
