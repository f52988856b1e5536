import DescantCore
import DescantTesting
import Foundation
import Testing

@testable import DescantPlayback

@Suite(.timeLimit(.minutes(2)))
struct ControllerTests {
    private let song = ControllerBench.song
    private let text = ControllerBench.text

    // MARK: When engines are made

    @Test func selectedAtLaunchCreatesOnlyTheSelectedEngine() async throws {
        let bench = ControllerBench(policy: .selectedAtLaunch, selected: "beta")
        #expect(bench.catalog.made.isEmpty)
        await bench.controller.launch()
        #expect(bench.catalog.made == ["beta"])
        #expect(bench.desktop.activationCount == 0)
        #expect(await bench.controller.state.engine == "beta")
    }

    @Test func onDemandCreatesNoEngineBeforeUse() async throws {
        let bench = ControllerBench(policy: .onDemand, selected: "beta")
        await bench.controller.launch()
        try await bench.controller.loadContent(song)
        #expect(bench.catalog.made.isEmpty)
        #expect(await bench.controller.state.engine == "beta")
        #expect(try await bench.controller.prepareSettings() == "beta")
        #expect(bench.catalog.made == ["beta"])
        #expect(bench.desktop.activationCount == 0)
    }

    @Test func preloadOpensTheContentWithoutTheSession() async throws {
        let bench = ControllerBench()
        try await bench.controller.loadContent(song)
        try await bench.controller.preload()
        #expect(bench.alpha.calls == ["load"])
        #expect(bench.desktop.activationCount == 0)
        try await bench.controller.play()
        #expect(bench.alpha.calls == ["load", "play"])
        #expect(bench.catalog.made == ["alpha"])
    }

    // MARK: Transport

    @Test func sessionIsActiveFromPlayToStop() async throws {
        let bench = try await ControllerBench().playing()
        #expect(bench.desktop.activations.map(\.role) == [.music])
        await bench.controller.pause()
        #expect(bench.desktop.deactivationCount == 0)
        try await bench.controller.play()
        #expect(bench.desktop.activationCount == 1)
        await bench.controller.stop()
        #expect(bench.desktop.deactivationCount == 1)
        let state = await bench.controller.state
        #expect(state.activity == .idle)
        #expect(state.nowPlaying == nil)
        #expect(await bench.controller.nowPlaying().track == nil)
    }

    @Test func pauseDeactivatesSessionIfPolicySaysSo() async throws {
        let bench = try await ControllerBench(session: AudioSessionPolicy(deactivatesOnPause: true)).playing()
        await bench.controller.pause()
        #expect(bench.desktop.activeConfiguration == nil)
        try await bench.controller.play()
        #expect(bench.desktop.activationCount == 2)
    }

    @Test func refusedActivationPlaysNothing() async throws {
        let bench = ControllerBench()
        bench.desktop.refuse(.invalidState("not now"))
        try await bench.controller.loadContent(song)
        await #expect(throws: CoreError.invalidState("not now")) { try await bench.controller.play() }
        #expect(bench.alpha.calls == ["load"])
        #expect(await bench.controller.errorMessage == "Invalid state: not now")
        #expect(await bench.controller.state.offeredEngine == "beta")
        try await bench.controller.play()
        #expect(await bench.controller.errorMessage == nil)
    }

    @Test func stopEndsARetriedStart() async throws {
        let bench = ControllerBench()
        bench.alpha.failPlaying(.ioError("no device"))
        try await bench.controller.loadContent(song)
        let start = Task { try await bench.controller.play() }
        await bench.clock.waitForSleepers()
        await bench.controller.stop()
        await #expect(throws: CancellationError.self) { try await start.value }
        #expect(await bench.controller.state.activity == .idle)
        #expect(bench.desktop.activeConfiguration == nil)
    }

    @Test func pauseDuringAStartPauses() async throws {
        let bench = ControllerBench()
        bench.alpha.failPlaying(.ioError("no device"))
        try await bench.controller.loadContent(song)
        let start = Task { try await bench.controller.play() }
        await bench.clock.waitForSleepers()
        try await bench.controller.togglePlayPause()
        await #expect(throws: CancellationError.self) { try await start.value }
        #expect(await bench.controller.state.activity == .paused)
        #expect(bench.alpha.engineState != .playing)
        #expect(await bench.controller.nowPlaying().status == .paused)
        try await bench.controller.play()
        #expect(await bench.controller.state.activity == .playing)
        #expect(bench.desktop.activeConfiguration != nil)
    }

    @Test func toggleDuringAStartFromAPausePauses() async throws {
        let bench = try await ControllerBench(session: AudioSessionPolicy(deactivatesOnPause: true)).playing()
        await bench.controller.pause()
        bench.alpha.failPlaying(.ioError("no device"))
        let start = Task { try await bench.controller.play() }
        await bench.clock.waitForSleepers()
        #expect(bench.desktop.activeConfiguration != nil)
        try await bench.controller.togglePlayPause()
        await #expect(throws: CancellationError.self) { try await start.value }
        #expect(await bench.controller.state.activity == .paused)
        #expect(bench.alpha.engineState == .paused)
        // The session is told of a pause that ends a start, too.
        #expect(bench.desktop.activeConfiguration == nil)
    }

    @Test func stopReturnsToTheBeginningOfContentThatWasNotPlayed() async throws {
        for stopsAll in [false, true] {
            let bench = ControllerBench()
            try await bench.controller.loadContent(song)
            try await bench.controller.seek(to: .time(30))
            try await bench.controller.preload()
            #expect(await bench.controller.progress.position == 30)
            if stopsAll { await bench.controller.stopAll() } else { await bench.controller.stop() }
            #expect(await bench.controller.progress.position == 0)
            try await bench.controller.play()
            #expect(bench.alpha.currentTime == 0)
        }
    }

    @Test func choosingTheSelectedEngineIsKept() async throws {
        let bench = ControllerBench(Self.musicAndSpeech(), policy: .selectedAtLaunch)
        await bench.controller.launch()
        try await bench.controller.selectEngine("alpha")
        #expect(bench.selection.load() == "alpha")
        await #expect(throws: CoreError.self) { try await bench.controller.loadContent(text) }
        #expect(await bench.controller.state.engine == "alpha")
    }

    @Test func togglePlayPause() async throws {
        let bench = try await ControllerBench().playing()
        try await bench.controller.togglePlayPause()
        #expect(await bench.controller.state.activity == .paused)
        try await bench.controller.togglePlayPause()
        #expect(await bench.controller.state.activity == .playing)
    }

    @Test func playAfterTheEndStartsAgain() async throws {
        let bench = try await ControllerBench().playing()
        bench.alpha.pass(200)
        await bench.wait { $0.isFinished }
        #expect(await bench.controller.progress.fraction == 1)
        #expect(bench.desktop.activeConfiguration == nil)
        try await bench.controller.play()
        #expect(await bench.controller.progress.position == 0)
    }

    @Test func playWithoutContentIsRefused() async throws {
        let bench = ControllerBench()
        await #expect(throws: MediaPlaybackError.noContent) { try await bench.controller.play() }
        await #expect(throws: MediaPlaybackError.noContent) { try await bench.controller.seek(to: .time(1)) }
        #expect(bench.catalog.made.isEmpty)
    }

    @Test func stopAllStopsEveryCreatedEngine() async throws {
        let bench = try await ControllerBench().playing()
        try await bench.controller.selectEngine("beta")
        await bench.controller.stopAll()
        #expect(bench.alpha.calls.last == "stop")
        #expect(bench.beta.calls.last == "stop")
        #expect(bench.desktop.activeConfiguration == nil)
    }

    // MARK: Positions

    @Test func skipsByCharactersInTextAndBySecondsInSound() async throws {
        let bench = try await ControllerBench().playing(text)
        #expect(bench.desktop.activations.map(\.role) == [.speech])
        #expect(await bench.controller.progress.characterOffset == 200)
        try await bench.controller.skipForward()
        #expect(await bench.controller.progress.characterOffset == 700)
        try await bench.controller.skipBackward(characters: 10_000)
        #expect(await bench.controller.progress.characterOffset == 0)
        try await bench.controller.loadContent(song)
        try await bench.controller.play()
        try await bench.controller.skipForward()
        #expect(await bench.controller.progress.position == 15)
        try await bench.controller.skipForward(seconds: 500)
        #expect(await bench.controller.progress.position == 100)
    }

    @Test(arguments: [true, false])
    func aSeekBeforeThePlayComesFirst(isStopped: Bool) async throws {
        let bench = ControllerBench()
        try await bench.controller.loadContent(song)
        if isStopped {
            try await bench.controller.play()
            await bench.controller.stop()
        } else {
            try await bench.controller.preload()
        }
        let before = bench.alpha.calls.count
        try await bench.controller.seek(to: .time(30))
        #expect(await bench.controller.progress.position == 30)
        try await bench.controller.play()
        #expect(bench.alpha.calls.dropFirst(before) == ["seek 30.0", "play"])
    }

    @Test func sectionSeekUsesNumbers() async throws {
        let bench = ControllerBench()
        let sections = [
            MediaSection(title: "One", start: .characterOffset(0)),
            MediaSection(title: "Two", start: .characterOffset(1_000)),
        ]
        try await bench.controller.loadContent(text, sections: sections)
        try await bench.controller.seekToSection(1)
        #expect(await bench.controller.progress.characterOffset == 1_000)
        #expect(await bench.controller.progress.duration == 120)
        try await bench.controller.play()
        #expect(await bench.controller.progress.characterOffset == 1_000)
        #expect(bench.alpha.calls == ["load", "seek 50.0", "play"])
        await #expect(throws: MediaPlaybackError.noSection(2, count: 2)) {
            try await bench.controller.seekToSection(2)
        }
    }

    @Test func fixedRateEngineRefusesOtherRates() async throws {
        let bench = ControllerBench([ScriptedEngine("alpha", capabilities: .playsURLs), ScriptedEngine("beta")])
        _ = try await bench.playing()
        await #expect(throws: CoreError.unsupported("alpha: only rate 1")) { try await bench.controller.setRate(2) }
        await #expect(throws: CoreError.self) { try await bench.controller.setRate(0) }
        #expect(await bench.controller.state.rate == 1)
    }

    // MARK: Who plays what

    private static func musicAndSpeech() -> [ScriptedEngine] {
        [
            ScriptedEngine("alpha", capabilities: [.playsURLs, .seeks]),
            ScriptedEngine("beta", capabilities: .speaksText),
        ]
    }

    @Test func textGoesToTheFirstEngineThatSpeaks() async throws {
        let bench = ControllerBench(Self.musicAndSpeech(), policy: .selectedAtLaunch)
        await bench.controller.launch()
        try await bench.controller.loadContent(text)
        try await bench.controller.play()
        #expect(await bench.controller.state.engine == "beta")
        #expect(bench.alpha.calls.isEmpty)
        // Nobody has chosen it, so music goes back.
        try await bench.controller.loadContent(song)
        try await bench.controller.play()
        #expect(await bench.controller.state.engine == "alpha")
        #expect(bench.selection.load() == nil)
    }

    @Test func aChosenEngineStaysAndSaysWhatItDoesNotPlay() async throws {
        let bench = ControllerBench(Self.musicAndSpeech(), policy: .selectedAtLaunch, selected: "alpha")
        await bench.controller.launch()
        await #expect(throws: CoreError.self) { try await bench.controller.loadContent(text) }
        #expect(await bench.controller.state.engine == "alpha")
    }

    @Test func anEngineThatWouldRefuseTheContentCannotBeUsed() async throws {
        let bench = try await ControllerBench(Self.musicAndSpeech()).playing()
        // What it can do is not known before it is made.
        #expect(bench.controller.canUseEngine("alpha") && bench.controller.canUseEngine("beta"))
        await #expect(throws: MediaPlaybackError.self) { try await bench.controller.selectEngine("beta") }
        #expect(bench.controller.canUseEngine("alpha") && !bench.controller.canUseEngine("beta"))
        try await bench.controller.loadContent(text)
        #expect(!bench.controller.canUseEngine("alpha") && bench.controller.canUseEngine("beta"))
    }

    // MARK: Remote control

    @Test func theHostSaysWhatIsPlaying() async throws {
        let bench = try await ControllerBench().playing()
        #expect(await bench.controller.nowPlaying().track?.title == "song")
        var track = NowPlayingTrack(id: .init(rawValue: "host"), title: "Rain", artists: ["Ann"])
        track.artworkData = Data([1])
        await bench.controller.setNowPlaying(track)
        let shown = await bench.controller.nowPlaying().track
        #expect(shown?.title == "Rain" && shown?.artists == ["Ann"] && shown?.artworkData == Data([1]))
        #expect(shown?.url?.lastPathComponent == "song.flac" && shown?.duration == 100)
        #expect(shown?.id != track.id)
        try await bench.controller.loadContent(text, description: NowPlayingTrack(id: track.id, album: "Book"))
        try await bench.controller.play()
        let spoken = await bench.controller.nowPlaying().track
        #expect(spoken?.album == "Book" && spoken?.title != "Rain")
    }

    @Test func remoteControlShowsAndCommands() async throws {
        let bench = ControllerBench()
        let remote = RecordingRemote()
        let bridge = RemoteControlBridge(player: bench.controller, remote: remote)
        await bridge.start()
        try await remote.send(.open(URL(fileURLWithPath: "/music/song.flac")))
        #expect(remote.nowPlaying.status == .playing)
        #expect(remote.nowPlaying.track?.title == "song")
        #expect(remote.nowPlaying.track?.duration == 100)
        try await remote.send(.seekTo(30, of: remote.nowPlaying.track?.id))
        #expect(await remote.position == 30)
        try await remote.send(.seekTo(60, of: NowPlayingTrack.ID(rawValue: "another")))
        #expect(await remote.position == 30)
        try await remote.send(.pause)
        #expect(remote.nowPlaying.status == .paused)
        await #expect(throws: CoreError.self) { try await remote.send(.next) }
        try await remote.send(.stop)
        #expect(remote.nowPlaying.track == nil)
        await bridge.close()
    }

    /// A preparation counts as playing, and remote controls count seconds themselves: the beginning of the sound corrects them.
    @Test func remoteControlsLearnWhereSoundBegins() async throws {
        let bench = ControllerBench()
        let changes = bench.controller.remoteChanges.buffered(.bounded(1_024)).numbered
        _ = try await bench.playing()
        bench.alpha.set(.buffering)
        await bench.wait { $0.activity == .buffering }
        #expect(await bench.controller.nowPlaying().status == .playing)
        bench.alpha.set(.playing)
        await bench.wait { $0.activity == .playing }
        try await bench.controller.seek(to: .time(42))
        var jumps: [TimeInterval] = []
        for await change in changes {
            guard case .jumped(let position) = change.event else { continue }
            jumps.append(position)
            if position == 42 { break }
        }
        #expect(jumps == [0, 10, 42])
    }

    /// The key that plays and pauses is refused where nothing can be paused.
    @Test func whatWasStoppedIsPlayedByTheSameKey() async throws {
        let bench = ControllerBench()
        #expect(await bench.controller.nowPlaying().abilities == .open)
        try await bench.controller.loadContent(ControllerBench.song)
        #expect(await bench.controller.nowPlaying().abilities == [.play, .pause, .open])
        try await bench.controller.play()
        await bench.controller.stop()
        #expect(await bench.controller.nowPlaying().abilities == [.play, .pause, .open])
    }

    @Test func contentWithoutLengthCannotBeRepositionedRemotely() async throws {
        let seekable = RemoteAbilities.seek
        #expect(try await ControllerBench().playing().controller.nowPlaying().abilities.contains(seekable))
        let station = ControllerBench([ScriptedEngine("alpha", duration: 0), ScriptedEngine("beta")])
        try await station.controller.loadContent(ControllerBench.song)
        try await station.controller.play()
        let shown = await station.controller.nowPlaying()
        #expect(shown.status == .playing && !shown.abilities.contains(seekable))
    }

    // MARK: Selection

    @Test func selectionIsKeptInTheStateFolder() throws {
        let folder = try TemporaryDirectory()
        let selection = FileEngineSelection(application: "test", environment: ["XDG_STATE_HOME": folder.url.path])
        #expect(try selection.load() == nil)
        try selection.save("beta")
        #expect(try selection.load() == "beta")
        #expect(selection.file.path == folder.url.path + "/test/engine.json")
        try Data("no".utf8).write(to: selection.file)
        #expect(throws: CoreError.self) { try selection.load() }
        let relative = FileEngineSelection(application: "a", environment: ["XDG_STATE_HOME": "x", "HOME": "/home/me"])
        #expect(relative.file.path == "/home/me/.local/state/a/engine.json")
    }

    /// An engine of a bundle may report any numbers.
    @Test(arguments: [Int.max, .min]) func numbersOfAnEngineAreLimited(offset: Int) async throws {
        let engine = BoundlessEngine(offset)
        let controller = MediaPlaybackController(catalog: ScriptedEngines([engine]), session: nil)
        try await controller.loadContent(ControllerBench.text)
        try await controller.play()
        let progress = await controller.progress
        #expect(progress.fraction == 0)
        #expect(progress.characterOffset == (offset > 0 ? 2_000 : 0))
        try await controller.skipForward()
        try await controller.skipBackward()
    }
}

/// A scripted engine with numbers without sense.
private final class BoundlessEngine: EngineProgressReporting {
    private let base = ScriptedEngine("boundless")
    private let offset: Int

    init(_ offset: Int) { self.offset = offset }

    var identifier: String { base.identifier }
    var capabilities: EngineCapabilities { base.capabilities }
    var engineState: EngineState { base.engineState }
    var currentTime: TimeInterval { -.infinity }
    var duration: TimeInterval? { base.duration }
    var stateUpdates: EventStream<EngineState> { base.stateUpdates }
    var engineProgress: EngineProgress { EngineProgress(characterOffset: offset) }
    func loadContent(_ content: MediaContent) async throws { try await base.loadContent(content) }
    func play() async throws { try await base.play() }
    func pause() async { await base.pause() }
    func stop() async { await base.stop() }
    func seek(to position: MediaPosition) async throws { try await base.seek(to: position) }
    func setRate(_ rate: Double) async throws { try await base.setRate(rate) }
}
