import Descant
import DescantTesting
import Foundation
import Synchronization
import Testing

@testable import DescantDesktop
@testable import DescantPlayback

@Suite("The player under remote control")
struct PlayerRemoteTests {
    private let folder: TemporaryDirectory
    private let environment = AudioEnvironment(plugins: PluginRegistry(searchPath: []))
    private let identity = RemoteIdentity(name: "descant_player", displayName: "Player")

    init() throws { folder = try TemporaryDirectory(label: "descant-remote") }

    private func ramp(_ name: String, frames: Int, firstIndex: Int64 = 0, rate: Int = 48_000) throws -> URL {
        let url = folder.file(name)
        let signal = TestSignal.ramp(frames: frames, firstIndex: firstIndex, sampleRate: rate)
        try WAVFile(signal.samples(), encoding: .int16).write(to: url)
        return url
    }

    /// Three tracks of 40 s, stopped.
    private func stoppedPlayer(_ engine: any MixingEngine) async throws -> AudioPlayerService {
        let player = AudioPlayerService(engine: engine)
        let tracks = try (1...3).map { try ramp("\($0).wav", frames: 320_000, rate: 8_000) }
        let configuration = PlayerConfiguration(crossfadeDuration: 0, stopFadeDuration: 0)
        try await player.loadPlaylist(tracks, configuration: configuration)
        await player.stop()
        return player
    }

    @Test("a player of an environment has media controls where it plays to a device, unless the host wants none")
    func ownControls() async throws {
        func hasControls(_ player: AudioPlayerService) async -> Bool { await player.remote.makeControl != nil }
        #expect(await hasControls(try environment.makePlayer()))
        #expect(await hasControls(try environment.makePlayer(remoteControl: identity)))
        #expect(await !hasControls(try environment.makePlayer(remoteControl: nil)))
        #expect(await !hasControls(try environment.makePlayer(output: .null)))
    }

    @Test("it keeps every rule of MPRIS") func rules() async throws {
        let engine = try environment.makeEngine(output: .null)
        let player = try await stoppedPlayer(engine)
        let stage = try await RemoteStage(player, identity: identity)
        let uri = try ramp("added.wav", frames: 320_000, rate: 8_000).absoluteString
        let findings = await MPRISChecker(player: try await stage.view(), uri: uri).run()
        #expect(findings == [])
        await stage.bridge.close()
        await engine.shutdown()
    }

    @Test("a stop and the removal of the last track clear the metadata") func clearing() async throws {
        let engine = try environment.makeEngine(output: .null)
        let player = AudioPlayerService(engine: engine)
        let remote = RecordingRemote()
        await player.connectRemoteControl(remote)
        #expect(remote.nowPlaying.abilities.isDisjoint(with: [.play, .pause, .next, .previous, .seek]))
        let tracks = try (1...2).map { try ramp("\($0).wav", frames: 320_000, rate: 8_000) }
        let configuration = PlayerConfiguration(crossfadeDuration: 0, stopFadeDuration: 0)
        try await player.loadPlaylist(tracks, configuration: configuration)
        for await shown in remote.updates where shown.status == .playing { break }
        try await remote.send(.stop)
        #expect(remote.nowPlaying.track == nil && remote.nowPlaying.status == .stopped)
        #expect(remote.nowPlaying.abilities.contains(.play))
        try await remote.send(.play)
        #expect(remote.nowPlaying.track?.title == "1" && remote.nowPlaying.track?.duration == 40)
        for track in remote.nowPlaying.tracks { try await remote.send(.removeTrack(track.id)) }
        #expect(remote.nowPlaying.track == nil && remote.nowPlaying.tracks == [])
        #expect(!remote.nowPlaying.abilities.contains(.play))
        await player.disconnectRemoteControl()
        #expect(remote.isClosed)
        await engine.shutdown()
    }

    @Test("the first track that is added to an empty player can be played from a remote control")
    func firstTrack() async throws {
        let recorded = Mutex<[Float]>([])
        let engine = try environment.makeEngine(
            output: .callback(.realTime) { block in recorded.withLock { $0 += block.samples } })
        let player = AudioPlayerService(engine: engine)
        let remote = RecordingRemote()
        await player.connectRemoteControl(remote)
        #expect(!remote.nowPlaying.abilities.contains(.play))
        let states = player.stateUpdates
        await player.addTrackToPlaylist(try ramp("added.wav", frames: 24_000))
        for await shown in remote.updates where shown.abilities.contains(.play) { break }
        try await remote.send(.play)
        for await state in states where state == .finished { break }
        await player.disconnectRemoteControl()
        await engine.shutdown()
        expectRamp(in: recorded.withLock { $0 }, frames: 24_000)
    }

    /// Expects every frame of a ramp once and in order. A busy machine may play silence before a frame.
    private func expectRamp(in samples: [Float], frames: Int) {
        let heard = SampleBuffer(format: PCMFormat(sampleRate: 48_000, channels: 2), samples: samples)
        var next: Int64 = 0
        for run in RampAnalysis.runs(in: heard) where run.kind != .silence {
            #expect(run.kind == .source(next), "\(run)")
            next = run.sourceEnd ?? next
        }
        #expect(next == Int64(frames))
    }

    @Test("a track without a length, such as a radio station, cannot be repositioned") func station()
        async throws
    {
        let engine = try environment.makeEngine(output: .null)
        let player = AudioPlayerService(engine: engine)
        let remote = RecordingRemote()
        await player.setTrackSources(Station())
        try await player.loadPlaylist([URL(fileURLWithPath: "/station")])
        await player.connectRemoteControl(remote)
        #expect(remote.nowPlaying.status == .playing && remote.nowPlaying.track?.duration == nil)
        #expect(remote.nowPlaying.abilities.isSuperset(of: [.play, .pause]))
        #expect(!remote.nowPlaying.abilities.contains(.seek))
        await player.disconnectRemoteControl()
        await engine.shutdown()
    }

    @Test("next during a crossfade is answered when its track is the current one")
    func nextDuringCrossfade() async throws {
        let engine = try environment.makeEngine(output: .null)
        let player = AudioPlayerService(engine: engine)
        let remote = RecordingRemote()
        let tracks = try (1...3).map { try ramp("\($0).wav", frames: 320_000, rate: 8_000) }
        let configuration = PlayerConfiguration(crossfadeDuration: 5, transitionInterruption: .fastForward)
        try await player.loadPlaylist(tracks, configuration: configuration)
        await player.connectRemoteControl(remote)
        try await remote.send(.next)
        #expect(remote.nowPlaying.track?.title == "2")
        try await remote.send(.next)
        #expect(remote.nowPlaying.track?.title == "3")
        #expect(!remote.nowPlaying.abilities.contains(.next))
        await player.disconnectRemoteControl()
        await engine.shutdown()
    }

    @Test("a file that is opened is played by a paused player") func openingResumes() async throws {
        let engine = try environment.makeEngine(output: .null)
        let player = AudioPlayerService(engine: engine)
        let remote = RecordingRemote()
        let tracks = try (1...2).map { try ramp("\($0).wav", frames: 320_000, rate: 8_000) }
        try await player.loadPlaylist([tracks[0]])
        await player.connectRemoteControl(remote)
        try await remote.send(.pause)
        #expect(await player.state == .paused)
        try await remote.send(.open(tracks[1]))
        #expect(await player.state == .playing)
        #expect(remote.nowPlaying.track?.title == "2")
        await player.disconnectRemoteControl()
        await engine.shutdown()
    }

    @Test("a file that cannot be opened is an error, and is not added") func openingFails() async throws {
        let engine = try environment.makeEngine(output: .null)
        let player = try await stoppedPlayer(engine)
        let remote = RecordingRemote()
        await player.connectRemoteControl(remote)
        let tracks = remote.nowPlaying.tracks
        await #expect(throws: AudioPlayerError.self) {
            try await remote.send(.open(folder.file("missing.wav")))
        }
        #expect(remote.nowPlaying.tracks == tracks)
        await player.disconnectRemoteControl()
        await engine.shutdown()
    }

    @Test("a long playlist is published around the current track") func longPlaylist() async throws {
        let engine = try environment.makeEngine(output: .null)
        let player = AudioPlayerService(engine: engine)
        let track = try ramp("1.wav", frames: 320_000, rate: 8_000)
        try await player.loadPlaylist(Array(repeating: track, count: 1000), startingAt: 500)
        let shown = await player.nowPlaying()
        #expect(shown.tracks.count == 64 && Set(shown.tracks.map(\.id)).count == 64)
        #expect(shown.tracks.contains { $0.id == shown.track?.id })
        await engine.shutdown()
    }

    // MARK: Load

    /// The duration of a run, in seconds.
    private static let seconds = ProcessInfo.processInfo.environment["DESCANT_REMOTE_HAMMER"].flatMap(Double.init) ?? 1

    @Test("reads of six clients during playback cause no error and do not change the sound")
    func hammeredPlayback() async throws {
        let frames = 24_000
        let count = max(4, Int(Self.seconds * 2))
        let tracks = try (0..<count).map { try ramp("\($0).wav", frames: frames, firstIndex: Int64($0 * frames)) }
        let calls = CallCount()
        // The clients end in any case.
        defer { calls.end() }
        let recorded = Mutex<[Float]>([])
        let engine = try environment.makeEngine(
            output: .callback(.realTime) { block in recorded.withLock { $0 += block.samples } })
        let player = AudioPlayerService(engine: engine)
        let stage = try await RemoteStage(player, identity: identity)
        let clients = try await hammer(stage, calls) { view, number in try await Self.ask(view, number) }
        try await player.loadPlaylist(tracks, configuration: PlayerConfiguration(crossfadeDuration: 0))
        for await state in player.stateUpdates where state == .finished { break }
        calls.end()
        var failures: [String] = []
        for client in clients { failures += await client.value }
        #expect(failures == [])
        await stage.bridge.close()
        await engine.shutdown()
        expectRamp(in: recorded.withLock { $0 }, frames: frames * count)
    }

    @Test("commands of six clients cause no error, and the state matches the player")
    func hammeredCommands() async throws {
        let engine = try environment.makeEngine(output: .null)
        let player = try await stoppedPlayer(engine)
        await player.setRepeatMode(.playlist)
        let stage = try await RemoteStage(player, identity: identity)
        try await stage.view().player("Play")
        let calls = CallCount()
        defer { calls.end() }
        let clients = try await hammer(stage, calls) { view, number in
            try await Self.command(view, number)
            try await Self.ask(view, number)
        }
        await calls.wait(forAll: Int(300 * Self.seconds))
        calls.end()
        var failures: [String] = []
        for client in clients { failures += await client.value }
        #expect(failures == [])
        let view = try await stage.view()
        try await view.player("Play")
        #expect(try await view.get("PlaybackStatus") == .string("Playing"))
        #expect(await player.state == .playing)
        await stage.bridge.close()
        await engine.shutdown()
    }

    /// Six clients that call until the count is reached.
    private func hammer(
        _ stage: RemoteStage, _ calls: CallCount, _ act: @escaping @Sendable (RemotePlayer, Int) async throws -> Void
    ) async throws -> [Task<[String], Never>] {
        var clients: [Task<[String], Never>] = []
        for client in 0..<6 {
            let view = try await RemotePlayer(stage.name, BusClient(stage.bus.address), limit: RemoteStage.patience)
            clients.append(
                Task {
                    var failures: [String] = []
                    var number = client
                    while !calls.hasEnded {
                        do { try await act(view, number) } catch { failures.append("\(number): \(error)") }
                        number += 1
                        calls.add()
                    }
                    return failures
                })
        }
        return clients
    }

    /// Reads, and calls without effect.
    private static func ask(_ view: RemotePlayer, _ number: Int) async throws {
        switch number % 7 {
        case 0: _ = try await view.get("Position")
        case 1: _ = try await view.getAll(MPRISName.player)
        case 2: _ = try await view.get("Metadata")
        case 3: try await view.player("SetPosition", .path("/some/other"), .int64(1))
        case 4: try await view.set("Volume", .double(1))
        case 5: _ = try await view.getAll(MPRISName.trackList)
        default: _ = try await view.call(MPRISName.trackList, "GoTo", [.path("/some/other")])
        }
    }

    private static func command(_ view: RemotePlayer, _ number: Int) async throws {
        switch number % 5 {
        case 0: try await view.player("Next")
        case 1: try await view.player("Previous")
        case 2: try await view.player("PlayPause")
        case 3: try await view.player("Seek", .int64(1_000_000))
        default: try await view.player("Play")
        }
    }
}

/// Endless silence, which cannot be repositioned.
private final class Station: TrackSourceProvider, PCMSource {
    let name = "station"
    let format = PCMFormat(sampleRate: 8_000, channels: 1)
    var frameCount: Int64? { nil }

    func audioSource(for url: URL) -> AudioSource? { .pcm(self) }

    func read(into buffer: UnsafeMutablePointer<Float>, maxFrames: Int) -> Int {
        buffer.update(repeating: 0, count: maxFrames)
        return maxFrames
    }

    func seek(toFrame frame: Int64) throws { throw CoreError.unsupported("\(name) cannot be repositioned") }
}

/// Counts calls; others can wait for a count.
private final class CallCount: Sendable {
    private let state = Mutex((count: 0, hasEnded: false))
    private let counts = EventHub<Int>(initial: 0)

    var hasEnded: Bool { state.withLock { $0.hasEnded } }

    func add() {
        counts.post(
            state.withLock { state in
                state.count += 1
                return state.count
            })
    }

    func end() { state.withLock { $0.hasEnded = true } }

    func wait(forAll calls: Int) async {
        for await count in counts.stream(buffer: .newest) where count >= calls { return }
    }
}
