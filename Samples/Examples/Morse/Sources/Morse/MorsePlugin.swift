import Descant

struct MorsePlugin: DescantPlugin {
    static let manifest = PluginManifest(
        id: "org.example.morse", name: "Morse", version: "1.0.0", license: "Apache-2.0",
        provides: [.speechSynthesizer("morse", languages: ["en"]) { MorseVoice() }])
}

/// Describes the plugin to the bundle writer and to hosts.
@c(descant_plugin_manifest)
public func manifest() -> UnsafePointer<CChar>? { PluginEntry.manifest(of: MorsePlugin.self) }

/// Creates the plugin for a host.
@c(descant_plugin_entry)
public func entry(_ host: UnsafeMutableRawPointer) -> Int32 { PluginEntry.run(MorsePlugin.self, host) }
