import MusicAssistantKit

// snippet
func printUpdates(of client: MusicAssistantClient) async {
    async let players: Void = {
        for await event in client.events.playerUpdates {
            print("Player: \(event.playerId), Data: \(event.data)")
            if event.missed > 0 { print("\(event.missed) updates were lost: read faster") }
        }
    }()
    for await event in client.events.queueUpdates {
        print("Queue: \(event.queueId), Data: \(event.data)")
    }
    await players
}
