import DescantCore
import DescantPlayback
import DescantTesting
import Foundation
import Testing

/// Speech together with other sounds.
@Suite(.timeLimit(.minutes(2)))
struct SpeechInTheMixTests {
    @Test func textCanBeATrackOfAPlaylist() async throws {
        let session = await PlayerSession()
        let tracks = SpeechTracks(identifier: "tones", synthesizer: ToneSynthesizer())
        await session.player.setTrackSources(tracks)
        let spoken = try tracks.add("Alpha beta gamma.")
        let urls = [session.track("a", level: 0.25, seconds: 2), spoken, session.track("b", level: 0.125, seconds: 2)]
        try await session.player.loadPlaylist(urls, configuration: PlayerConfiguration(crossfadeDuration: 0))
        try await session.finish()
        let speech = try await SpeechSession.sound("Alpha beta gamma.")
        let samples = session.manual.rendered.samples
        #expect(Array(samples[16_000..<16_000 + speech.count]) == speech)
        #expect(samples[15_999] == 0.25 && samples[16_000 + speech.count] == 0.125)
        #expect(tracks.marks(of: spoken).map(\.utf8Range) == [0..<5, 6..<10, 11..<16])
    }

    @Test func spokenTrackCrossfades() async throws {
        let session = await PlayerSession()
        let tracks = SpeechTracks(identifier: "tones", synthesizer: ToneSynthesizer())
        await session.player.setTrackSources(tracks)
        let text = (0..<8).map { "Alpha beta gamma delta \($0)." }.joined(separator: " ")
        let urls = [session.track("a", level: 0, seconds: 5), try tracks.add(text)]
        try await session.player.loadPlaylist(
            urls, configuration: PlayerConfiguration(crossfadeDuration: 1, fadeCurve: .linear))
        try await session.finish()
        let start = 32_000
        let first = try await SpeechSession.sound("Alpha beta gamma delta 0.")
        // Half way through a linear fade the voice has half its level.
        #expect(abs(session.manual.rendered.samples[start + 4_000] - first[4_000] / 2) < 1e-3)
        #expect(abs(session.manual.rendered.samples[start + 6_000] - first[6_000] * 0.75) < 1e-3)
    }

    @Test func invalidSpokenTracksAreRefusedWithAReason() throws {
        let tracks = SpeechTracks(identifier: "tones", synthesizer: ToneSynthesizer())
        #expect(throws: CoreError.self) { try tracks.add("...") }
        #expect(throws: CoreError.self) { try tracks.add(String(repeating: "word ", count: 3_000)) }
    }

    @Test func speechDucksTheMusic() async throws {
        let session = await PlayerSession()
        let voice = SpeechEngine(
            identifier: "tones", synthesizer: ToneSynthesizer(), mixer: session.manual.engine,
            settings: SpeechSession.settings)
        let music = session.track("music", level: 0.5, seconds: 20)
        try await session.player.loadPlaylist([music], configuration: PlayerConfiguration(crossfadeDuration: 0))
        let layer = await voice.layer
        let ducking = Ducking(amount: 20, attack: 0.05, hold: 0.1, release: 0.1)
        await session.player.setDucking(ducking, of: .main, under: [.layer(layer)])
        try await session.advance(1)
        try await voice.loadContent(.text("Alpha beta gamma delta epsilon.", language: nil))
        try await voice.play()
        try await session.advance(4)
        let main = session.manual.output.rendered(of: session.manual.engine.mainLayer).samples
        #expect(main[7_900] == 0.5)
        #expect(abs(main[11_900] - 0.05) < 1e-4)
        #expect(abs(main[main.count - 1] - 0.5) < 1e-4)
        let spoken = session.manual.output.rendered(of: layer).samples
        let expected = try await SpeechSession.sound("Alpha beta gamma delta epsilon.")
        #expect(Array(spoken[8_000..<8_000 + expected.count]) == expected)
        await voice.shutdown()
    }
}
