internal import Descant
internal import Foundation

struct EspeakPlugin: DescantPlugin {
    static let manifest = PluginManifest(
        id: "org.descant.espeak", name: "espeak-ng speech", version: "1.0.0",
        // The library is ours; the helper beside it is linked to espeak-ng.
        license: "Apache-2.0 AND GPL-3.0-or-later",
        provides: [
            .speechSynthesizer("espeak", capabilities: ["exact word marks", "runs out of process"]) { context in
                let helper = context.bundleURL.appending(path: EspeakHelper.fileName)
                return EspeakSynthesizer(helper: helper.path, logger: context.logger)
            }
        ])
}

/// Describes the plugin to the bundle writer and to hosts.
@c(descant_plugin_manifest)
public func manifest() -> UnsafePointer<CChar>? { PluginEntry.manifest(of: EspeakPlugin.self) }

/// Creates the plugin for a host.
@c(descant_plugin_entry)
public func entry(_ host: UnsafeMutableRawPointer) -> Int32 { PluginEntry.run(EspeakPlugin.self, host) }
