// Shown in the guide "Remote players" and run by GuideExampleTests.

// snippet
import MusicAssistantTestServer

func testMyClient(_ connect: (String) async throws -> Void) async throws {
    let scenario = Scenario(
        replyFaults: [ReplyFault(.delay(.seconds(1)), on: "players/all", times: 1)],
        connectionFaults: [ConnectionFault(.cut(afterBytes: 400), connection: 0)])
    let server = try await MusicAssistantTestServer.start(scenario)
    // With the token "test-token", or logged in as admin with the password "secret".
    try await connect(server.url)
    try await server.restart()
    try await server.stop()
}
