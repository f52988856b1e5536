public import Foundation
public import MusicAssistantKit
public import MusicAssistantTestServer

/// A server, and clients of it.
public struct Fixture: Sendable {
    /// The server.
    public let server: MusicAssistantTestServer

    /// Creates a fixture with a server.
    public init(server: MusicAssistantTestServer) { self.server = server }

    /// The address of the server.
    public var url: URL {
        get throws {
            guard let url = URL(string: server.url) else { throw MusicAssistantError.invalidURL(server.url) }
            return url
        }
    }

    /// A client of the server with the right token, not connected yet.
    public func client(
        token: AccessToken? = "test-token", clock: (any ClientClock)? = nil,
        _ change: (inout ClientConfiguration) -> Void = { _ in }
    ) throws -> MusicAssistantClient {
        var configuration = ClientConfiguration(token: token)
        configuration.reconnect.jitter = 0
        configuration.keepsMirrors = false
        if let clock {
            configuration.clock = clock
        } else {
            // Limits in real time that a busy machine does not reach.
            configuration.commandTimeout = .seconds(100)
            configuration.connectTimeout = .seconds(100)
            configuration.pongTimeout = .seconds(100)
        }
        change(&configuration)
        return MusicAssistantClient(url: try url, configuration: configuration)
    }

    /// Runs a test with a server.
    public static func run(
        _ scenario: Scenario = Scenario(), _ body: @Sendable (Fixture) async throws -> Void
    ) async throws {
        let server = try await MusicAssistantTestServer.start(scenario)
        do {
            try await body(Fixture(server: server))
        } catch {
            try await server.stop()
            throw error
        }
        try await server.stop()
    }

    /// Runs a test with a server and a connected client.
    public static func connected(
        _ scenario: Scenario = Scenario(), clock: (any ClientClock)? = nil,
        change: @Sendable (inout ClientConfiguration) -> Void = { _ in },
        _ body: @Sendable (Fixture, MusicAssistantClient) async throws -> Void
    ) async throws {
        try await run(scenario) { fixture in
            let client = try fixture.client(clock: clock, change)
            try await client.connect()
            do {
                try await body(fixture, client)
            } catch {
                await client.disconnect()
                throw error
            }
            await client.disconnect()
        }
    }
}

extension AsyncSequence {
    /// The first element that meets a condition; nil when the sequence ends without one.
    public func first(_ isWanted: (Element) throws -> Bool) async throws -> Element? {
        for try await element in self where try isWanted(element) { return element }
        return nil
    }
}
