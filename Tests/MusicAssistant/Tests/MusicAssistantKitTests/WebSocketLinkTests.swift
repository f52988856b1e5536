import ClientTestSupport
import MusicAssistantTestServer
import NIOCore
import NIOPosix
import Testing

@testable import MusicAssistantKit

@Suite(.timeLimit(.minutes(2)))
struct WebSocketLinkTests {
    /// A resolver with two addresses for a name, like `localhost` with IPv6.
    private struct TwoAddresses: Resolver {
        let ports: [Int]
        private let loop = MultiThreadedEventLoopGroup.singleton.next()

        init(_ ports: [Int]) { self.ports = ports }

        func initiateAQuery(host: String, port: Int) -> EventLoopFuture<[SocketAddress]> {
            loop.submit { try ports.map { try SocketAddress(ipAddress: "127.0.0.1", port: $0) } }
        }

        func initiateAAAAQuery(host: String, port: Int) -> EventLoopFuture<[SocketAddress]> {
            loop.makeSucceededFuture([])
        }

        func cancelQueries() {}
    }

    /// A long message on a slow line is no silence of the server.
    @Test func partOfAMessageIsHeard() async throws {
        try await Fixture.run(Scenario(connectionFaults: [ConnectionFault(.stall(afterBytes: 300))])) { fixture in
            let heard = Promise<Void>()
            let owner = WebSocketLink.Owner(
                accepted: { _ in }, received: { _ in Issue.record("the greeting was not cut") }, nextOutgoing: { nil },
                heard: { heard.succeed(()) }, ended: { _ in heard.fail(LinkError.closedBeforeUpgrade) })
            let link = WebSocketLink(
                to: try ServerAddress(host: "127.0.0.1", port: fixture.server.port), security: nil,
                limit: .seconds(30), owner: owner)
            try await heard.value()
            link.close(reason: "enough")
        }
    }

    @Test func secondAddressOfANameIsTried() async throws {
        try await Fixture.run { fixture in
            // Nothing listens on the port of a stopped server.
            let gone = try await MusicAssistantTestServer.start()
            try await gone.stop()
            let owner = WebSocketLink.Owner(
                accepted: { _ in }, received: { _ in }, nextOutgoing: { nil }, heard: {}, ended: { _ in })
            let link = WebSocketLink(
                to: try ServerAddress(host: "two-addresses", port: fixture.server.port), security: nil,
                limit: .seconds(30), owner: owner, resolver: TwoAddresses([gone.port, fixture.server.port]))
            try await link.opened.value()
            #expect(!link.hasEnded)
            link.close(reason: "enough")
            await link.waitUntilGone()
        }
    }
}
