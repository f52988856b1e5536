import Descant

struct HumPlugin: DescantPlugin {
    static let manifest = PluginManifest(
        id: "org.example.hum", name: "Hum", version: "1.0.0", license: "Apache-2.0",
        provides: [
            PluginProvision(kind: .decoder, identifier: "hum", fileTypes: [PluginFileType(extensions: ["hum"])])
        ])

    func makeDecoder(_ identifier: String, context: PluginContext) throws -> any DecoderPort { HumDecoder() }
}

/// What the plugin says about itself.
@c(descant_plugin_manifest)
public func manifest() -> UnsafePointer<CChar>? { PluginEntry.manifest(of: HumPlugin.self) }

/// Makes the plugin.
@c(descant_plugin_entry)
public func entry(_ host: UnsafeMutableRawPointer) -> Int32 { PluginEntry.run(HumPlugin.self, host) }
