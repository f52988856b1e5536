import Descant

struct HumPlugin: DescantPlugin {
    static let manifest = PluginManifest(
        id: "org.example.hum", name: "Hum", version: "1.0.0", license: "Apache-2.0",
        provides: [.decoder("hum", extensions: ["hum"]) { HumDecoder() }])
}

/// Describes the plugin to the bundle writer and to hosts.
@c(descant_plugin_manifest)
public func manifest() -> UnsafePointer<CChar>? { PluginEntry.manifest(of: HumPlugin.self) }

/// Creates the plugin for a host.
@c(descant_plugin_entry)
public func entry(_ host: UnsafeMutableRawPointer) -> Int32 { PluginEntry.run(HumPlugin.self, host) }
