public import DescantCore

/// The engines that a controller can choose among.
public protocol EngineCatalog: Sendable {
    /// The identifiers of what can be used, the preferred one first. Makes no engine and loads no plugin.
    var engines: [String] { get }

    /// Why an engine cannot be used, with the remedy; `nil` when it can. Makes no engine and loads no plugin.
    ///
    /// - Parameter identifier: The engine.
    func refusal(of identifier: String) -> String?

    /// What an engine can do, as far as it is known without making it; `nil` when it is not known.
    ///
    /// - Parameter identifier: The engine.
    func capabilities(of identifier: String) -> EngineCapabilities?

    /// Makes an engine. May take as long as loading a plugin does.
    ///
    /// - Parameter identifier: The engine.
    /// - Throws: Why it cannot be made.
    func makeEngine(_ identifier: String) async throws -> any MediaEngine
}

extension EngineCatalog {
    /// Nothing is known before an engine is made.
    ///
    /// - Parameter identifier: The engine.
    public func capabilities(of identifier: String) -> EngineCapabilities? { nil }
}

/// When a controller makes its engines.
public enum EngineInitializationPolicy: String, Sendable, Hashable, Codable, CaseIterable {
    /// The selected engine is made at launch, every other one when it is selected. The audio session is not touched before
    /// something is played.
    case selectedAtLaunch
    /// No engine is made before one is selected by a call, something is preloaded or played, a sentence is moved to, or
    /// ``MediaPlaybackController/prepareSettings()`` asks for one.
    case onDemand
}

/// The engines of a plugin registry: the host's mixer, what the host registered, and what bundles provide.
///
/// Listing reads manifests; a bundle is brought into the process when its engine is made.
public struct RegistryEngines: EngineCatalog {
    /// Makes an engine out of a synthesizer: its name, the synthesizer, and the mixer that it speaks through.
    public typealias SpeechMaker =
        @Sendable (String, any SpeechSynthesizer, any MixingEngine) throws -> any MediaEngine

    private let registry: PluginRegistry
    private let mixerName: String?
    private let preferred: [String]
    private let speech: SpeechMaker?
    private let gate: @Sendable (String) -> String?
    private let output: @Sendable (String) throws -> EngineOutput
    private let mixer: @Sendable () throws -> any MixingEngine

    /// Creates a catalog.
    ///
    /// - Parameters:
    ///   - registry: Where engines are found. What was installed since its last scan is not seen.
    ///   - mixerName: The identifier of the mixer, which is an engine itself; `nil` to leave it out.
    ///   - preferred: Identifiers that come first, in this order; the mixer follows.
    ///   - speech: Makes engines out of the registry's synthesizers; `nil` to leave them out.
    ///   - gate: Why the host does not let an engine be used, such as a model that is not there; `nil` when it may. Called
    ///     often.
    ///   - output: The device for an engine that opens one itself (``DeviceEngine``); called with the engine's identifier, and throws
    ///     why such an engine cannot play where the mixer does. By default the user's sound server.
    ///   - mixer: The mixer that engines play through; called for each engine, and should give the same one.
    public init(
        _ registry: PluginRegistry, mixerName: String? = nil, preferred: [String] = [], speech: SpeechMaker? = nil,
        gate: @escaping @Sendable (String) -> String? = { _ in nil },
        output: @escaping @Sendable (String) throws -> EngineOutput = { _ in .pulse() },
        mixer: @escaping @Sendable () throws -> any MixingEngine
    ) {
        self.registry = registry
        self.mixerName = mixerName
        self.preferred = preferred
        self.speech = speech
        self.gate = gate
        self.output = output
        self.mixer = mixer
    }

    /// Every engine that there is, the preferred ones first.
    private var known: [String] {
        var all = [mixerName].compactMap { $0 } + registry.providers(of: .engine).map(\.provision.identifier)
        if speech != nil { all += registry.providers(of: .speech).map(\.provision.identifier) }
        let first = preferred.filter(all.contains)
        var unique: [String] = []
        for identifier in first + all where !unique.contains(identifier) { unique.append(identifier) }
        return unique
    }

    /// What can be used, the preferred ones first.
    public var engines: [String] { known.filter { gate($0) == nil } }

    /// Why an engine cannot be used.
    ///
    /// - Parameter identifier: The engine.
    public func refusal(of identifier: String) -> String? {
        let known = known
        guard known.contains(identifier) else {
            let list = known.isEmpty ? "none" : known.sorted().joined(separator: ", ")
            return "no plugin provides the engine \(identifier); there are: \(list)"
        }
        return gate(identifier)
    }

    /// The mixer plays URLs, and a synthesizer speaks text; an engine of a plugin is asked when it is made.
    ///
    /// - Parameter identifier: The engine.
    public func capabilities(of identifier: String) -> EngineCapabilities? {
        if identifier == mixerName { return .playsURLs }
        func provides(_ kind: PluginKind) -> Bool {
            registry.providers(of: kind).contains { $0.provision.identifier == identifier }
        }
        return !provides(.engine) && provides(.speech) ? .speaksText : nil
    }

    /// Makes an engine, and loads its bundle first. A plugin that takes its time keeps none of the threads that tasks share.
    ///
    /// - Parameter identifier: The engine.
    /// - Throws: `PluginError`, whatever the plugin throws, or why the engine cannot play to the host's output.
    public func makeEngine(_ identifier: String) async throws -> any MediaEngine {
        let engine = try await withCheckedThrowingContinuation { continuation in
            DedicatedQueue.run("descant.engine.making") { continuation.resume(with: Result { try make(identifier) }) }
        }
        if let device = engine as? any DeviceEngine { try await device.setOutput(try output(identifier)) }
        return engine
    }

    private func make(_ identifier: String) throws -> any MediaEngine {
        if identifier == mixerName { return try mixer() }
        let isEngine = registry.providers(of: .engine).contains { $0.provision.identifier == identifier }
        guard let speech, !isEngine else { return try registry.makeEngine(identifier, mixer: try mixer()) }
        return try speech(identifier, try registry.makeSpeechSynthesizer(identifier), try mixer())
    }
}
