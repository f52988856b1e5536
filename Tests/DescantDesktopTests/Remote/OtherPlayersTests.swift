import Descant
import DescantTestSupport
import DescantTesting
import Foundation
import Testing

@testable import DescantDesktop
@testable import DescantPlayback

@Suite("Pausing other players on the bus")
struct OtherPlayersTests {
    private let bus: PrivateBus
    /// No process has this identifier, so the players of this process count as others.
    private let foreign = UInt32.max

    init() throws { bus = try PrivateBus() }

    /// A player on the bus.
    private struct Other {
        let player: ScriptedPlayer
        let stage: RemoteStage
        let view: RemotePlayer

        var status: BusValue { get async throws { try await view.get("PlaybackStatus") } }
    }

    private func others(limit: Double = RemoteStage.patience) -> MPRISOtherPlayers {
        MPRISOtherPlayers(busAddress: bus.address, ownProcess: foreign, limit: limit)
    }

    private func other(_ name: String) async throws -> Other {
        let player = ScriptedPlayer()
        let stage = try await RemoteStage(
            player, on: bus, identity: RemoteIdentity(name: name, displayName: name))
        return Other(player: player, stage: stage, view: try await stage.view())
    }

    private func playing(_ name: String) async throws -> Other {
        let other = try await other(name)
        try await other.view.player("Play")
        return other
    }

    /// Pauses a player within a limit that a busy machine may exceed.
    private func pause(_ player: Other, by others: MPRISOtherPlayers) async throws -> [String] {
        while true {
            let paused = await others.pauseOthers()
            if !paused.isEmpty { return paused }
            try Task.checkCancellation()
            // The pause may have come behind the limit.
            try await player.view.player("Play")
        }
    }

    @Test("playing players are paused and resumed; others are not changed")
    func pausedAndResumed() async throws {
        let (one, two) = (try await playing("one"), try await playing("two"))
        let idle = try await other("idle")
        let others = others()
        #expect(await others.pauseOthers() == ["org.mpris.MediaPlayer2.one", "org.mpris.MediaPlayer2.two"])
        #expect(try await one.status == .string("Paused"))
        #expect(try await two.status == .string("Paused"))
        // Players that were paused already must not be resumed.
        #expect(await others.pauseOthers() == [])
        await others.resume(["org.mpris.MediaPlayer2.one", "org.mpris.MediaPlayer2.two"])
        #expect(try await one.status == .string("Playing"))
        #expect(try await two.status == .string("Playing"))
        #expect(try await idle.status == .string("Stopped"))
        for other in [one, two, idle] { await other.stage.bridge.close() }
    }

    @Test("a player that was stopped meanwhile, or was not paused by us, is not resumed")
    func touched() async throws {
        let (one, two) = (try await playing("one"), try await playing("two"))
        let others = others()
        let paused = await others.pauseOthers()
        try await one.view.player("Stop")
        await others.resume(paused)
        #expect(try await one.status == .string("Stopped"))
        #expect(try await two.status == .string("Playing"))
        try await two.view.player("Pause")
        await others.resume(paused)
        #expect(try await two.status == .string("Paused"))
        for other in [one, two] { await other.stage.bridge.close() }
    }

    @Test("a player that has left the bus is not resumed, even if another owns its name")
    func gone() async throws {
        let (one, two) = (try await playing("one"), try await playing("two"))
        let others = others()
        let paused = await others.pauseOthers()
        try await one.stage.leave()
        let heir = try await playing("one")
        #expect(heir.stage.name == one.stage.name)
        try await heir.view.player("Pause")
        await others.resume(paused)
        #expect(try await heir.status == .string("Paused"))
        #expect(try await two.status == .string("Playing"))
        for other in [heir, two] { await other.stage.bridge.close() }
    }

    @Test("a player that does not answer does not block others", .timeLimit(.minutes(5)))
    func silent() async throws {
        let one = try await playing("one")
        let silent = await SilentPlayer(on: bus, name: "silent")
        let patient = others()
        async let paused = patient.pauseOthers()
        #expect(try await one.view.wait { $0.known("PlaybackStatus") == .string("Paused") })
        await silent.waitUntilAsked()
        #expect(silent.requestCount == 1)
        // The limit ends the wait for the silent player, and the player that has answered counts.
        try await one.view.player("Play")
        #expect(try await pause(one, by: others(limit: 15)) == [one.stage.name])
        await silent.close()
        #expect(await paused == ["org.mpris.MediaPlayer2.one"])
        #expect(try await one.status == .string("Paused"))
        await one.stage.bridge.close()
    }

    @Test("players of the same process and playerctld are not changed")
    func ourselves() async throws {
        let one = try await playing("one")
        let beside = MPRISOtherPlayers(
            busAddress: bus.address, ownProcess: nil, limit: RemoteStage.patience)
        #expect(await beside.pauseOthers() == [])
        let standIn = try await playing("playerctld")
        #expect(standIn.stage.name == MPRISName.standIn)
        #expect(await others().pauseOthers() == ["org.mpris.MediaPlayer2.one"])
        for other in [one, standIn] { await other.stage.bridge.close() }
    }

    @Test("a frozen or missing bus does not block callers", .timeLimit(.minutes(5)))
    func frozenBus() async throws {
        let one = try await playing("one")
        let others = others(limit: 15)
        let paused = try await pause(one, by: others)
        #expect(paused == [one.stage.name])
        bus.freeze()
        async let nobody = others.pauseOthers()
        async let resumed: Void = others.resume(paused)
        #expect(await nobody == [])
        await resumed
        bus.thaw()
        #expect(try await one.status == .string("Paused"))
        bus.kill()
        #expect(await others.pauseOthers() == [])
        await one.stage.bridge.close()
    }

    private var descriptorCount: Int {
        ((try? FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd")) ?? []).count
    }

    @Test("connections are released", .timeLimit(.minutes(2))) func released() async throws {
        let client = try await BusClient(bus.address)
        func connections() async throws -> Int {
            let answer = try await client.call(
                "org.freedesktop.DBus", "/org/freedesktop/DBus", "org.freedesktop.DBus", "ListNames")
            return answer.first?.elements?.count { $0.string?.hasPrefix(":") == true } ?? 0
        }
        let (before, descriptors) = (try await connections(), descriptorCount)
        var answers = 0
        for _ in 0..<50 {
            #expect(await others().pauseOthers() == [])
            // It has a limit of its own, which a busy machine may exceed.
            if await SessionBus.problem(at: bus.address) == nil { answers += 1 }
            let remote = MPRISRemote(identity: RemoteStage.identity, busAddress: bus.address)
            let target = ScriptedPlayer()
            let bridge = RemoteControlBridge(player: target, remote: remote)
            await bridge.start()
            _ = try await RemoteStage.ownedName(of: remote)
            await bridge.close()
        }
        #expect(answers > 0)
        // Every connection has two descriptors. Other tests of this process open and close some, too.
        while try await connections() > before || descriptorCount > descriptors + 100 { try Task.checkCancellation() }
    }

    @Test("a session that does not mix pauses other players while it is active")
    func session() async throws {
        let one = try await playing("one")
        let log = RecordingLogger()
        let session = AudioSessionCoordinator(port: ScriptedAudioSession(), others: others(), logger: log)
        let player = AudioPlayerService(
            engine: try AudioEnvironment(plugins: PluginRegistry(searchPath: [])).makeEngine(output: .null),
            session: session)
        try await session.activate(for: player.ports.sessionMember)
        await log.wait(for: "session.othersPaused")
        #expect(try await one.status == .string("Paused"))
        await session.deactivate(for: player.sessionClient)
        #expect(try await one.status == .string("Playing"))
        await one.stage.bridge.close()
    }

    @Test("an environment's sessions use the session bus and the environment's policy")
    func environment() async {
        let policy = AudioSessionPolicy(pausesOtherPlayers: false)
        let environment = AudioEnvironment(plugins: PluginRegistry(searchPath: []), sessionPolicy: policy)
        let other = environment.session(for: .pulse(server: "unix:/nonexistent"))
        for session in [environment.session, other].compactMap({ $0 }) {
            #expect((session.ports.others as? MPRISOtherPlayers)?.busAddress == SessionBus.address)
            #expect(session.policy == policy)
        }
        #expect(AudioEnvironment(plugins: PluginRegistry(searchPath: [])).session.policy == AudioSessionPolicy())
    }
}
