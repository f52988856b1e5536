import Descant

struct MorsePlugin: DescantPlugin {
    static let manifest = PluginManifest(
        id: "org.example.morse", name: "Morse", version: "1.0.0", license: "Apache-2.0",
        provides: [PluginProvision(kind: .speech, identifier: "morse", languages: ["en"])])

    func makeSpeechSynthesizer(_ identifier: String, context: PluginContext) throws -> any SpeechSynthesizer {
        MorseVoice()
    }
}

/// What the plugin says about itself.
@c(descant_plugin_manifest)
public func manifest() -> UnsafePointer<CChar>? { PluginEntry.manifest(of: MorsePlugin.self) }

/// Makes the plugin.
@c(descant_plugin_entry)
public func entry(_ host: UnsafeMutableRawPointer) -> Int32 { PluginEntry.run(MorsePlugin.self, host) }
