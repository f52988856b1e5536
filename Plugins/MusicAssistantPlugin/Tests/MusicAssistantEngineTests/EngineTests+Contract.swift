import Descant
import DescantTesting
import Foundation
import MusicAssistantTestServer
import Testing

/// The contract of every engine, on the bundle and a server that plays by the real clock.
extension EngineTests {
    @Test(arguments: MediaEngineContract.Rule.allCases)
    func engineKeepsTheContract(rule: MediaEngineContract.Rule) async throws {
        let server = try await startServer()
        let registry = try Bundles.registry()
        let contract = MediaEngineContract(
            content: try item("library://track/5"), short: try item("library://track/10"),
            refused: [
                .init(try item("library://track/999"), named: "library://track/999"),
                .init(try item("file:///music/pier.flac"), named: "/music/pier.flac"),
            ], limit: 40
        ) { try registry.makeEngine("music-assistant") }
        let findings = await contract.check(rule)
        try await server.stop()
        #expect(findings == [], "\(findings)")
    }
}
