internal import Descant

struct STKReverbPlugin: DescantPlugin {
    static let manifest = PluginManifest(
        id: "org.descant.stk-reverb", name: "STK reverb", version: "1.0.0", license: "Apache-2.0 AND MIT-STK",
        provides: [.effect("reverb", capabilities: ["mono", "stereo"]) { STKReverb() }])
}

/// Describes the plugin to the bundle writer and to hosts.
@c(descant_plugin_manifest)
public func manifest() -> UnsafePointer<CChar>? { PluginEntry.manifest(of: STKReverbPlugin.self) }

/// Creates the plugin for a host.
@c(descant_plugin_entry)
public func entry(_ host: UnsafeMutableRawPointer) -> Int32 { PluginEntry.run(STKReverbPlugin.self, host) }
