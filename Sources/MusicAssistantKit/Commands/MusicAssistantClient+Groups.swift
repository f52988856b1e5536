/// Group players, controls and sources.
extension MusicAssistantClient {
    /// Creates a player that is a group of other players.
    ///
    /// - Parameters:
    ///   - provider: The provider of group players, or of all members.
    ///   - name: The name to show.
    ///   - members: The identifiers of its players.
    ///   - isDynamic: Whether players may join and leave.
    /// - Returns: The player.
    /// - Throws: ``MusicAssistantError``; `CancellationError` when the calling task is cancelled.
    public nonisolated func createGroup(provider: String, name: String, members: [String], isDynamic: Bool? = nil)
        async throws -> MusicAssistantPlayer
    {
        var args: [String: JSONValue] = [
            "provider": .string(provider), "name": .string(name), "members": .array(members.map(JSONValue.string)),
        ]
        args["dynamic"] = isDynamic.map { .bool($0) }
        return try MusicAssistantPlayer(json: await call("players/create_group_player", args))
    }

    /// Removes a group that was created.
    ///
    /// - Parameter playerId: The group.
    /// - Throws: ``MusicAssistantError``; `CancellationError` when the calling task is cancelled.
    public nonisolated func removeGroup(playerId: String) async throws {
        try await call("players/remove_group_player", ["player_id": .string(playerId)])
    }

    /// Removes a player and its settings; a player that is still connected is added again.
    ///
    /// - Parameter playerId: The player.
    /// - Throws: ``MusicAssistantError``; `CancellationError` when the calling task is cancelled.
    public nonisolated func removePlayer(playerId: String) async throws {
        try await call("players/remove", ["player_id": .string(playerId)])
    }

    /// Makes a player play in sync with another one.
    ///
    /// - Parameters:
    ///   - playerId: The player.
    ///   - leader: The player that leads.
    /// - Throws: ``MusicAssistantError``; `CancellationError` when the calling task is cancelled.
    public nonisolated func group(playerId: String, leader: String) async throws {
        try await call("players/cmd/group", ["player_id": .string(playerId), "target_player": .string(leader)])
    }

    /// Makes players play in sync with another one.
    ///
    /// - Parameters:
    ///   - leader: The player that leads.
    ///   - members: The players.
    /// - Throws: ``MusicAssistantError``; `CancellationError` when the calling task is cancelled.
    public nonisolated func group(leader: String, members: [String]) async throws {
        try await call(
            "players/cmd/group_many",
            ["target_player": .string(leader), "child_player_ids": .array(members.map(JSONValue.string))])
    }

    /// Removes players from their groups.
    ///
    /// - Parameter playerIds: The players.
    /// - Throws: ``MusicAssistantError``; `CancellationError` when the calling task is cancelled.
    public nonisolated func ungroup(playerIds: [String]) async throws {
        try await call("players/cmd/ungroup_many", ["player_ids": .array(playerIds.map(JSONValue.string))])
    }

    /// Lists devices that switch players or set their volume.
    ///
    /// - Returns: The server's reply.
    /// - Throws: ``MusicAssistantError``; `CancellationError` when the calling task is cancelled.
    public nonisolated func playerControls() async throws -> [JSONValue] {
        try await call("players/player_controls").arrayValue ?? []
    }

    /// Gets one device that switches players or sets their volume.
    ///
    /// - Parameter controlId: The device.
    /// - Returns: The server's reply.
    /// - Throws: ``MusicAssistantError``; `CancellationError` when the calling task is cancelled.
    public nonisolated func playerControl(controlId: String) async throws -> JSONValue {
        try await call("players/player_control", ["control_id": .string(controlId)])
    }

    /// Lists the inputs of plugins.
    ///
    /// - Returns: The sources.
    /// - Throws: ``MusicAssistantError``; `CancellationError` when the calling task is cancelled.
    public nonisolated func pluginSources() async throws -> [PlayerSource] {
        PlayerSource.list(try await call("players/plugin_sources"))
    }

    /// Gets one input of a plugin.
    ///
    /// - Parameter sourceId: The input.
    /// - Returns: The server's reply.
    /// - Throws: ``MusicAssistantError``; `CancellationError` when the calling task is cancelled.
    public nonisolated func pluginSource(sourceId: String) async throws -> JSONValue {
        try await call("players/plugin_source", ["source_id": .string(sourceId)])
    }

    /// Gets one provider that could be set up.
    ///
    /// - Parameter provider: The provider.
    /// - Returns: The provider.
    /// - Throws: ``MusicAssistantError``; `CancellationError` when the calling task is cancelled.
    public nonisolated func providerManifest(provider: String) async throws -> ProviderManifest {
        try ProviderManifest(json: await call("providers/manifests/get", ["instance_id_or_domain": .string(provider)]))
    }
}
