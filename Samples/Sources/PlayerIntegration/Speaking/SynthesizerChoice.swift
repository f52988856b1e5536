internal import Descant

/// Which synthesizer is meant, and why there is none.
struct SynthesizerChoice {
    /// Its name.
    let name: String

    /// Takes the synthesizer of a name, or the first one there is.
    ///
    /// - Parameters:
    ///   - name: The name; `nil` for the first one.
    ///   - plugins: Where it is looked for.
    /// - Throws: ``InputError`` when there is no such synthesizer, or none at all; `PluginError` when it is one whose licence is not taken.
    init(_ name: String?, in plugins: PluginRegistry) throws {
        let known = plugins.providers(of: .speech).map(\.provision.identifier)
        guard let chosen = name ?? known.first else { throw Self.none(in: plugins) }
        guard known.contains(chosen) else {
            do {
                // Only the registry knows what a refused bundle would provide.
                _ = try plugins.makeSpeechSynthesizer(chosen)
            } catch PluginError.notProvided {}
            throw InputError(
                description: "no plugin provides the synthesizer \(chosen); there are: "
                    + (known.isEmpty ? "none" : known.sorted().joined(separator: ", ")))
        }
        self.name = chosen
    }

    /// Why there is none at all, with the bundles whose licence is not taken.
    private static func none(in plugins: PluginRegistry) -> InputError {
        let refusals = plugins.unavailable.compactMap { plugin in
            if case .licenseRefused = plugin.error { "\(plugin.error)" } else { nil }
        }
        let remedy =
            refusals.isEmpty
            ? "Build the bundles with `make plugins`; see: descant plugins" : refusals.joined(separator: "\n")
        return InputError(description: "there is no synthesizer. \(remedy)")
    }
}
