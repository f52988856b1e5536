internal import Descant
internal import Foundation
internal import Synchronization

/// Speaks with espeak-ng in helper processes: one per concurrent request, each used for one request after the other.
///
/// A crash of espeak-ng fails one request; the next one gets a new process.
final class EspeakSynthesizer: SpeechSynthesizer {
    private struct State {
        var idle: [EspeakHelper] = []
        var voices: EspeakVoices?
        var requests: UInt32 = 0
    }

    let capabilities = SpeechCapabilities(
        wordTiming: .exact, cancelGranularity: .immediate, concurrency: 4, rateRange: EspeakUtterance.rates,
        pitchRange: EspeakUtterance.pitches, longestRequest: 2_000)

    private let path: String
    private let logger: any LoggerPort
    private let workers = SpeechWorkers(name: "espeak", limit: 4)
    private let state = Mutex(State())

    init(helper path: String, logger: any LoggerPort) {
        self.path = path
        self.logger = logger
    }

    func voices() async throws -> [SpeechVoice] {
        try await workers.call { try self.withHelper { try self.voices(of: $0) }.all }
    }

    func prepare(_ request: SpeechRequest) async throws {
        try await workers.call {
            try self.withHelper { helper in
                _ = try self.voices(of: helper).choose(voice: request.voice, language: request.language)
            }
        }
    }

    func synthesize(_ request: SpeechRequest) -> AsyncThrowingStream<SpeechChunk, any Error> {
        workers.speak { feed in
            let number = self.state.withLock { state in
                state.requests &+= 1
                return state.requests
            }
            try self.withHelper { helper in
                try self.speak(EspeakUtterance(request, number: number), with: helper, to: feed)
            }
        }
    }

    func shutdown() async {
        await workers.shutdown()
        let helpers = state.withLock { state in
            defer { state.idle = [] }
            return state.idle
        }
        withExtendedLifetime(helpers) {}
    }

    // MARK: Helpers

    /// Runs a body with a helper. A helper that fails is not used again.
    private func withHelper<Result>(_ work: (EspeakHelper) throws -> Result) throws -> Result {
        let idle = state.withLock { $0.idle.popLast() }
        let helper = try idle.flatMap { $0.isAlive ? $0 : nil } ?? EspeakHelper(path: path)
        do {
            let result = try work(helper)
            state.withLock { $0.idle.append(helper) }
            return result
        } catch let error as CoreError {
            if case .ioError = error {
                logger.warn("\(error)")
            } else {
                state.withLock { $0.idle.append(helper) }
            }
            throw error
        }
    }

    private func voices(of helper: EspeakHelper) throws -> EspeakVoices {
        if let known = state.withLock(\.voices) { return known }
        try helper.link.send("V")
        guard case .voices(let list) = try helper.link.receive() else {
            throw CoreError.ioError("espeak: the helper did not list its voices")
        }
        let voices = try EspeakVoices(list)
        state.withLock { $0.voices = voices }
        return voices
    }

    // MARK: Speaking

    private func speak(_ utterance: EspeakUtterance, with helper: EspeakHelper, to feed: SpeechFeed) throws {
        let request = utterance.request
        let voice = try voices(of: helper).choose(voice: request.voice, language: request.language)
        let warnings = utterance.warnings(voice: voice)
        if !warnings.isEmpty {
            guard feed.send(SpeechChunk(samples: [], sampleRate: helper.sampleRate, warnings: warnings)) else { return }
        }
        guard utterance.hasWords else { return }
        try helper.link.send("S", utterance.message(voice: voice.identifier))
        var onsets = SpeechOnsets(sampleRate: helper.sampleRate)
        var marks: [SpeechMark] = []
        var nextWord = 0
        while true {
            switch try helper.link.receive() {
            case .word(utterance.number, let scalar, let frame):
                guard let range = utterance.word(atScalar: scalar, next: &nextWord) else { break }
                marks.append(SpeechMark(kind: .word, utf8Range: range, frame: frame, isEstimated: false))
            case .sound(utterance.number, let samples):
                let chunk = onsets.append(samples, marks: marks)
                marks = []
                if let chunk, !feed.send(chunk) { return try cancel(utterance, helper) }
            case .end(utterance.number, let ending):
                if ending == .failed || ending == .noVoice {
                    let what = ending == .failed ? "espeak-ng failed" : "espeak-ng cannot load its voice"
                    throw CoreError.ioError("espeak: \(what) (voice \(voice.identifier), request \(utterance.excerpt))")
                }
                if let rest = onsets.finish() { _ = feed.send(rest) }
                return
            default: throw CoreError.ioError("espeak: the helper answered something that was not asked for")
            }
        }
    }

    private func cancel(_ utterance: EspeakUtterance, _ helper: EspeakHelper) throws {
        var number: [UInt8] = []
        number.append(number: utterance.number)
        try helper.link.send("C", number)
        while true {
            if case .end(utterance.number, _) = try helper.link.receive() { return }
        }
    }
}
