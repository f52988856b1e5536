internal import Descant

struct LibavPlugin: DescantPlugin {
    static let manifest = PluginManifest(
        id: "org.descant.libav", name: "MP3, AAC, ALAC, Vorbis and Opus decoder", version: "1.0.0",
        // The source is ours; libavcodec, which is loaded into the host's process, is under the GPL as distributions build it.
        license: "Apache-2.0 AND GPL-2.0-or-later",
        provides: [
            .decoder(
                "libav", extensions: ["mp3", "m4a", "m4b", "ogg", "oga", "opus"],
                mimeTypes: ["audio/mpeg", "audio/mp3", "audio/mp4", "audio/x-m4a", "audio/ogg", "audio/opus"],
                signatures: EncodedFormat.signatures, priority: 1, capabilities: ["seeks"]
            ) { LibavDecoder() }
        ])
}

/// Describes the plugin to the bundle writer and to hosts.
@c(descant_plugin_manifest)
public func manifest() -> UnsafePointer<CChar>? { PluginEntry.manifest(of: LibavPlugin.self) }

/// Creates the plugin for a host.
@c(descant_plugin_entry)
public func entry(_ host: UnsafeMutableRawPointer) -> Int32 { PluginEntry.run(LibavPlugin.self, host) }
