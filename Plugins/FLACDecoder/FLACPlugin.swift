internal import Descant

struct FLACPlugin: DescantPlugin {
    static let manifest = PluginManifest(
        id: "org.descant.flac", name: "FLAC decoder", version: "1.0.0", license: "Apache-2.0 AND BSD-3-Clause",
        provides: [
            .decoder(
                "flac", extensions: ["flac", "fla"], mimeTypes: ["audio/flac", "audio/x-flac"],
                signatures: [FileSignature("664c6143"), FileSignature("7f464c4143", at: 28)],
                capabilities: ["seeks", "lossless"]
            ) { FLACDecoder(checksMD5: false) },
            // No file types: the MD5 of all samples costs half as much again as decoding, and the checksum of each frame
            // shows damage already. A host asks for it by name to verify an archive.
            .decoder("flac-verified", capabilities: ["seeks", "lossless", "checks MD5"]) {
                FLACDecoder(checksMD5: true)
            },
        ])
}

/// Describes the plugin to the bundle writer and to hosts.
@c(descant_plugin_manifest)
public func manifest() -> UnsafePointer<CChar>? { PluginEntry.manifest(of: FLACPlugin.self) }

/// Creates the plugin for a host.
@c(descant_plugin_entry)
public func entry(_ host: UnsafeMutableRawPointer) -> Int32 { PluginEntry.run(FLACPlugin.self, host) }
