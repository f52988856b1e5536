import MusicAssistantKit

// snippet
func showConnection(of client: MusicAssistantClient) async {
    for await state in client.connectionStates {
        switch state {
        case .disconnected: print("Not connected")
        case .connecting: print("Connecting…")
        case .connected(let server): print("Connected to Music Assistant \(server.serverVersion)")
        case .reconnecting(let attempt, let delay): print("Connection lost; attempt \(attempt) in \(delay) s")
        case .failed(let error): print("Gave up: \(error)")
        }
    }
    // The client was disconnected, or has given up.
}
