internal import Descant

struct TonePlugin: DescantPlugin {
    static let manifest = PluginManifest(
        id: "org.descant.tone", name: "Tone engine", version: "1.0.0", license: "Apache-2.0",
        provides: [
            .engine("tone", schemes: ["tone"], capabilities: ["seeks"]) { context in
                guard let mixer = context.mixer else {
                    throw CoreError.unsupported("tone: this host has no mixer to play through")
                }
                return ToneEngine(mixer: mixer)
            }
        ])
}

/// Describes the plugin to the bundle writer and to hosts.
@c(descant_plugin_manifest)
public func manifest() -> UnsafePointer<CChar>? { PluginEntry.manifest(of: TonePlugin.self) }

/// Creates the plugin for a host.
@c(descant_plugin_entry)
public func entry(_ host: UnsafeMutableRawPointer) -> Int32 { PluginEntry.run(TonePlugin.self, host) }
