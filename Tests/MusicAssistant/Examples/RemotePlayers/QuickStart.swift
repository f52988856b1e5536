import MusicAssistantKit

// snippet
func quickStart() async throws {
    let client = MusicAssistantClient(host: "192.168.1.100", port: 8095)
    try await client.connect()
    try await client.login(username: "me", password: "secret")

    try await client.play(playerId: "media_player.kitchen")
    let results = try await client.search(query: "Beatles", limit: 25)
    print(results.tracks.map(\.name))

    await client.disconnect()
}
