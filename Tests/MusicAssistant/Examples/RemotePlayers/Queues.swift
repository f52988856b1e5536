import MusicAssistantKit

// snippet
func fill(_ queue: String, of client: MusicAssistantClient) async throws {
    try await client.playMedia(queueId: queue, uri: "library://track/12345", option: "play")
    let items = try await client.getQueueItems(queueId: queue)
    print(items.map(\.name))
    try await client.shuffle(queueId: queue, enabled: true)
    try await client.setRepeat(queueId: queue, mode: "all")
    try await client.clearQueue(queueId: queue)
}
