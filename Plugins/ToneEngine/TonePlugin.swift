internal import Descant

struct TonePlugin: DescantPlugin {
    static let manifest = PluginManifest(
        id: "org.descant.tone", name: "Tone engine", version: "1.0.0", license: "Apache-2.0",
        provides: [PluginProvision(kind: .engine, identifier: "tone", capabilities: ["seeks"], schemes: ["tone"])])

    func makeEngine(_ identifier: String, context: PluginContext) throws -> any MediaEngine {
        guard let mixer = context.mixer else {
            throw CoreError.unsupported("tone: this host has no mixer to play through")
        }
        return ToneEngine(mixer: mixer)
    }
}

/// What the plugin says about itself.
/// Describes the plugin to whoever writes its bundle.
@c(descant_plugin_manifest)
public func manifest() -> UnsafePointer<CChar>? { PluginEntry.manifest(of: TonePlugin.self) }

/// Makes the plugin.
/// Creates the plugin for a host.
@c(descant_plugin_entry)
public func entry(_ host: UnsafeMutableRawPointer) -> Int32 { PluginEntry.run(TonePlugin.self, host) }
