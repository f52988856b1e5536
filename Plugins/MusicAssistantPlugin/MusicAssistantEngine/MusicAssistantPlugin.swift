internal import Descant
internal import MusicAssistantKit
internal import MusicAssistantSettings

struct MusicAssistantPlugin: DescantPlugin {
    static let manifest = PluginManifest(
        id: "org.descant.music-assistant", name: "Music Assistant", version: "1.0.0", license: "Apache-2.0",
        provides: [
            .engine(
                "music-assistant", schemes: ["music-assistant", "library", "http", "https"],
                capabilities: ["seeks", "remote"]
            ) { context in
                let settings = try RemoteSettings()
                let logger = context.logger
                let client = try settings.makeClient { entry in logger.info("music-assistant: \(entry.message)") }
                return MusicAssistantEngine(client: client, settings: settings)
            }
        ])
}

/// Describes the plugin to the bundle writer and to hosts.
@c(descant_plugin_manifest)
public func manifest() -> UnsafePointer<CChar>? { PluginEntry.manifest(of: MusicAssistantPlugin.self) }

/// Creates the plugin for a host.
@c(descant_plugin_entry)
public func entry(_ host: UnsafeMutableRawPointer) -> Int32 { PluginEntry.run(MusicAssistantPlugin.self, host) }
