import Foundation
import MusicAssistantKit
import MusicAssistantTLS

// snippet
func reconnect(to server: URL, with file: TokenFile) async throws -> MusicAssistantClient {
    var configuration = ClientConfiguration(token: try file.token(for: server), security: .tls)
    configuration.logger = { print($0) }
    let client = MusicAssistantClient(url: server, configuration: configuration)
    do {
        try await client.connect()
    } catch MusicAssistantError.tokenRejected {
        try file.store(nil, for: server)
        throw MusicAssistantError.notConnected
    }
    return client
}
