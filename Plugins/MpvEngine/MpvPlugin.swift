internal import Descant

struct MpvPlugin: DescantPlugin {
    static let manifest = PluginManifest(
        id: "org.descant.mpv", name: "mpv engine", version: "1.0.0",
        // The source is ours; libmpv, which is loaded into the host's process, is under the GPL as distributions build it.
        license: "Apache-2.0 AND GPL-3.0-or-later",
        provides: [
            .engine("mpv", schemes: ["http", "https"], capabilities: ["seeks", "rate", "no overlays or crossfades"]) {
                context in try MpvEngine(logger: context.logger)
            }
        ])
}

/// Describes the plugin to the bundle writer and to hosts.
@c(descant_plugin_manifest)
public func manifest() -> UnsafePointer<CChar>? { PluginEntry.manifest(of: MpvPlugin.self) }

/// Creates the plugin for a host.
@c(descant_plugin_entry)
public func entry(_ host: UnsafeMutableRawPointer) -> Int32 { PluginEntry.run(MpvPlugin.self, host) }
