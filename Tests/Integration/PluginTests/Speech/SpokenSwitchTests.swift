import Descant
import DescantTesting
import Foundation
import Testing

/// Real voices behind the controller.
@Suite(.timeLimit(.minutes(3))) struct SpokenSwitchTests {
    /// Long enough not to end while another engine is created, also on a busy machine.
    private let text =
        "The river runs past the old mill and under seven stone bridges before it reaches the sea, "
        + "and from the last of the bridges the children wave to every boat that goes down with the tide, "
        + "while the miller counts the bags of flour that the mill has made since the morning, "
        + "and hears how the wheel turns and the water falls from one board to the next without an end."

    /// Another engine that is chosen in the middle of a sentence continues at the word, and the session stays active.
    @Test(arguments: [("espeak", "flite"), ("flite", "espeak")])
    func anotherEngineContinuesAtTheWord(first: String, second: String) async throws {
        let log = RecordingLogger()
        let desktop = ScriptedAudioSession()
        let heard = EventHub<Int64>(initial: 0)
        let environment = AudioEnvironment(plugins: try SpeechBundle("EspeakSpeech").registry, logger: log)
        let controller = environment.makeController(
            output: .callback(.realTime) { heard.post($0.frame) },
            session: AudioSessionCoordinator(port: desktop, logger: log), selection: MemoryEngineSelection(first))
        try await controller.loadContent(.text(text, language: "en"))
        try await controller.play()
        // One second and a half of speech: some words, and most of the sentence to come.
        for await frame in heard.stream(buffer: .newest) where frame > 72_000 { break }
        let before = try #require(await controller.progress.characterOffset)
        try await controller.selectEngine(second)
        let after = try #require(await controller.progress.characterOffset)
        #expect(wordStarts.contains(after), "\(after)")
        // On a busy machine much more is heard between reading the position and the switch.
        #expect(after >= before && after > 10 && after < text.count, "\(before) \(after)")
        for await state in controller.updates where state.activity == .finished { break }
        #expect(await controller.madeEngines == ["espeak", "flite"])
        await controller.stop()
        #expect(desktop.activationCount == 1 && desktop.deactivationCount == 1)
        #expect(log.events.count { $0.name == "session.handOver" } == 1)
        #expect(log.entries.allSatisfy { $0.level <= .info }, "\(log.entries)")
    }

    @Test func theHostPrefersEnginesAndGivesThemSettings() async throws {
        let environment = AudioEnvironment(plugins: try SpeechBundle("EspeakSpeech").registry)
        let voice = "gmw/en-GB-scotland"
        let controller = environment.makeController(
            output: .null, preferred: ["flite"],
            speech: SpeechConfiguration(
                settings: SpeechSettings(pitch: 1.2), engines: ["espeak": SpeechSettings(voice: voice)]))
        #expect(controller.availableEngines.prefix(2) == ["flite", "gstreamer"])
        #expect(try await controller.speechSettings().pitch == 1.2)
        #expect(try await controller.speechSettings(of: "espeak").voice == voice)
        #expect(try await controller.voices(of: "espeak").contains { $0.identifier == voice })
        #expect(await controller.madeEngines == ["espeak", "flite"])
        for engine in ["espeak", "flite"] { await controller.unloadEngine(engine) }

        let speech = try await environment.makeSpeech("flite", output: .null, settings: SpeechSettings(pitch: 0.9))
        #expect(await speech.settings.pitch == 0.9)
        #expect(try await !speech.voices().isEmpty)
        await speech.shutdown()
        await #expect(throws: PluginError.self) { try await environment.makeSpeech("nobody", output: .null) }
    }

    private var wordStarts: Set<Int> {
        var starts: Set<Int> = []
        var isInside = false
        for (offset, character) in text.enumerated() {
            if character.isLetter, !isInside { starts.insert(offset) }
            isInside = character.isLetter
        }
        return starts
    }
}
