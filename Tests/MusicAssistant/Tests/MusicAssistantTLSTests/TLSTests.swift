import ClientTestSupport
import Foundation
import MusicAssistantKit
import MusicAssistantTLS
import MusicAssistantTestServer
import MusicAssistantTestServerTLS
import Testing

@Suite(.timeLimit(.minutes(2)))
struct TLSTests {
    /// Runs a test with a server that uses one of the certificates.
    private func withServer(
        _ certificate: String, _ body: (MusicAssistantTestServer, TestCertificates) async throws -> Void
    ) async throws {
        let certificates = try TestCertificates()
        let server = try await MusicAssistantTestServer.start(
            certificates: String(contentsOf: certificates.certificate(certificate), encoding: .utf8),
            privateKey: String(contentsOf: certificates.key(certificate), encoding: .utf8))
        do {
            try await body(server, certificates)
        } catch {
            try await server.stop()
            try certificates.remove()
            throw error
        }
        try await server.stop()
        try certificates.remove()
    }

    private func client(_ address: String, _ security: TransportSecurity, log: LogBook = LogBook()) throws
        -> MusicAssistantClient
    {
        var configuration = ClientConfiguration(token: "test-token", security: security, logger: { log.add($0) })
        // A handshake on a busy machine does not reach this.
        configuration.connectTimeout = .seconds(100)
        return MusicAssistantClient(url: try #require(URL(string: address)), configuration: configuration)
    }

    private func isRefusal(_ error: any Error) -> Bool {
        if case MusicAssistantError.connectionFailed = error { true } else { false }
    }

    @Test(arguments: ["127.0.0.1", "localhost"])
    func aServerOfATrustedAuthority(_ host: String) async throws {
        try await withServer("server") { server, certificates in
            let log = LogBook()
            let client = try client("wss://\(host):\(server.port)", .tls(trusting: certificates.authority), log: log)
            try await client.connect()
            #expect(try await client.getPlayers().count == 3)
            #expect(!log.entries.contains { $0.level == .warning })
            await client.disconnect()
            try await server.wait { $0.openConnections == 0 }
        }
    }

    @Test func untrustedAuthorityIsRefused() async throws {
        try await withServer("server") { server, certificates in
            let address = "wss://127.0.0.1:\(server.port)"
            let other = try client(address, .tls(trusting: certificates.otherAuthority))
            await #expect { try await other.connect() } throws: { isRefusal($0) }
            let usual = try client(address, .tls)
            await #expect { try await usual.connect() } throws: { isRefusal($0) }
            #expect(try await server.commands.isEmpty, "the token was never sent")
        }
    }

    @Test(arguments: ["elsewhere", "expired"])
    func aCertificateThatDoesNotFit(_ certificate: String) async throws {
        try await withServer(certificate) { server, certificates in
            for host in ["127.0.0.1", "localhost"] {
                let client = try client("wss://\(host):\(server.port)", .tls(trusting: certificates.authority))
                await #expect { try await client.connect() } throws: { isRefusal($0) }
            }
            #expect(try await server.commands.isEmpty, "the token was never sent")
        }
    }

    @Test func serverWithoutTLSIsRefused() async throws {
        let server = try await MusicAssistantTestServer.start()
        let client = try client("wss://127.0.0.1:\(server.port)", .tls)
        await #expect { try await client.connect() } throws: { isRefusal($0) }
        try await server.stop()
    }

    @Test func fileWithoutCertificatesIsRefused() throws {
        let file = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString)
        #expect(throws: (any Error).self) { try TransportSecurity.tls(trusting: file) }
    }
}
