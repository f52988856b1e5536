import MusicAssistantTestServer
import Testing

/// The test server itself: a mistake here would hide mistakes in what it tests.
@Suite(.timeLimit(.minutes(1))) enum ServerSuite {
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
