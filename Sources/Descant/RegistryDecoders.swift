internal import DescantCore
internal import DescantMixing
internal import Foundation

/// The decoders of the installed bundles, as the engine asks for them.
struct RegistryDecoders: DecoderChooser {
    let registry: PluginRegistry

    func choices(for url: URL) throws -> [DecoderChoice] {
        let candidates =
            url.isFileURL
            ? registry.decoders(for: try ProbeInput(file: url))
            : registry.decoders(forScheme: url.scheme?.lowercased() ?? "")
        return candidates.map { candidate in
            DecoderChoice(
                identifier: candidate.identifier, plugin: candidate.plugin ?? candidate.identifier,
                reason: candidate.summary
            ) { try candidate.makeDecoder() }
        }
    }
}
