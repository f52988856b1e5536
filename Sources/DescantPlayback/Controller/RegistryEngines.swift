public import DescantCore

/// The engines of a plugin registry: what the host registered and what bundles provide.
///
/// Listing reads manifests; a bundle is brought into the process when its engine is made.
public struct RegistryEngines: EngineCatalog {
    private let registry: PluginRegistry
    private let preferred: [String]
    private let mixer: @Sendable () throws -> any MixingEngine
    private let gate: @Sendable (String) -> String?

    /// Creates a catalog.
    ///
    /// - Parameters:
    ///   - registry: Where engines are found. What was installed since its last scan is not seen.
    ///   - preferred: Identifiers that come first, in this order.
    ///   - gate: Why the host does not let an engine be used, such as a model that is not there; `nil` when it may. Called
    ///     often.
    ///   - mixer: The mixer that engines play through; called for each engine, and should give the same one.
    public init(
        _ registry: PluginRegistry, preferred: [String] = [],
        gate: @escaping @Sendable (String) -> String? = { _ in nil },
        mixer: @escaping @Sendable () throws -> any MixingEngine
    ) {
        self.registry = registry
        self.preferred = preferred
        self.gate = gate
        self.mixer = mixer
    }

    /// What can be used, the preferred ones first.
    public var engines: [String] {
        var known: [String] = []
        for provider in registry.providers(of: .engine) where !known.contains(provider.provision.identifier) {
            known.append(provider.provision.identifier)
        }
        let first = preferred.filter(known.contains)
        return (first + known.filter { !first.contains($0) }).filter { gate($0) == nil }
    }

    /// Why an engine cannot be used.
    ///
    /// - Parameter identifier: The engine.
    public func refusal(of identifier: String) -> String? {
        let known = registry.providers(of: .engine).map(\.provision.identifier)
        guard known.contains(identifier) else {
            let list = known.isEmpty ? "none" : known.sorted().joined(separator: ", ")
            return "no plugin provides the engine \(identifier); there are: \(list)"
        }
        return gate(identifier)
    }

    /// Makes an engine, and loads its bundle first.
    ///
    /// - Parameter identifier: The engine.
    /// - Throws: `PluginError`, or whatever the plugin throws.
    public func makeEngine(_ identifier: String) async throws -> any MediaEngine {
        try registry.makeEngine(identifier, mixer: try mixer())
    }
}
