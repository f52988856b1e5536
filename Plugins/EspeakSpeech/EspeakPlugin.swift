internal import Descant
internal import Foundation

struct EspeakPlugin: DescantPlugin {
    static let manifest = PluginManifest(
        id: "org.descant.espeak", name: "espeak-ng speech", version: "1.0.0",
        // The bundle is ours; espeak-ng is loaded when it is needed.
        license: "Apache-2.0 AND GPL-3.0-or-later",
        provides: [
            .speechSynthesizer("espeak", capabilities: ["exact word marks"]) { _ in EspeakSynthesizer() }
        ],
        // Some texts end espeak-ng, and its licence is not that of every host.
        isolation: "process")
}

/// Describes the plugin to the bundle writer and to hosts.
@c(descant_plugin_manifest)
public func manifest() -> UnsafePointer<CChar>? { PluginEntry.manifest(of: EspeakPlugin.self) }

/// Creates the plugin for a host.
@c(descant_plugin_entry)
public func entry(_ host: UnsafeMutableRawPointer) -> Int32 { PluginEntry.run(EspeakPlugin.self, host) }
