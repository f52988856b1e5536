internal import CFlite
internal import Descant
internal import Foundation

/// Speaks English with flite, inside the host's process.
final class FliteSynthesizer: SpeechSynthesizer {
    let capabilities = SpeechCapabilities(
        wordTiming: .exact, cancelGranularity: .immediate, concurrency: 4, rateRange: 0.25...4, pitchRange: 0.5...2,
        languages: ["en-US", "en-GB", "en"], longestRequest: 400)

    private let workers = SpeechWorkers(name: "flite", limit: 4)

    func voices() async throws -> [SpeechVoice] { FliteVoice.allCases.map(\.description) }

    func prepare(_ request: SpeechRequest) async throws {
        try await workers.call {
            _ = try FliteVoice.choose(voice: request.voice, language: request.language).load()
        }
    }

    func synthesize(_ request: SpeechRequest) -> AsyncThrowingStream<SpeechChunk, any Error> {
        let capabilities = capabilities
        return workers.speak { feed in
            let voice = try FliteVoice.choose(voice: request.voice, language: request.language)
            try FliteReading(request, voice: voice, capabilities: capabilities, feed: feed).speak()
        }
    }

    func shutdown() async { await workers.shutdown() }
}
