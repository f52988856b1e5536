import MusicAssistantKit

// snippet
func showPlayers(of client: MusicAssistantClient) async {
    for await snapshot in client.players.snapshots {
        if !snapshot.isCurrent { print("This was the state when the connection broke:") }
        for player in snapshot.sorted {
            let title = player.currentMedia?.title ?? "nothing"
            let position = player.currentMedia?.queueId.flatMap { client.position(queueId: $0) } ?? 0
            print("\(player.name): \(player.state), \(title) at \(Int(position)) s, volume \(player.volume ?? 0)")
        }
    }
}
