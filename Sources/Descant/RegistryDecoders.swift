internal import DescantCore
internal import DescantMixing
internal import Foundation

/// The decoders of the installed bundles, as the engine asks for them.
struct RegistryDecoders: DecoderChooser {
    let registry: PluginRegistry

    func choices(
        for url: URL, overdue: @Sendable (_ plugin: String, _ operation: String, _ seconds: Double) -> Void
    ) throws -> [DecoderChoice] {
        let candidates =
            url.isFileURL
            ? registry.decoders(for: try ProbeInput(file: url), overdue: overdue)
            : registry.decoders(forScheme: url.scheme?.lowercased() ?? "")
        return candidates.map { candidate in
            let plugin = candidate.plugin ?? candidate.identifier
            return DecoderChoice(
                identifier: candidate.identifier, plugin: plugin, reason: candidate.summary,
                recognisesContent: candidate.recognisesContent
            ) {
                try candidate.makeDecoder()
            } retire: { [registry] operation, seconds in
                registry.retire(plugin, operation: operation, seconds: seconds)
            }
        }
    }
}
