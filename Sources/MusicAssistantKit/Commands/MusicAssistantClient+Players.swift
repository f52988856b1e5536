public import Foundation

/// Players.
extension MusicAssistantClient {
    /// Lists the players.
    ///
    /// - Parameters:
    ///   - includeUnavailable: Whether unavailable players are listed.
    ///   - includeDisabled: Whether disabled players are listed.
    /// - Returns: The players.
    /// - Throws: ``MusicAssistantError``; `CancellationError` when the calling task is cancelled.
    public nonisolated func getPlayers(includeUnavailable: Bool = true, includeDisabled: Bool? = nil) async throws
        -> [MusicAssistantPlayer]
    {
        var args: [String: JSONValue] = ["return_unavailable": .bool(includeUnavailable)]
        args["return_disabled"] = includeDisabled.map { .bool($0) }
        return MusicAssistantPlayer.list(try await call("players/all", args))
    }

    /// Gets one player.
    ///
    /// - Parameters:
    ///   - playerId: The player.
    ///   - mustBeAvailable: Whether an unavailable player is an error.
    /// - Returns: The player; nil when there is none.
    /// - Throws: ``MusicAssistantError``; `CancellationError` when the calling task is cancelled.
    public nonisolated func getPlayer(playerId: String, mustBeAvailable: Bool? = nil) async throws
        -> MusicAssistantPlayer?
    {
        var args: [String: JSONValue] = ["player_id": .string(playerId)]
        args["raise_unavailable"] = mustBeAvailable.map { .bool($0) }
        return try await optional(call("players/get", args))
    }

    /// Gets one player.
    ///
    /// - Parameter name: The name of the player.
    /// - Returns: The player; nil when there is none.
    /// - Throws: ``MusicAssistantError``; `CancellationError` when the calling task is cancelled.
    public nonisolated func getPlayer(name: String) async throws -> MusicAssistantPlayer? {
        try await optional(call("players/get_by_name", ["name": .string(name)]))
    }

    /// Resumes playback.
    ///
    /// - Parameter playerId: The player.
    /// - Throws: ``MusicAssistantError``; `CancellationError` when the calling task is cancelled.
    public nonisolated func play(playerId: String) async throws {
        try await call("players/cmd/play", ["player_id": .string(playerId)])
    }

    /// Pauses; a player that cannot pause stops and keeps the position.
    ///
    /// - Parameter playerId: The player.
    /// - Throws: ``MusicAssistantError``; `CancellationError` when the calling task is cancelled.
    public nonisolated func pause(playerId: String) async throws {
        try await call("players/cmd/pause", ["player_id": .string(playerId)])
    }

    /// Stops.
    ///
    /// - Parameter playerId: The player.
    /// - Throws: ``MusicAssistantError``; `CancellationError` when the calling task is cancelled.
    public nonisolated func stop(playerId: String) async throws {
        try await call("players/cmd/stop", ["player_id": .string(playerId)])
    }

    /// Resumes a paused player, pauses a playing one.
    ///
    /// - Parameter playerId: The player.
    /// - Throws: ``MusicAssistantError``; `CancellationError` when the calling task is cancelled.
    public nonisolated func playPause(playerId: String) async throws {
        try await call("players/cmd/play_pause", ["player_id": .string(playerId)])
    }

    /// Skips to the next item.
    ///
    /// - Parameter playerId: The player.
    /// - Throws: ``MusicAssistantError``; `CancellationError` when the calling task is cancelled.
    public nonisolated func next(playerId: String) async throws {
        try await call("players/cmd/next", ["player_id": .string(playerId)])
    }

    /// Skips to the previous item.
    ///
    /// - Parameter playerId: The player.
    /// - Throws: ``MusicAssistantError``; `CancellationError` when the calling task is cancelled.
    public nonisolated func previous(playerId: String) async throws {
        try await call("players/cmd/previous", ["player_id": .string(playerId)])
    }

    /// Makes the player louder by a step.
    ///
    /// - Parameter playerId: The player.
    /// - Throws: ``MusicAssistantError``; `CancellationError` when the calling task is cancelled.
    public nonisolated func volumeUp(playerId: String) async throws {
        try await call("players/cmd/volume_up", ["player_id": .string(playerId)])
    }

    /// Makes the player softer by a step.
    ///
    /// - Parameter playerId: The player.
    /// - Throws: ``MusicAssistantError``; `CancellationError` when the calling task is cancelled.
    public nonisolated func volumeDown(playerId: String) async throws {
        try await call("players/cmd/volume_down", ["player_id": .string(playerId)])
    }

    /// Makes the group louder by a step.
    ///
    /// - Parameter playerId: The player.
    /// - Throws: ``MusicAssistantError``; `CancellationError` when the calling task is cancelled.
    public nonisolated func groupVolumeUp(playerId: String) async throws {
        try await call("players/cmd/group_volume_up", ["player_id": .string(playerId)])
    }

    /// Makes the group softer by a step.
    ///
    /// - Parameter playerId: The player.
    /// - Throws: ``MusicAssistantError``; `CancellationError` when the calling task is cancelled.
    public nonisolated func groupVolumeDown(playerId: String) async throws {
        try await call("players/cmd/group_volume_down", ["player_id": .string(playerId)])
    }

    /// Removes the player from its group.
    ///
    /// - Parameter playerId: The player.
    /// - Throws: ``MusicAssistantError``; `CancellationError` when the calling task is cancelled.
    public nonisolated func ungroup(playerId: String) async throws {
        try await call("players/cmd/ungroup", ["player_id": .string(playerId)])
    }

    /// Plays the last source or media of the player again.
    ///
    /// - Parameters:
    ///   - playerId: The player.
    ///   - source: The input to resume.
    ///   - media: The media to resume.
    /// - Throws: ``MusicAssistantError``; `CancellationError` when the calling task is cancelled.
    public nonisolated func resume(playerId: String, source: String? = nil, media: JSONValue? = nil) async throws {
        var args: [String: JSONValue] = ["player_id": .string(playerId)]
        args["source"] = source.map { .string($0) }
        args["media"] = media
        try await call("players/cmd/resume", args)
    }

    /// Seeks to a position in the present item.
    ///
    /// - Parameters:
    ///   - playerId: The player.
    ///   - position: Seconds from the beginning.
    /// - Throws: ``MusicAssistantError``; `CancellationError` when the calling task is cancelled.
    public nonisolated func seek(playerId: String, position: Int) async throws {
        try await call("players/cmd/seek", ["player_id": .string(playerId), "position": .int(position)])
    }

    /// Sets the volume of a player.
    ///
    /// - Parameters:
    ///   - playerId: The player.
    ///   - volume: 0…100; the server refuses others.
    /// - Throws: ``MusicAssistantError``; `CancellationError` when the calling task is cancelled.
    public nonisolated func setVolume(playerId: String, volume: Int) async throws {
        try await call("players/cmd/volume_set", ["player_id": .string(playerId), "volume_level": .int(volume)])
    }

    /// Sets the volume of a group; the differences between its players are kept.
    ///
    /// - Parameters:
    ///   - playerId: The player.
    ///   - volume: 0…100.
    /// - Throws: ``MusicAssistantError``; `CancellationError` when the calling task is cancelled.
    public nonisolated func setGroupVolume(playerId: String, volume: Int) async throws {
        try await call("players/cmd/group_volume", ["player_id": .string(playerId), "volume_level": .int(volume)])
    }

    /// Mutes or unmutes a player.
    ///
    /// - Parameters:
    ///   - playerId: The player.
    ///   - muted: Whether it is muted.
    /// - Throws: ``MusicAssistantError``; `CancellationError` when the calling task is cancelled.
    public nonisolated func setMuted(playerId: String, muted: Bool) async throws {
        try await call("players/cmd/volume_mute", ["player_id": .string(playerId), "muted": .bool(muted)])
    }

    /// Mutes or unmutes a group.
    ///
    /// - Parameters:
    ///   - playerId: The player.
    ///   - muted: Whether it is muted.
    /// - Throws: ``MusicAssistantError``; `CancellationError` when the calling task is cancelled.
    public nonisolated func setGroupMuted(playerId: String, muted: Bool) async throws {
        try await call("players/cmd/group_volume_mute", ["player_id": .string(playerId), "muted": .bool(muted)])
    }

    /// Switches a player on or off.
    ///
    /// - Parameters:
    ///   - playerId: The player.
    ///   - powered: Whether it is switched on.
    /// - Throws: ``MusicAssistantError``; `CancellationError` when the calling task is cancelled.
    public nonisolated func setPower(playerId: String, powered: Bool) async throws {
        try await call("players/cmd/power", ["player_id": .string(playerId), "powered": .bool(powered)])
    }

    /// Chooses an input of a player.
    ///
    /// - Parameters:
    ///   - playerId: The player.
    ///   - source: One of ``MusicAssistantPlayer/sources``.
    /// - Throws: ``MusicAssistantError``; `CancellationError` when the calling task is cancelled.
    public nonisolated func selectSource(playerId: String, source: String) async throws {
        try await call("players/cmd/select_source", ["player_id": .string(playerId), "source": .string(source)])
    }

    /// Chooses a sound mode of a player.
    ///
    /// - Parameters:
    ///   - playerId: The player.
    ///   - soundMode: The identifier of the mode.
    /// - Throws: ``MusicAssistantError``; `CancellationError` when the calling task is cancelled.
    public nonisolated func selectSoundMode(playerId: String, soundMode: String) async throws {
        try await call(
            "players/cmd/select_sound_mode", ["player_id": .string(playerId), "sound_mode": .string(soundMode)])
    }

    /// Sets an option of a player.
    ///
    /// - Parameters:
    ///   - playerId: The player.
    ///   - key: The key of the option.
    ///   - value: Its new value.
    /// - Throws: ``MusicAssistantError``; `CancellationError` when the calling task is cancelled.
    public nonisolated func setOption(playerId: String, key: String, value: JSONValue) async throws {
        try await call(
            "players/cmd/set_option",
            ["player_id": .string(playerId), "option_key": .string(key), "option_value": value])
    }

    /// Changes the players that play in sync with a player.
    ///
    /// - Parameters:
    ///   - playerId: The player that leads.
    ///   - adding: The players to add; see ``MusicAssistantPlayer/canGroupWith``.
    ///   - removing: The players to remove.
    /// - Throws: ``MusicAssistantError``; `CancellationError` when the calling task is cancelled.
    public nonisolated func group(playerId: String, adding: [String]? = nil, removing: [String]? = nil) async throws {
        var args: [String: JSONValue] = ["target_player": .string(playerId)]
        args["player_ids_to_add"] = adding.map { .array($0.map(JSONValue.string)) }
        args["player_ids_to_remove"] = removing.map { .array($0.map(JSONValue.string)) }
        try await call("players/cmd/set_members", args)
    }

    /// Plays an announcement on a player, over its present item.
    ///
    /// The server replies when the announcement has ended, so the time limit is two minutes.
    ///
    /// - Parameters:
    ///   - playerId: The player.
    ///   - url: The address of the announcement.
    ///   - chime: Whether a chime is played first.
    ///   - volume: The volume of the announcement, 0…100; nil for the player's setting.
    ///   - chimeURL: The address of the chime.
    /// - Throws: ``MusicAssistantError``; `CancellationError` when the calling task is cancelled.
    public nonisolated func playAnnouncement(
        playerId: String, url: String, chime: Bool? = nil, volume: Int? = nil, chimeURL: String? = nil
    ) async throws {
        var args: [String: JSONValue] = ["player_id": .string(playerId), "url": .string(url)]
        args["pre_announce"] = chime.map { .bool($0) }
        args["volume_level"] = volume.map { .int($0) }
        args["pre_announce_url"] = chimeURL.map { .string($0) }
        try await call("players/cmd/play_announcement", args, timeout: .seconds(120))
    }

    /// Adds the present item of a player to the favourites.
    ///
    /// - Parameter playerId: The player.
    /// - Throws: ``MusicAssistantError``; `CancellationError` when the calling task is cancelled.
    public nonisolated func addCurrentToFavorites(playerId: String) async throws {
        try await call("players/add_currently_playing_to_favorites", ["player_id": .string(playerId)])
    }

    /// Makes a player stop after a time. Servers of protocol 30 and newer.
    ///
    /// - Parameters:
    ///   - playerId: The player.
    ///   - seconds: The time from now, in seconds.
    /// - Returns: The time at which it will stop.
    /// - Throws: ``MusicAssistantError``; `CancellationError` when the calling task is cancelled.
    public nonisolated func setSleepTimer(playerId: String, seconds: Int) async throws -> Date {
        Date(
            timeIntervalSince1970: try await value(
                call("players/sleep_timer/set", ["player_id": .string(playerId), "seconds": .int(seconds)]),
                \.doubleValue))
    }

    /// Returns the time at which a player will stop. Servers of protocol 30 and newer.
    ///
    /// - Parameter playerId: The player.
    /// - Returns: The time; nil when no sleep timer is set.
    /// - Throws: ``MusicAssistantError``; `CancellationError` when the calling task is cancelled.
    public nonisolated func getSleepTimer(playerId: String) async throws -> Date? {
        try await call("players/sleep_timer/get", ["player_id": .string(playerId)]).doubleValue.map(
            Date.init(timeIntervalSince1970:))
    }

    /// Clears the sleep timer of a player. Servers of protocol 30 and newer.
    ///
    /// - Parameter playerId: The player.
    /// - Throws: ``MusicAssistantError``; `CancellationError` when the calling task is cancelled.
    public nonisolated func clearSleepTimer(playerId: String) async throws {
        try await call("players/sleep_timer/clear", ["player_id": .string(playerId)])
    }
}
