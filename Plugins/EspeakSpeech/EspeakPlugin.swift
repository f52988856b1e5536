internal import Descant
internal import Foundation

/// The manifest, and what a host asks for.
struct EspeakPlugin: DescantPlugin {
    static let manifest = PluginManifest(
        id: "org.descant.espeak", name: "espeak-ng speech", version: "1.0.0",
        // The library is ours; the helper beside it is linked to espeak-ng.
        license: "Apache-2.0 AND GPL-3.0-or-later",
        provides: [
            PluginProvision(
                kind: .speech, identifier: "espeak", capabilities: ["exact word marks", "runs out of process"])
        ])

    func makeSpeechSynthesizer(_ identifier: String, context: PluginContext) throws -> any SpeechSynthesizer {
        let helper = context.bundleURL.appending(path: EspeakHelper.fileName)
        return EspeakSynthesizer(helper: helper.path, logger: context.logger)
    }
}

/// Describes the plugin to whoever writes its bundle.
@c(descant_plugin_manifest)
public func manifest() -> UnsafePointer<CChar>? { PluginEntry.manifest(of: EspeakPlugin.self) }

/// Creates the plugin for a host.
@c(descant_plugin_entry)
public func entry(_ host: UnsafeMutableRawPointer) -> Int32 { PluginEntry.run(EspeakPlugin.self, host) }
