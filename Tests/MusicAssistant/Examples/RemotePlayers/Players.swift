import MusicAssistantKit

// snippet
func listPlayers(of client: MusicAssistantClient) async throws {
    for player in try await client.getPlayers() {
        let volume = player.volume.map { "volume \($0)" } ?? "no volume"
        print("\(player.name) (\(player.playerId)): \(player.isAvailable ? player.state.rawValue : "away"), \(volume)")
    }
}

/// Plays on a player; if it is in a group, on the leader of the group.
func play(_ uri: String, on player: MusicAssistantPlayer, of client: MusicAssistantClient) async throws {
    let queue = try await client.getActiveQueue(playerId: player.playerId)?.queueId ?? player.playerId
    try await client.playMedia(queueId: queue, uri: uri, option: .replace)
}
