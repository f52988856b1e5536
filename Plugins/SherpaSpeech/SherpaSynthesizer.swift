internal import CSherpa
internal import Descant
internal import Foundation
internal import Synchronization

/// Speaks with the neural models of sherpa-onnx that lie in a folder.
final class SherpaSynthesizer: SpeechSynthesizer {
    private static let rates = 0.5...2.0

    /// One speaker of one model.
    private struct Choice {
        let model: SherpaModel
        let speaker: Int
    }

    private struct State {
        var findings: [String: Result<SherpaProbe.Finding, any Error>] = [:]
        var loaded: [String: SherpaVoice] = [:]
    }

    let capabilities = SpeechCapabilities(
        wordTiming: .estimated, cancelGranularity: .sentence, concurrency: 2, rateRange: rates,
        rateControl: .stretching, longestRequest: 200)

    private let library: SherpaLibrary
    private let probe: SherpaProbe
    private let models: URL
    private let logger: any LoggerPort
    private let workers = SpeechWorkers(name: "sherpa", limit: 2)
    // Held while a model is tried or loaded: by threads of our own only, and each model once.
    private let state = Mutex(State())

    init(library: SherpaLibrary, probe: SherpaProbe, models: URL, logger: any LoggerPort) {
        self.library = library
        self.probe = probe
        self.models = models
        self.logger = logger
    }

    func voices() async throws -> [SpeechVoice] {
        try await workers.call { [self] in usable().flatMap { voices(of: $0.model, $0.finding) } }
    }

    func prepare(_ request: SpeechRequest) async throws {
        try await workers.call { [self] in _ = try load(choose(request).model) }
    }

    func synthesize(_ request: SpeechRequest) -> AsyncThrowingStream<SpeechChunk, any Error> {
        workers.speak { [self] feed in
            let choice = try choose(request)
            try speak(request, with: load(choice.model), of: choice, to: feed)
        }
    }

    func shutdown() async {
        await workers.shutdown()
        state.withLock { $0.loaded = [:] }
    }

    // MARK: Models

    private func usable() -> [(model: SherpaModel, finding: SherpaProbe.Finding)] {
        SherpaModel.all(in: models).compactMap { result in
            do {
                let model = try result.get()
                return (model, try examine(model))
            } catch {
                logger.warn("\(error)")
                return nil
            }
        }
    }

    private func voices(of model: SherpaModel, _ finding: SherpaProbe.Finding) -> [SpeechVoice] {
        (0..<finding.speakers).map { speaker in
            let number = finding.speakers == 1 ? "" : "#\(speaker)"
            return SpeechVoice(
                identifier: model.name + number, name: model.name + number.replacing("#", with: ", speaker "),
                languages: [model.language])
        }
    }

    private func examine(_ model: SherpaModel) throws -> SherpaProbe.Finding {
        try state.withLock { state in
            let finding = state.findings[model.model] ?? Result { try probe.examine(model) }
            state.findings[model.model] = finding
            return try finding.get()
        }
    }

    private func load(_ model: SherpaModel) throws -> SherpaVoice {
        _ = try examine(model)
        return try state.withLock { state in
            if let known = state.loaded[model.model] { return known }
            let threads = Int32(max(1, ProcessInfo.processInfo.activeProcessorCount / 2))
            let voice = try SherpaVoice(model, library: library, threads: threads)
            state.loaded[model.model] = voice
            return voice
        }
    }

    /// The model and speaker for a request; damaged models count when they are asked for by name only.
    private func choose(_ request: SpeechRequest) throws -> Choice {
        if let voice = request.voice {
            let parts = voice.split(separator: "#", maxSplits: 1)
            let models = SherpaModel.all(in: models).compactMap { try? $0.get() }
            guard let name = parts.first, let model = models.first(where: { $0.name == name }) else {
                throw CoreError.notFound("sherpa: there is no voice \"\(voice)\" in \(self.models.path)")
            }
            let speaker = parts.count > 1 ? Int(parts[1]) ?? -1 : 0
            guard try (0..<examine(model).speakers).contains(speaker) else {
                throw CoreError.notFound("sherpa: the model \(name) has no speaker \"\(parts[1])\"")
            }
            return Choice(model: model, speaker: speaker)
        }
        let known = usable()
        guard let first = known.first else {
            throw CoreError.notFound(
                "sherpa: no model in \(models.path); put a folder with model.onnx, tokens.txt and lexicon.txt there")
        }
        guard let language = request.language?.lowercased() else { return Choice(model: first.model, speaker: 0) }
        let primary = language.prefix { $0 != "-" }
        let exact = known.first { $0.model.language.lowercased() == language }
        guard let match = exact ?? known.first(where: { $0.model.language.prefix { $0 != "-" } == primary }) else {
            throw CoreError.unsupported("sherpa: no model in \(models.path) speaks \"\(language)\"")
        }
        return Choice(model: match.model, speaker: 0)
    }

    // MARK: Speaking

    private func speak(_ request: SpeechRequest, with voice: SherpaVoice, of choice: Choice, to feed: SpeechFeed) throws
    {
        let text = SherpaText(request.text, lexicon: voice.words)
        let speed = request.rate.isNaN ? 1 : min(max(request.rate, Self.rates.lowerBound), Self.rates.upperBound)
        let warnings = warnings(request, text, choice, isAdjusted: speed != request.rate || request.pitch != 1)
        if !warnings.isEmpty {
            guard feed.send(SpeechChunk(samples: [], sampleRate: voice.sampleRate, warnings: warnings)) else { return }
        }
        var frames: Int64 = 0
        for clause in text.clauses {
            let samples = voice.speak(clause.text, speaker: choice.speaker, speed: speed) { !feed.isClosed }
            if feed.isClosed { return }
            guard let samples, !samples.isEmpty else {
                throw CoreError.ioError("sherpa: the model \(choice.model.name) made no sound of \"\(clause.text)\"")
            }
            let marks = clause.words.map { word in
                let frame = frames + clause.frame(of: word.weight, in: samples.count)
                return SpeechMark(kind: .word, utf8Range: word.range, frame: frame, isEstimated: true)
            }
            guard feed.send(SpeechChunk(samples: samples, sampleRate: voice.sampleRate, marks: marks)) else { return }
            frames += Int64(samples.count)
        }
    }

    private func warnings(
        _ request: SpeechRequest, _ text: SherpaText, _ choice: Choice, isAdjusted: Bool
    ) -> [SpeechWarning] {
        var warnings = text.unknown.map {
            SpeechWarning(
                kind: .unknownWord, utf8Range: $0,
                message: "the lexicon of \(choice.model.name) does not have this word")
        }
        let whole = 0..<request.text.utf8.count
        if isAdjusted {
            let message = "sherpa speaks at rates of 0.5…2 and at the voice's own pitch"
            warnings.append(SpeechWarning(kind: .adjustedParameter, utf8Range: whole, message: message))
        }
        let spoken = choice.model.language.prefix { $0 != "-" }
        if let language = request.language?.lowercased().prefix(while: { $0 != "-" }), spoken != "und",
            language != spoken
        {
            let message = "the model \(choice.model.name) speaks \(spoken), not \(language)"
            warnings.append(SpeechWarning(kind: .unsupportedLanguage, utf8Range: whole, message: message))
        }
        return warnings
    }
}
