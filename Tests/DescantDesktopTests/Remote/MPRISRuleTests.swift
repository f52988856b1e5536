import DescantCore
import DescantTestSupport
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
        let limit = mutation.withholdsSignals ? 15 : RemoteStage.patience
        let checker = MPRISChecker(player: try await stage.view(limit: limit), stopsAtFirst: true)
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

    @Test("LoopStatus and Shuffle exist while the player has such a mode")
    func modes() async throws {
        let modes = ["LoopStatus", "Shuffle"]
        let player = ScriptedPlayer()
        await player.set(hasModes: false)
        let stage = try await RemoteStage(player)
        let view = try await stage.view()
        #expect(try await view.getAll(MPRISName.player).keys.filter(modes.contains).isEmpty)
        for name in modes { await #expect(throws: BusError.self, "\(name)") { try await view.get(name) } }
        await #expect(throws: BusError.self) { try await view.set("Shuffle", .bool(true)) }
        await player.set(hasModes: true)
        #expect(
            try await view.wait { $0.known("LoopStatus") == .string("None") && $0.known("Shuffle") == .bool(false) })
        await player.set(hasModes: false)
        for name in modes {
            #expect(try await view.wait { $0.takeInvalidation(name, MPRISName.player) }, "\(name)")
        }
        await stage.bridge.close()
    }

    @Test("the position is 0 without a track, and within the length of a track") func shownPosition() async throws {
        let bus = try PrivateBus()
        let remote = MPRISRemote(identity: RemoteStage.identity, busAddress: bus.address)
        let target = FixedPosition()
        remote.connect(to: target)
        let name = try await RemoteStage.ownedName(of: remote)
        let view = try await RemotePlayer(name, try await BusClient(bus.address), limit: RemoteStage.patience)
        #expect(try await view.get("Position") == .int64(0))
        var mark = view.mark
        remote.positionJumped(to: target.remotePosition)
        #expect(try await view.wait(for: "Seeked", since: mark)?.arguments == [.int64(0)])
        remote.publish(NowPlaying(status: .playing, track: NowPlayingTrack(id: .init(rawValue: "1"), duration: 5)))
        mark = view.mark
        remote.positionJumped(to: target.remotePosition)
        #expect(try await view.wait(for: "Seeked", since: mark)?.arguments == [.int64(5_000_000)])
        #expect(try await view.get("Position") == .int64(5_000_000))
        await remote.close()
    }
}

/// A target whose position is always 7 s. It ignores commands.
private final class FixedPosition: RemoteCommandTarget {
    let remotePosition = 7.0
    func perform(_ command: RemoteCommand) {}
}
