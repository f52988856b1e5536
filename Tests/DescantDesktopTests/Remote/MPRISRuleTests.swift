import DescantCore
import DescantTesting
import Testing

@testable import DescantDesktop

@Suite("Rules of MPRIS")
struct MPRISRuleTests {
    @Test("the player keeps every rule") func ours() async throws {
        let player = ScriptedPlayer()
        let stage = try await RemoteStage(player)
        let findings = await MPRISChecker(player: try await stage.view()).run()
        #expect(findings == [])
        await stage.bridge.close()
    }

    @Test("every mutation is detected", arguments: MPRISMutation.allCases)
    func mutant(_ mutation: MPRISMutation) async throws {
        let player = ScriptedPlayer()
        let stage = try await RemoteStage(player, mutation: mutation)
        let checker = MPRISChecker(player: try await stage.view(limit: 5), stopsAtFirst: true)
        let findings = await checker.run()
        #expect(!findings.isEmpty && Set(findings.map(\.rule)).isSubset(of: mutation.rules), "\(mutation): \(findings)")
        await stage.bridge.close()
    }

    @Test("PlayPause is an error when there is nothing to pause, and other commands have no effect")
    func nothing() async throws {
        let player = ScriptedPlayer(tracks: 0)
        let stage = try await RemoteStage(player)
        let view = try await stage.view()
        await #expect(throws: BusError.self) { try await view.player("PlayPause") }
        for method in ["Play", "Pause", "Next", "Previous"] { try await view.player(method) }
        try await view.player("Seek", .int64(1))
        #expect(try await view.get("PlaybackStatus") == .string("Stopped"))
        #expect(try await view.get("CanPlay") == .bool(false))
        await stage.bridge.close()
    }
}
