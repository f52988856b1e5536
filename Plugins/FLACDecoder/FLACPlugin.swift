internal import Descant

/// The manifest, and what a host asks for.
struct FLACPlugin: DescantPlugin {
    static let manifest = PluginManifest(
        id: "org.descant.flac", name: "FLAC decoder", version: "1.0.0", license: "Apache-2.0 AND BSD-3-Clause",
        provides: [
            PluginProvision(
                kind: .decoder, identifier: "flac", capabilities: ["seeks", "lossless"],
                fileTypes: [
                    PluginFileType(
                        extensions: ["flac", "fla"], mimeTypes: ["audio/flac", "audio/x-flac"],
                        signatures: [FileSignature("664c6143"), FileSignature("7f464c4143", at: 28)])
                ]),
            // Never chosen for a file by itself: the checksum over all samples costs half as much again as decoding, and
            // damage shows in the checksum of its frame anyway. For whoever verifies an archive.
            PluginProvision(
                kind: .decoder, identifier: "flac-verified", capabilities: ["seeks", "lossless", "checks MD5"]),
        ])

    func makeDecoder(_ identifier: String, context: PluginContext) throws -> any DecoderPort {
        FLACDecoder(checksMD5: identifier == "flac-verified")
    }
}

/// What the plugin says about itself.
/// Describes the plugin to whoever writes its bundle.
@c(descant_plugin_manifest)
public func manifest() -> UnsafePointer<CChar>? { PluginEntry.manifest(of: FLACPlugin.self) }

/// Makes the plugin.
/// Creates the plugin for a host.
@c(descant_plugin_entry)
public func entry(_ host: UnsafeMutableRawPointer) -> Int32 { PluginEntry.run(FLACPlugin.self, host) }
