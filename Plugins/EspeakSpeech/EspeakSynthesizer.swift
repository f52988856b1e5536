internal import Descant
internal import Foundation
internal import Synchronization

/// Speaks with espeak-ng, which it loads for each request. Runs in a helper process, which a crash of espeak-ng ends.
final class EspeakSynthesizer: SpeechSynthesizer {
    // A helper speaks one request at a time; the host has several helpers.
    let capabilities = SpeechCapabilities(
        wordTiming: .exact, cancelGranularity: .immediate, concurrency: 4, rateRange: EspeakUtterance.rates,
        pitchRange: EspeakUtterance.pitches, longestRequest: 2_000)

    private let installation = EspeakInstallation()
    private let workers = SpeechWorkers(name: "espeak", limit: 1)
    /// The voices, once they are known. Locked while the library is loaded, because there can only be one.
    private let voices = Mutex<EspeakVoices?>(nil)

    func voices() async throws -> [SpeechVoice] {
        try await workers.call { try self.voices.withLock { try self.list(&$0).all } }
    }

    func prepare(_ request: SpeechRequest) async throws {
        try await workers.call {
            try self.voices.withLock { voices in
                _ = try self.list(&voices).choose(voice: request.voice, language: request.language)
            }
        }
    }

    func synthesize(_ request: SpeechRequest) -> AsyncThrowingStream<SpeechChunk, any Error> {
        workers.speak { feed in
            try self.voices.withLock { try self.speak(EspeakUtterance(request), self.list(&$0), to: feed) }
        }
    }

    func shutdown() async { await workers.shutdown() }

    private func list(_ known: inout EspeakVoices?) throws -> EspeakVoices {
        if let known { return known }
        let voices = try EspeakVoices(of: EspeakLibrary(installation))
        known = voices
        return voices
    }

    private func speak(_ utterance: EspeakUtterance, _ voices: EspeakVoices, to feed: SpeechFeed) throws {
        let request = utterance.request
        let voice = try voices.choose(voice: request.voice, language: request.language)
        let warnings = utterance.warnings(voice: voice)
        if !warnings.isEmpty {
            let chunk = SpeechChunk(samples: [], sampleRate: voices.sampleRate, warnings: warnings)
            guard feed.send(chunk) else { return }
        }
        guard utterance.hasWords else { return }
        let library = try EspeakLibrary(installation)
        func failure(_ what: String) -> CoreError {
            .ioError("espeak: espeak-ng \(what) (voice \(voice.identifier), request \(utterance.excerpt))")
        }
        guard library.choose(voice: voice.identifier) else { throw failure("cannot load its voice") }
        var onsets = SpeechOnsets(sampleRate: library.sampleRate)
        var marks: [SpeechMark] = []
        var nextWord = 0
        let isSpoken = library.speak(utterance) { piece in
            switch piece {
            case .word(let scalar, let frame):
                guard let range = utterance.word(atScalar: scalar, next: &nextWord) else { return true }
                marks.append(SpeechMark(kind: .word, utf8Range: range, frame: frame, isEstimated: false))
                return true
            case .sound(let samples):
                let chunk = onsets.append(samples, marks: marks)
                marks = []
                return chunk.map { feed.send($0) } ?? !feed.isClosed
            }
        }
        guard isSpoken else { throw failure("failed") }
        if !feed.isClosed, let rest = onsets.finish() { _ = feed.send(rest) }
    }
}
