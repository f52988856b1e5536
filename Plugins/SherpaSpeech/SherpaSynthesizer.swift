internal import CSherpa
internal import Descant
internal import Foundation
internal import Synchronization

/// Speaks with the neural models of sherpa-onnx in a folder.
final class SherpaSynthesizer: SpeechSynthesizer {
    private static let rates = 0.5...2.0
    /// How long a model stays loaded after its last use, in nanoseconds.
    private static let idleTime: UInt64 = 300_000_000_000

    /// One speaker of one model.
    private struct Choice {
        let model: SherpaModel
        let speaker: Int
    }

    /// One folder that looks like a model's.
    private struct Found {
        let name: String
        let model: Result<SherpaModel, CoreError>
    }

    /// A model in memory.
    private struct Loaded {
        let voice: SherpaVoice
        /// The number of requests that use it.
        var users = 0
        /// The end of the last request, in nanoseconds of the host's clock.
        var lastUse: UInt64 = 0
    }

    private struct State {
        var found: [Found] = []
        var findings: [String: Result<SherpaProbe.Finding, any Error>] = [:]
        var loaded: [String: Loaded] = [:]
        /// Releases models that are not used.
        var releasing: Task<Void, Never>?
    }

    let capabilities = SpeechCapabilities(
        wordTiming: .estimated, cancelGranularity: .sentence, concurrency: 2, rateRange: rates,
        rateControl: .stretching, longestRequest: 200)

    private let library: SherpaLibrary
    /// Tests models; without it they are believed.
    private let probe: SherpaProbe?
    private let models: URL
    private let logger: any LoggerPort
    private let clock: any ClockPort
    private let workers = SpeechWorkers(name: "sherpa", limit: 2)
    // Held by dedicated threads while a model is tested or loaded, so that each model is loaded once.
    private let state = Mutex(State())

    init(
        library: SherpaLibrary, probe: SherpaProbe?, models: URL, logger: any LoggerPort, clock: any ClockPort
    ) {
        self.library = library
        self.probe = probe
        self.models = models
        self.logger = logger
        self.clock = clock
    }

    func voices() async throws -> [SpeechVoice] {
        try await workers.call { [self] in usable().flatMap { voices(of: $0.model, $0.finding) } }
    }

    func prepare(_ request: SpeechRequest) async throws {
        try await workers.call { [self] in try withVoice(of: choose(request).model) { _ in } }
    }

    func synthesize(_ request: SpeechRequest) -> AsyncThrowingStream<SpeechChunk, any Error> {
        workers.speak { [self] feed in
            let choice = try choose(request)
            try withVoice(of: choice.model) { try speak(request, with: $0, of: choice, to: feed) }
        }
    }

    func shutdown() async {
        await workers.shutdown()
        state.withLock { state in
            state.loaded = [:]
            state.releasing?.cancel()
        }
    }

    // MARK: Models

    /// The models of the folder, which is scanned again for a list of voices and for an unknown name.
    private func found(again: Bool = false) -> [Found] {
        state.withLock { state in
            if again || state.found.isEmpty {
                state.found = SherpaModel.all(in: models).map { Found(name: $0.name, model: $0.model) }
                // A damaged model may have been repaired.
                state.findings = state.findings.filter { (try? $0.value.get()) != nil }
            }
            return state.found
        }
    }

    private func usable() -> [(model: SherpaModel, finding: SherpaProbe.Finding)] {
        found(again: true).compactMap { found in
            do {
                let model = try found.model.get()
                return (model, try examine(model))
            } catch {
                logger.warn("\(error)")
                return nil
            }
        }
    }

    private func voices(of model: SherpaModel, _ finding: SherpaProbe.Finding) -> [SpeechVoice] {
        guard finding.speakers > 1 else {
            return [SpeechVoice(identifier: model.name, name: model.name, languages: [model.language])]
        }
        return (0..<finding.speakers).map { speaker in
            let name = speaker < model.speakers.count ? model.speakers[speaker] : "speaker \(speaker)"
            return SpeechVoice(
                identifier: "\(model.name)#\(speaker)", name: "\(model.name), \(name)", languages: [model.language])
        }
    }

    private func examine(_ model: SherpaModel) throws -> SherpaProbe.Finding {
        try state.withLock { state in try finding(model, &state) }
    }

    private func finding(_ model: SherpaModel, _ state: inout State) throws -> SherpaProbe.Finding {
        let finding =
            state.findings[model.model]
            ?? Result {
                guard let probe else { return model.announced }
                let texts = SherpaText.trying(try SherpaLexicon(of: model), maximumLength: model.maximumLength)
                return try probe.examine(model, texts: texts)
            }
        state.findings[model.model] = finding
        return try finding.get()
    }

    /// Uses a model, and loads it first if need be.
    private func withVoice(of model: SherpaModel, _ body: (SherpaVoice) throws -> Void) throws {
        let voice = try state.withLock { state in
            var loaded = try state.loaded[model.model] ?? load(model, &state)
            loaded.users += 1
            state.loaded[model.model] = loaded
            return loaded.voice
        }
        defer { used(model) }
        try body(voice)
    }

    private func load(_ model: SherpaModel, _ state: inout State) throws -> Loaded {
        _ = try finding(model, &state)
        let threads = Int32(max(1, ProcessInfo.processInfo.activeProcessorCount / 2))
        return Loaded(
            voice: try SherpaVoice(model, lexicon: SherpaLexicon(of: model), library: library, threads: threads))
    }

    private func used(_ model: SherpaModel) {
        state.withLock { state in
            state.loaded[model.model]?.users -= 1
            state.loaded[model.model]?.lastUse = clock.now()
            guard state.releasing == nil else { return }
            state.releasing = Task { [weak self, clock] in
                while let next = await self?.releaseUnused(), (try? await clock.sleep(until: next)) != nil {}
            }
        }
    }

    /// Releases the models that were not used for a time.
    ///
    /// - Returns: When to look again; `nil` when no model is left.
    private func releaseUnused() async -> UInt64? {
        // Loading a model holds the lock for long, so a task does not wait for it.
        try? await workers.call { [self] in
            state.withLock { state -> UInt64? in
                let now = clock.now()
                for (path, model) in state.loaded where model.users == 0 && model.lastUse + Self.idleTime <= now {
                    state.loaded[path] = nil
                    logger.record(LogRecord("sherpa.release", level: .debug, fields: ["model": .open(path)]))
                }
                let next = state.loaded.values.map { ($0.users > 0 ? now : $0.lastUse) + Self.idleTime }.min()
                if next == nil { state.releasing = nil }
                return next
            }
        }
    }

    /// The model and speaker for a request.
    private func choose(_ request: SpeechRequest) throws -> Choice {
        if let voice = request.voice { return try choose(named: voice) }
        let found = found()
        guard !found.isEmpty else {
            throw CoreError.notFound(
                "sherpa: no model in \(models.path); put a folder with a model, its tokens.txt and a lexicon.txt there")
        }
        var candidates = found.map(\.model)
        if let language = request.language?.lowercased() {
            candidates = [2, 1].flatMap { degree in
                candidates.filter { Self.likeness(of: $0, to: language) == degree }
            }
            guard !candidates.isEmpty else {
                throw CoreError.unsupported("sherpa: no model in \(models.path) speaks \"\(language)\"")
            }
        }
        return Choice(model: try firstUsable(candidates), speaker: 0)
    }

    /// Other models are not tested, because that takes as long as loading them.
    private func firstUsable(_ candidates: [Result<SherpaModel, CoreError>]) throws -> SherpaModel {
        var reasons: [any Error] = []
        for candidate in candidates {
            do {
                let model = try candidate.get()
                _ = try examine(model)
                return model
            } catch {
                reasons.append(error)
            }
        }
        throw reasons.first ?? CoreError.notFound("sherpa: no model in \(models.path)")
    }

    /// 2 for the same language and region, 1 for the same language, else 0.
    private static func likeness(of model: Result<SherpaModel, CoreError>, to language: String) -> Int {
        guard let spoken = try? model.get().language.lowercased() else { return 0 }
        return spoken == language ? 2 : spoken.prefix { $0 != "-" } == language.prefix { $0 != "-" } ? 1 : 0
    }

    private func choose(named voice: String) throws -> Choice {
        let parts = voice.split(separator: "#", maxSplits: 1)
        guard let name = parts.first.map(String.init),
            let model = found().first(where: { $0.name == name })
                ?? found(again: true).first(where: { $0.name == name })
        else {
            throw CoreError.notFound("sherpa: there is no voice \"\(voice)\" in \(models.path)")
        }
        let sound = try model.model.get()
        let wanted = parts.count > 1 ? String(parts[1]) : "0"
        let speaker = Int(wanted) ?? sound.speakers.firstIndex(of: wanted) ?? -1
        guard try (0..<examine(sound).speakers).contains(speaker) else {
            throw CoreError.notFound("sherpa: the model \(name) has no speaker \"\(wanted)\"")
        }
        return Choice(model: sound, speaker: speaker)
    }

    // MARK: Speaking

    private func speak(_ request: SpeechRequest, with voice: SherpaVoice, of choice: Choice, to feed: SpeechFeed) throws
    {
        let text = SherpaText(request.text, lexicon: voice.lexicon, maximumLength: choice.model.maximumLength)
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
