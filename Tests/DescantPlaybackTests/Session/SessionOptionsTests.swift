import DescantCore
import DescantTesting
import Synchronization
import Testing

@testable import DescantPlayback

/// The options of a session: other players are paused for a session that does not mix, and options that a desktop lacks are
/// left out.
@Suite(.timeLimit(.minutes(2)))
struct SessionOptionsTests {
    /// Other players, of which one plays. It can hang when it is asked to pause.
    private final class Others: OtherPlayersPort {
        let answer: Promise<Void>?
        private let log = Mutex<[String]>([])

        init(answer: Promise<Void>? = nil) { self.answer = answer }

        var calls: [String] { log.withLock { $0 } }

        func pauseOthers() async -> [String] {
            log.withLock { $0.append("pause") }
            await answer?.value
            return ["mpv"]
        }

        func resume(_ players: [String]) async { log.withLock { $0.append("resume \(players.joined())") } }
    }

    // MARK: Role

    @Test(arguments: [nil, AudioRole.speech])
    func aPlayerAnnouncesItsRole(_ role: AudioRole?) async throws {
        let desktop = ScriptedAudioSession()
        let manual = await PlayerSession().manual
        let player = AudioPlayerService(
            engine: manual.engine, session: AudioSessionCoordinator(port: desktop), role: role)
        try await player.activateSession()
        #expect(desktop.activeConfiguration?.role == role ?? .music)
    }

    // MARK: Other players

    @Test func otherPlayersPauseForASessionThatDoesNotMix() async throws {
        let others = Others()
        let bench = try await ControllerBench(others: others).playing()
        await bench.log.wait(for: "session.othersPaused")
        await bench.controller.stop()
        #expect(others.calls == ["pause", "resume mpv"])
    }

    @Test func otherPlayersAreLeftAloneByPolicyAndByOption() async throws {
        let left = Others()
        let beside = try await ControllerBench(session: AudioSessionPolicy(pausesOtherPlayers: false), others: left)
            .playing()
        await beside.controller.stop()
        #expect(left.calls.isEmpty)
        let mixing = AudioSessionCoordinator(port: ScriptedAudioSession(), others: left)
        let player = await PlayerSession().manual.engine
        let client = AudioPlayerService(engine: player, session: mixing)
        try await mixing.activate(
            for: client.ports.sessionMember, as: AudioSessionConfiguration(options: .mixWithOthers))
        await mixing.deactivate(for: client.sessionClient)
        #expect(left.calls.isEmpty)
    }

    @Test func aPlayerThatHangsDoesNotDelayTheStart() async throws {
        let answer = Promise<Void>()
        let others = Others(answer: answer)
        let bench = try await ControllerBench(others: others).playing()
        #expect(await bench.controller.state.activity == .playing)
        // A stop waits: the program may end behind it.
        async let stopped: Void = bench.controller.stop()
        answer.resolve(())
        await stopped
        #expect(others.calls == ["pause", "resume mpv"])
    }

    @Test func aChangedOptionPausesAndResumesOtherPlayers() async throws {
        let others = Others()
        let coordinator = AudioSessionCoordinator(port: ScriptedAudioSession(), others: others)
        let session = await PlayerSession()
        let player = AudioPlayerService(engine: session.manual.engine, clock: session.clock, session: coordinator)
        var configuration = PlayerConfiguration(mixWithOthers: true)
        try await player.loadPlaylist([session.track("a", seconds: 20)], configuration: configuration)
        #expect(others.calls.isEmpty)
        configuration.mixWithOthers = false
        try await player.updateConfiguration(configuration)
        configuration.mixWithOthers = true
        try await player.updateConfiguration(configuration)
        #expect(others.calls == ["pause", "resume mpv"])
        await player.stop(fadeDuration: 0)
        #expect(others.calls == ["pause", "resume mpv"])
    }

    @Test func aNewPlaylistBringsItsOption() async throws {
        let others = Others()
        let coordinator = AudioSessionCoordinator(port: ScriptedAudioSession(), others: others)
        let session = await PlayerSession()
        let player = AudioPlayerService(engine: session.manual.engine, clock: session.clock, session: coordinator)
        func load(_ name: String, mixes: Bool) async throws {
            let configuration = PlayerConfiguration(crossfadeDuration: 0, mixWithOthers: mixes)
            try await player.loadPlaylist([session.track(name, seconds: 20)], configuration: configuration)
        }
        try await load("a", mixes: true)
        #expect(others.calls.isEmpty)
        try await load("b", mixes: false)
        try await load("c", mixes: true)
        #expect(others.calls == ["pause", "resume mpv"])
        await player.stop(fadeDuration: 0)
    }

    // MARK: Options that a desktop lacks

    @Test func anOptionThatTheDesktopLacksIsLeftOutWithAWarning() async throws {
        let desktop = ScriptedAudioSession(supportedOptions: .mixWithOthers)
        let log = RecordingLogger()
        let coordinator = AudioSessionCoordinator(port: desktop, logger: log)
        let player = AudioPlayerService(engine: await PlayerSession().manual.engine, session: coordinator)
        try await coordinator.activate(
            for: player.ports.sessionMember,
            as: AudioSessionConfiguration(options: [.mixWithOthers, .duckOthers]))
        #expect(desktop.activeConfiguration?.options == .mixWithOthers)
        var statuses = coordinator.updates.makeAsyncIterator()
        #expect(await statuses.next()?.configuration?.options == .mixWithOthers)
        let warning = log.events.first { $0.name == "session.optionsUnsupported" }
        #expect(warning?.level == .warning)
        #expect(warning.map { "\($0.fields)" }?.contains("duckOthers") == true)
        await coordinator.deactivate(for: player.sessionClient)
    }
}
