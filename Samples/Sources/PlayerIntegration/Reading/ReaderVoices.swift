internal import Descant
internal import Synchronization

/// The synthesizers of a reader, and the engines created from them.
final class ReaderVoices: Sendable {
    /// The synthesizers, by name.
    let names: [String]
    private let environment: AudioEnvironment
    private let output: OutputDestination
    private let settings: SpeechSettings
    private let first: String?
    private let made = Mutex<[String: SpeechEngine]>([:])
    private let mixer = Mutex<(made: (any MixingEngine)?, isClosed: Bool)>((nil, false))
    /// Receives every new engine.
    private let onMade: @Sendable (SpeechEngine) -> Void

    /// - Parameters:
    ///   - environment: Where synthesizers are found.
    ///   - output: Where they are heard.
    ///   - settings: How they speak; the voice is that of the first engine.
    ///   - first: The first engine.
    ///   - onMade: Receives every new engine.
    init(
        _ environment: AudioEnvironment, output: OutputDestination, settings: SpeechSettings, first: String?,
        onMade: @escaping @Sendable (SpeechEngine) -> Void
    ) {
        self.environment = environment
        self.output = output
        self.settings = settings
        self.first = first
        self.onMade = onMade
        var names: [String] = []
        for name in environment.plugins.providers(of: .speech).map(\.provision.identifier) where !names.contains(name) {
            names.append(name)
        }
        self.names = names
    }

    /// The engine of a name, if it was created.
    func engine(_ name: String?) -> SpeechEngine? { made.withLock { made in name.flatMap { made[$0] } } }

    /// The names after a name, continued from the first one, without the name itself.
    func names(behind name: String?) -> [String] {
        guard let name, let index = names.firstIndex(of: name) else { return names }
        return Array(names[(index + 1)...] + names[..<index])
    }

    /// The engines for a controller.
    var catalog: any EngineCatalog {
        RegistryEngines(
            environment.plugins, preferred: first.map { [$0] } ?? [],
            speech: { [weak self] name, synthesizer, mixer in
                guard let self else { throw CoreError.invalidState("the reader has ended") }
                return self.make(name, synthesizer, mixer)
            },
            gate: { [names] name in names.contains(name) ? nil : "\(name) does not speak" },
            mixer: { [weak self] in
                guard let self else { throw CoreError.invalidState("the reader has ended") }
                return try self.sharedMixer()
            })
    }

    private func make(
        _ name: String, _ synthesizer: any SpeechSynthesizer, _ mixer: any MixingEngine
    ) -> SpeechEngine {
        var settings = settings
        // A voice belongs to one engine.
        if name != first { settings.voice = nil }
        let engine = SpeechEngine(
            identifier: name, synthesizer: synthesizer, mixer: mixer, settings: settings, clock: environment.clock,
            logger: environment.logger)
        made.withLock { $0[name] = engine }
        onMade(engine)
        return engine
    }

    /// The mixer that all engines share.
    private func sharedMixer() throws -> any MixingEngine {
        try mixer.withLock { mixer in
            guard !mixer.isClosed else { throw CancellationError() }
            if let made = mixer.made { return made }
            let new = try environment.makeEngine(output: output, format: PCMFormat(sampleRate: 48_000, channels: 1))
            mixer.made = new
            return new
        }
    }

    /// Sets the volume of all engines.
    func setVolume(_ volume: Double) async throws { try await sharedMixer().setMasterVolume(volume) }

    /// Shuts all engines down; no later one is created.
    func shutdown() async {
        let last = mixer.withLock { mixer in
            mixer.isClosed = true
            return mixer.made
        }
        for engine in made.withLock({ Array($0.values) }) { await engine.shutdown() }
        await last?.shutdown()
    }
}
