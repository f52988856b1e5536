import DescantCore
import DescantTestSupport
import DescantTesting
import Foundation
import Synchronization
import Testing

@testable import DescantPlayback

/// Speech through a controller: voices, settings, events, releasing engines.
@Suite(.timeLimit(.minutes(2)))
struct ControllerSpeechTests {
    private static let text = "Apple river. Stone garden."

    private let bench = SpokenBench()
    private var controller: MediaPlaybackController { bench.controller }

    /// Collects events until one fits; that one is the last.
    private func read<Event>(_ events: EventStream<Event>, until fits: (Event) -> Bool) async -> [Event] {
        var all: [Event] = []
        for await event in events {
            all.append(event)
            if fits(event) { break }
        }
        return all
    }

    // MARK: Voices and settings

    @Test func voicesComeFromTheFirstEngineThatSpeaks() async throws {
        #expect(try await controller.voices().map(\.identifier) == ["low", "high"])
        #expect(await controller.madeEngines == ["one"])
        await #expect(throws: CoreError.self) { try await controller.voices(of: "music") }
        await #expect(throws: MediaPlaybackError.self) { try await controller.voices(of: "nobody") }
    }

    @Test func everyEngineKeepsItsSettings() async throws {
        var settings = try await controller.speechSettings(of: "one")
        settings.voice = "high"
        settings.pitch = 1.5
        try await controller.setSpeechSettings(settings, of: "one")
        #expect(try await controller.speechSettings(of: "two").voice == nil)
        try await controller.loadContent(.text(Self.text, language: "en"))
        try await controller.play()
        #expect(bench.requests("one").allSatisfy { $0.voice == "high" && $0.pitch == 1.5 })
        try await controller.selectEngine("two")
        #expect(!bench.requests("two").isEmpty && bench.requests("two").allSatisfy { $0.voice == nil && $0.pitch == 1 })
        settings.pitch = .nan
        await #expect(throws: CoreError.self) { try await controller.setSpeechSettings(settings) }
    }

    @Test func theRateOfTheSelectedEngineIsThatOfTheController() async throws {
        try await controller.loadContent(.text(Self.text, language: "en"))
        try await controller.play()
        var settings = try await controller.speechSettings()
        settings.rate = 2
        try await controller.setSpeechSettings(settings)
        #expect(await controller.state.rate == 2)
        try await controller.selectEngine("two")
        #expect(try await controller.speechSettings().rate == 2)
    }

    /// An engine that another one replaced keeps no old speed.
    @Test func theNormalRateIsCarriedToo() async throws {
        try await controller.loadContent(.text(Self.text, language: "en"))
        try await controller.preload()
        try await controller.setRate(2)
        try await controller.selectEngine("two")
        try await controller.setRate(1)
        try await controller.selectEngine("one")
        #expect(try await controller.speechSettings().rate == 1)
    }

    // MARK: Events

    @Test func wordsAreEventsWithRangesOfTheText() async throws {
        let (speech, events) = (controller.speechEvents, controller.events)
        try await controller.loadContent(.text(Self.text, language: "en"))
        try await controller.play()
        try await bench.render(80_000)
        let heard = await read(speech) { $0.kind == .finished }
        let ranges = TextRanges(Self.text)
        let words = heard.compactMap { if case .word(let range, _) = $0.kind { ranges[utf8: range] } else { nil } }
        #expect(words == ["Apple", "river", "Stone", "garden"])
        let loaded = await read(events) { if case .contentLoaded = $0 { true } else { false } }
        #expect(loaded.last == .contentLoaded(.text(Self.text, language: "en")))
    }

    @Test func currentWordIsARangeOfBytes() async throws {
        let text = "Äpfel Öl."
        try await controller.loadContent(.text(text, language: "en"))
        try await controller.play()
        let speech = controller.speechEvents
        try await bench.render(SpeechSession.letter * 5 + 1_000)
        _ = await read(speech) { if case .word(7..<10, _) = $0.kind { true } else { false } }
        let progress = await controller.progress
        #expect(progress.currentWord == 7..<10 && progress.characterOffset == 6)
    }

    @Test func failuresEndTheEvents() async throws {
        // The voice is prepared beside the beginning: either may be told first.
        let (speech, preparation) = (controller.speechEvents, controller.speechEvents)
        var settings = try await controller.speechSettings()
        settings.voice = "nobody"
        try await controller.setSpeechSettings(settings)
        try await controller.loadContent(.text(Self.text, language: "en"))
        await #expect(throws: CoreError.notFound("voice nobody")) { try await controller.play() }
        let heard = await read(speech) { if case .failed = $0.kind { true } else { false } }
        #expect(heard.last?.kind == .failed(.notFound("voice nobody")))
        let prepared = await read(preparation) { if case .prepared = $0.kind { true } else { false } }
        #expect(prepared.last?.kind == .prepared(nil))
    }

    @Test func positionsAreEvents() async throws {
        let positions = EventRecorder(controller.positionUpdates(every: 0.25))
        try await controller.loadContent(.text(Self.text, language: "en"))
        try await controller.seek(to: .characterOffset(13))
        try await positions.wait { $0.characterOffset == 13 }
        try await controller.play()
        try await positions.wait { $0.position > 0 }
        try await bench.render(SpeechSession.letter * 2)
        await bench.clock.waitForSleepers()
        bench.clock.advance(seconds: 0.25)
        let position = await controller.progress.position
        try await positions.wait { $0.position == position }
    }

    // MARK: Releasing

    @Test func unloadedEngineIsMadeAnewAtTheSamePlace() async throws {
        let events = controller.events
        try await controller.loadContent(.text(Self.text, language: "en"))
        try await controller.play()
        try await bench.render(SpeechSession.letter * 11 + 3_000)
        // The word is told later than it is rendered. More sound would lead to the next one.
        while await controller.progress.characterOffset != 13, !Task.isCancelled { await Task.yield() }
        await controller.unloadEngine("one")
        #expect(await controller.madeEngines == [])
        #expect(await controller.state.engine == "one")
        #expect(await controller.progress.characterOffset == 13)
        await #expect(throws: CoreError.self) { try await bench.synthesizer("one").ask() }
        try await controller.play()
        #expect(bench.requests("one").first?.text == "Stone garden.")
        let seen = await read(events) { $0 == .engineUnloaded("one") }
        #expect(seen.last == .engineUnloaded("one"))
        await controller.unloadEngine("two")
        #expect(await controller.state.activity == .playing)
    }
}

/// A controller of two voices and an engine of sound, over a mixer in memory.
private struct SpokenBench {
    let manual = ManualMixingEngine.offline(format: SpeechSession.format)
    let clock = ManualClock()
    let controller: MediaPlaybackController
    private let catalog: Voices

    init() {
        catalog = Voices(mixer: manual.engine)
        controller = MediaPlaybackController(catalog: catalog, session: nil, clock: clock)
    }

    /// The synthesizer that was made last for an engine.
    func synthesizer(_ identifier: String) -> GatedSynthesizer {
        catalog.made.withLock { $0[identifier] } ?? GatedSynthesizer()
    }

    func requests(_ identifier: String) -> [SpeechRequest] { synthesizer(identifier).requests }

    func render(_ frames: Int) async throws {
        _ = try await manual.engine.advance(frames: Int64(frames), untilIdle: nil)
    }
}

private final class Voices: EngineCatalog {
    let made = Mutex<[String: GatedSynthesizer]>([:])
    private let mixer: any MixingEngine

    init(mixer: any MixingEngine) { self.mixer = mixer }

    var engines: [String] { ["music", "one", "two"] }

    func refusal(of identifier: String) -> String? { engines.contains(identifier) ? nil : "there is no \(identifier)" }

    func capabilities(of identifier: String) -> EngineCapabilities? { identifier == "music" ? .playsURLs : .speaksText }

    func makeEngine(_ identifier: String) async throws -> any MediaEngine {
        guard identifier != "music" else { return ScriptedEngine("music", capabilities: .playsURLs) }
        let synthesizer = GatedSynthesizer(ToneSynthesizer(concurrency: 1))
        made.withLock { $0[identifier] = synthesizer }
        return SpeechEngine(
            identifier: identifier, synthesizer: synthesizer, mixer: mixer, settings: SpeechSession.settings)
    }
}

extension GatedSynthesizer {
    fileprivate func ask() async throws {
        for try await _ in synthesize(SpeechRequest(text: "Apple.")) {}
    }
}
