import Descant
import DescantTesting
import Foundation
import Testing

@testable import PlayerIntegration

/// Speech into a file.
struct SpeakingTests {
    private let shelf: Shelf

    init() throws { shelf = try Shelf() }

    /// Events that were read only after the rendering would be lost in a long text. The second sentence is made once a
    /// word of the first one was told.
    @Test(.timeLimit(.minutes(2))) func wordsAreToldWhileTheFileIsWritten() async throws {
        let synthesizer = GatedSynthesizer(ToneSynthesizer(concurrency: 1))
        let plugins = PluginRegistry(searchPath: [])
        plugins.register(.speechSynthesizer("tones") { synthesizer })
        // 13 seconds: more than is read ahead of what is rendered.
        let first = Array(repeating: "alpha", count: 60)
        synthesizer.hold()
        synthesizer.release(first.count)
        let file = shelf.folder.appendingPathComponent("speech.wav")
        let request = SpeakRequest(
            text: first.joined(separator: " ") + ". Beta gamma.", engine: "tones", settings: SpeechSettings(),
            output: .wav(file, .f32))
        let report = try await Speaking(environment: AudioEnvironment(plugins: plugins)).speak(request) { _ in
            synthesizer.release()
        }
        #expect(report.marks.filter { $0.kind == "word" }.map(\.text) == first + ["Beta", "gamma"])
        #expect(report.frames > 13 * 48_000)
    }
}
