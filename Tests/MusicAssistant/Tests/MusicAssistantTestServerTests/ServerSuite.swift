import MusicAssistantTestServer
import Testing

/// Tests of the test server, because its mistakes would hide mistakes of the client.
@Suite(.timeLimit(.minutes(5))) enum ServerSuite {
    /// Runs a test with a server.
    static func withServer(
        _ scenario: Scenario = Scenario(), _ body: (MusicAssistantTestServer) async throws -> Void
    ) async throws {
        let server = try await MusicAssistantTestServer.start(scenario)
        do {
            try await body(server)
        } catch {
            try await server.stop()
            throw error
        }
        try await server.stop()
    }
}
