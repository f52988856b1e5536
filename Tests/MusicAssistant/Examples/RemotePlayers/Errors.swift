import MusicAssistantKit

// snippet
func playAndExplain(_ client: MusicAssistantClient) async {
    do {
        try await client.play(playerId: "kitchen")
    } catch MusicAssistantError.notConnected {
        print("Not connected to server")
    } catch MusicAssistantError.commandTimeout(let messageId) {
        print("Command \(messageId) timed out")
    } catch MusicAssistantError.serverError(let code, let message, _) {
        print("Server error \(code ?? 0): \(message)")
    } catch {
        print("Unexpected error: \(error)")
    }
}
