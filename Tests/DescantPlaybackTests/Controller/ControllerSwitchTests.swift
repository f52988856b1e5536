import DescantCore
import DescantTesting
import Foundation
import Testing

@testable import DescantPlayback

/// Switches from one engine to another.
@Suite(.timeLimit(.minutes(2)))
struct ControllerSwitchTests {
    private let song = ControllerBench.song
    private let text = ControllerBench.text

    @Test func switchCarriesSecondsAndRate() async throws {
        let bench = try await ControllerBench().playing()
        try await bench.controller.setRate(1.5)
        try await bench.controller.selectEngine("beta")
        #expect(bench.alpha.calls.last == "stop")
        #expect(bench.beta.calls == ["load", "rate 1.5", "seek 10.0", "play"])
        #expect(bench.desktop.activationCount == 1)
        #expect(bench.selection.load() == "beta")
        #expect(await bench.controller.state.activity == .playing)
        #expect(await bench.controller.progress(of: "alpha").position == 10)
    }

    @Test func switchCarriesTheCharacterOfAText() async throws {
        let bench = ControllerBench([ScriptedEngine("alpha", duration: 100), ScriptedEngine("beta", duration: 40)])
        _ = try await bench.playing(text)
        await bench.controller.pause()
        try await bench.controller.selectEngine("beta")
        #expect(await bench.controller.progress.characterOffset == 200)
        #expect(await bench.controller.progress.position == 4)
        #expect(await bench.controller.state.activity == .paused)
        #expect(bench.beta.engineState == .ready)
        #expect(bench.desktop.activeConfiguration == nil)
    }

    @Test func switchDuringStartPlaysOnTheNewEngine() async throws {
        let bench = ControllerBench()
        bench.alpha.failPlaying(.ioError("no device"))
        try await bench.controller.loadContent(song)
        let start = Task { try await bench.controller.play() }
        await bench.clock.waitForSleepers()
        try await bench.controller.selectEngine("beta")
        await #expect(throws: CancellationError.self) { try await start.value }
        #expect(await bench.controller.state.activity == .playing)
        #expect(bench.beta.calls == ["load", "play"])
        #expect(bench.desktop.activeConfiguration != nil)
    }

    @Test func pauseDuringASwitchLeavesTheNewEnginePaused() async throws {
        let bench = try await ControllerBench().playing()
        bench.beta.failPlaying(.ioError("no device"))
        let change = Task { try await bench.controller.selectEngine("beta") }
        await bench.clock.waitForSleepers()
        await bench.controller.pause()
        await #expect(throws: CancellationError.self) { try await change.value }
        let state = await bench.controller.state
        #expect(state.engine == "beta" && state.activity == .paused && state.lastErrorMessage == nil)
        #expect(bench.alpha.calls.count { $0 == "play" } == 1)
        #expect(bench.selection.load() == "beta")
        #expect(await bench.controller.progress.position == 10)
    }

    @Test(arguments: [
        MediaPosition.fraction(.infinity), .fraction(-.infinity), .characterOffset(.max), .characterOffset(.min),
        .time(.infinity), .time(-.infinity),
    ])
    func positionsAreClamped(_ position: MediaPosition) async throws {
        let bench = ControllerBench()
        try await bench.controller.loadContent(text, sections: [MediaSection(title: "one", start: position)])
        try await bench.controller.seek(to: position)
        #expect((0...1).contains(await bench.controller.progress.fraction))
        try await bench.controller.seekToSection(0)
        try await bench.controller.skipBackward(characters: .min, seconds: .infinity)
        try await bench.controller.skipForward(characters: .max, seconds: .infinity)
        try await bench.controller.skipBackward(characters: .max)
        #expect(await bench.controller.progress.characterOffset == 0)
        await #expect(throws: CoreError.self) { try await bench.controller.seek(to: .fraction(.nan)) }
        await #expect(throws: CoreError.self) { try await bench.controller.seek(to: .time(.nan)) }
        _ = bench.controller.positionUpdates(every: .greatestFiniteMagnitude)
    }

    @Test func switchToUnsuitableEngineIsReverted() async throws {
        let bench = ControllerBench([ScriptedEngine("alpha"), ScriptedEngine("beta", capabilities: .speaksText)])
        _ = try await bench.playing()
        await #expect(throws: MediaPlaybackError.self) { try await bench.controller.selectEngine("beta") }
        let state = await bench.controller.state
        #expect(state.engine == "alpha")
        #expect(state.activity == .playing)
        #expect(state.progress.position == 10)
        #expect(bench.selection.load() == nil)
    }

    @Test func engineRefusedByTheHostIsNotCreated() async throws {
        let bench = try await ControllerBench().playing()
        bench.catalog.refuse("beta", because: "its model is missing")
        #expect(!bench.controller.canUseEngine("beta"))
        await #expect(throws: MediaPlaybackError.engineUnavailable("beta", reason: "its model is missing")) {
            try await bench.controller.selectEngine("beta")
        }
        #expect(bench.catalog.made == ["alpha"])
        #expect(await bench.controller.state.activity == .playing)
    }

    @Test func missingBundleFallsBackAndIsRemembered() async throws {
        let bench = ControllerBench(policy: .selectedAtLaunch, selected: "beta")
        bench.catalog.refuse("beta", because: "the bundle is gone")
        let events = bench.controller.events.numbered
        await bench.controller.launch()
        #expect(await bench.controller.state.engine == "alpha")
        #expect(bench.selection.load() == "beta")
        var seen: [MediaPlaybackEvent] = []
        for await event in events {
            seen.append(event.event)
            if seen.count == 2 { break }
        }
        #expect(
            seen == [
                .engineCreated("alpha"),
                .engineFellBack(
                    from: "beta", to: "alpha", reason: "the engine beta cannot be used: the bundle is gone"),
            ])
        #expect(bench.log.events.contains { $0.name == "controller.fallback" && $0.level == .warning })
    }

    @Test func remoteEngineNeedsNoSession() async throws {
        let bench = ControllerBench([
            ScriptedEngine("alpha"), ScriptedEngine("beta", capabilities: [.playsURLs, .seeks, .remote]),
        ])
        _ = try await bench.playing()
        try await bench.controller.selectEngine("beta")
        #expect(bench.desktop.activeConfiguration == nil)
        #expect(await bench.controller.state.activity == .playing)
        // Another client pauses the player.
        bench.beta.set(.paused)
        await bench.wait { $0.activity == .paused }
        bench.beta.set(.playing)
        await bench.wait { $0.activity == .playing }
    }

    @Test func switchAfterTheEndBeginsAgain() async throws {
        for content in [song, text] {
            let bench = try await ControllerBench().playing(content)
            bench.alpha.pass(200)
            await bench.wait { $0.isFinished }
            try await bench.controller.selectEngine("beta")
            try await bench.controller.play()
            #expect(!bench.beta.calls.contains { $0.hasPrefix("seek") }, "\(bench.beta.calls)")
        }
    }

    /// The engine that was left reports its stop, also when the controller is paused with it again.
    @Test func aFailedSwitchFromAPauseStaysPaused() async throws {
        let bench = try await ControllerBench().playing()
        await bench.controller.pause()
        bench.beta.failLoading(.unsupported("not this"))
        await #expect(throws: CoreError.self) { try await bench.controller.selectEngine("beta") }
        // The report is handled meanwhile. If it is not, the test does not see what it looks for.
        for _ in 0..<1_000 { await Task.yield() }
        #expect(await bench.controller.state.activity == .paused)
        #expect(await bench.controller.progress.position == 10)
    }
}
