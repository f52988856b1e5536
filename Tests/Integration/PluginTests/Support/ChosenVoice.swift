import Descant

/// A synthesizer of which one voice is wanted, so that a contract is checked on that one.
final class ChosenVoice: SpeechSynthesizer {
    private let synthesizer: any SpeechSynthesizer
    private let voice: String

    init(synthesizer: any SpeechSynthesizer, voice: String) {
        self.synthesizer = synthesizer
        self.voice = voice
    }

    var capabilities: SpeechCapabilities { synthesizer.capabilities }

    func voices() async throws -> [SpeechVoice] { try await synthesizer.voices().filter { $0.identifier == voice } }

    func prepare(_ request: SpeechRequest) async throws { try await synthesizer.prepare(choosing(request)) }

    func synthesize(_ request: SpeechRequest) -> AsyncThrowingStream<SpeechChunk, any Error> {
        synthesizer.synthesize(choosing(request))
    }

    func shutdown() async { await synthesizer.shutdown() }

    private func choosing(_ request: SpeechRequest) -> SpeechRequest {
        var request = request
        // The synthesizer itself has to refuse an unknown language.
        if request.voice == nil, request.language?.hasPrefix("en") != false { request.voice = voice }
        return request
    }
}
