import Descant
import DescantTesting
import Foundation
import Testing

/// Real voices behind the controller, sample by sample.
@Suite(.timeLimit(.minutes(5))) struct SpokenControllerTests {
    private static let sentences = RealVoice.sentences(10)
    private static let text = sentences.joined(separator: " ")

    /// A folder with bundles of its own, so that nobody else has them in this process.
    private func shelf(_ voices: [RealVoice] = RealVoice.allCases) throws -> BundleShelf {
        let shelf = try BundleShelf()
        for voice in voices {
            let name = voice.bundle + ".descantplugin"
            try FileManager.default.copyItem(
                at: SpeechBundle(voice.bundle).folder, to: shelf.folder.appendingPathComponent(name))
        }
        return shelf
    }

    private func mapped(in shelf: BundleShelf) throws -> [RealVoice] {
        try RealVoice.allCases.filter { voice in
            try LoadedImages.contain(libraryOf: shelf.folder.appendingPathComponent(voice.bundle + ".descantplugin"))
        }
    }

    // MARK: When

    /// Whatever is done before: the desktop hears of us with play, and sound comes at once.
    @Test(arguments: zip([RealVoice.espeak, .flite, .sherpa], [0.05, 0.1, 0.1]))
    func onlyPlayTouchesTheSession(voice: RealVoice, limit: Double) async throws {
        let bench = SpokenController(
            try SpeechBundle(voice.bundle).registry, selected: voice, policy: .selectedAtLaunch)
        await bench.controller.launch()
        try await bench.controller.loadContent(.text(Self.text, language: "en"))
        try await bench.controller.preload()
        try await bench.controller.seek(to: .characterOffset(Self.sentences[0].count + 1))
        try await bench.controller.seek(to: .time(0))
        try await bench.controller.setRate(1.5)
        try await bench.controller.setRate(1)
        #expect(bench.desktop.activationCount == 0 && !bench.manual.output.isStarted)
        #expect(bench.manual.decks.openDeckCount == 0 && !bench.log.events.contains { $0.name == "speech.generate" })
        try await bench.controller.play()
        #expect(bench.desktop.activationCount == 1)
        #expect(bench.desktop.activeConfiguration?.role == .speech)
        try await bench.render(1)
        let first = try #require(bench.samples.firstIndex { $0.magnitude > 0.001 })
        #expect(Double(first) / Double(SpokenController.sampleRate) < limit)
        await bench.controller.pause()
        try await bench.controller.play()
        #expect(bench.desktop.activationCount == 1)
        await bench.controller.stop()
        #expect(bench.desktop.deactivationCount == 1)
        #expect(bench.log.entries.allSatisfy { $0.level <= .info }, "\(bench.log.entries)")
    }

    @Test(arguments: [EngineInitializationPolicy.onDemand, .selectedAtLaunch])
    func unusedVoicesAreNeverMapped(policy: EngineInitializationPolicy) async throws {
        let shelf = try shelf()
        let bench = SpokenController(shelf.registry(), selected: .flite, policy: policy)
        #expect(Set(bench.controller.availableEngines) == ["espeak", "flite", "sherpa"])
        await bench.controller.launch()
        try await bench.controller.loadContent(.text(Self.text, language: "en"))
        #expect(try mapped(in: shelf) == (policy == .onDemand ? [] : [.flite]))
        let espeak = shelf.folder.appendingPathComponent("EspeakSpeech.descantplugin")
        try await bench.controller.play()
        try await bench.render(0.5)
        #expect(try mapped(in: shelf) == [.flite])
        await bench.controller.stop()
        #expect(Processes.serving(espeak) == [])
        try await bench.controller.selectEngine("espeak")
        #expect(!Processes.serving(espeak).isEmpty)
        #expect(try mapped(in: shelf) == [.flite])
        #expect(await bench.controller.madeEngines == ["espeak", "flite"])
    }

    // MARK: Switching

    /// The other voice begins with the word that was heard: its very samples follow those of the first.
    @Test(arguments: [RealVoice.flite, .sherpa]) func theOtherVoiceBeginsWithTheWord(first: RealVoice) async throws {
        let bench = SpokenController(try SpeechBundle(first.bundle).registry, selected: first)
        try await bench.controller.loadContent(.text(Self.text, language: "en"))
        try await bench.controller.play()
        let second: Int = Self.sentences[0].count + 1
        let word: Int = second + Self.sentences[1].prefix(while: { $0 != " " }).count + 1
        try await bench.render(to: word)
        let switched = bench.samples.count
        try await bench.controller.selectEngine("espeak")
        let offset = try #require(await bench.controller.progress.characterOffset)
        #expect(offset == word)
        try await bench.render(until: .finished)
        let expected = try await SpokenSession(.espeak).rehearse(String(Self.text.dropFirst(offset)))
        // The first voice leaves with a ramp of 10 ms.
        let ramp = SpokenController.sampleRate / 90
        let wanted: [Float] = Array(expected.dropFirst(ramp))
        let heard: [Float] = Array(bench.samples.dropFirst(switched + ramp).prefix(wanted.count))
        let isSame = heard == wanted
        #expect(isSame)
        #expect(bench.desktop.activationCount == 1 && bench.desktop.deactivationCount == 1)
        #expect(bench.log.events.count { $0.name == "session.handOver" } == 1)
        #expect(bench.log.entries.allSatisfy { $0.level <= .info }, "\(bench.log.entries)")
    }

    /// A voice whose process is gone for good: an error, another voice is offered, and it goes on at that word.
    @Test func brokenVoiceIsReplacedByAnother() async throws {
        let helper = try HelperShelf()
        let flite = "FliteSpeech.descantplugin"
        try FileManager.default.copyItem(
            at: SpeechBundle("FliteSpeech").folder, to: helper.shelf.folder.appendingPathComponent(flite))
        let bench = SpokenController(helper.registry(), selected: .espeak)
        try await bench.controller.loadContent(.text(Self.text, language: "en"))
        try await bench.controller.play()
        try await bench.render(0.5)
        try await helper.waitForHelpers()
        try helper.takeAway()
        while await bench.controller.state.activity != .failed {
            // One that was being started may be there now.
            helper.killHelpers()
            try await bench.render(0.5)
        }
        let state = await bench.controller.state
        #expect(state.offeredEngine == "flite")
        #expect(state.lastErrorMessage?.contains("espeak") == true, "\(state.lastErrorMessage ?? "")")
        let offset = try #require(state.progress.characterOffset)
        // The samples before the failure are heard.
        #expect(SpokenWords.ranges(in: Self.text).contains { $0.lowerBound == offset }, "\(offset)")
        try await bench.controller.selectEngine("flite")
        try await bench.controller.play()
        #expect(await bench.controller.progress.characterOffset == offset)
        try await bench.render(until: .finished)
        #expect(await bench.controller.state.engine == "flite")
        // Keeps the bundles until here.
        withExtendedLifetime(helper) {}
    }

    // MARK: Log

    /// The same log as with tones; only names and lengths differ.
    @Test(arguments: RealVoice.allCases) func logMatchesTheGoldenFile(voice: RealVoice) async throws {
        for isCancelled in [false, true] {
            let bench = SpokenController(
                try SpeechBundle(voice.bundle).registry, selected: voice, settings: SpeechSettings())
            try await bench.controller.loadContent(.text("Apple river. Stone garden.", language: "en"))
            try await bench.controller.play()
            try await bench.render(0.2)
            await bench.log.wait(for: "engine.didStart")
            await bench.log.wait(for: "speech.complete", count: 2)
            if isCancelled {
                await bench.controller.stop()
            } else {
                try await bench.render(until: .finished)
            }
            let name = isCancelled ? "spoken-text-cancelled" : "spoken-text"
            let golden = try String(
                contentsOf: SwiftPackage.root.appendingPathComponent(
                    "Tests/DescantPlaybackTests/Controller/Golden/\(name).log"), encoding: .utf8)
            let expected = golden.replacingOccurrences(of: "engine=tones", with: "engine=\(voice.rawValue)")
                .split(separator: "\n").map(Self.withoutLengths)
            let seen = SpokenLog.ordered(bench.log).events
                .map { Self.withoutLengths("\($0.level.rawValue) \($0.text(revealing: true))") }
            #expect(seen == expected)
        }
    }

    private static func withoutLengths(_ line: some StringProtocol) -> String {
        line.split(separator: " ").filter { !$0.hasPrefix("frames=") && !$0.hasPrefix("sampleRate=") }
            .joined(separator: " ")
    }
}
