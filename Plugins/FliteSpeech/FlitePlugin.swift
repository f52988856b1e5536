internal import Descant

struct FlitePlugin: DescantPlugin {
    static let manifest = PluginManifest(
        id: "org.descant.flite", name: "flite speech", version: "1.0.0",
        // flite has a licence of the BSD type; its tools and voices have variants of it.
        license: "Apache-2.0 AND LicenseRef-CMU-Flite",
        provides: [
            .speechSynthesizer("flite", languages: ["en-US", "en-GB"], capabilities: ["exact word marks"]) {
                FliteSynthesizer()
            }
        ])
}

/// Describes the plugin to the bundle writer and to hosts.
@c(descant_plugin_manifest)
public func manifest() -> UnsafePointer<CChar>? { PluginEntry.manifest(of: FlitePlugin.self) }

/// Creates the plugin for a host.
@c(descant_plugin_entry)
public func entry(_ host: UnsafeMutableRawPointer) -> Int32 { PluginEntry.run(FlitePlugin.self, host) }
