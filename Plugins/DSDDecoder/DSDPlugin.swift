internal import Descant

struct DSDPlugin: DescantPlugin {
    static let manifest = PluginManifest(
        id: "org.descant.dsd", name: "DSD decoder", version: "1.0.0", license: "Apache-2.0",
        provides: [
            .decoder(
                "dsd", extensions: ["dsf", "dff"],
                mimeTypes: ["audio/dsf", "audio/x-dsf", "audio/dff", "audio/x-dff", "audio/dsd", "audio/x-dsd"],
                signatures: [FileSignature("44534420"), FileSignature("44534420", at: 12)],
                capabilities: ["seeks", "1/32 of the DSD rate"]
            ) { DSDDecoder(outputMultiple: nil) },
            // No file types: a host asks for these by name when it wants a fixed sample rate.
            .decoder("dsd-88.2", capabilities: ["seeks", "88.2 or 96 kHz"]) { DSDDecoder(outputMultiple: 2) },
            .decoder("dsd-176.4", capabilities: ["seeks", "176.4 or 192 kHz"]) { DSDDecoder(outputMultiple: 4) },
            .decoder("dsd-352.8", capabilities: ["seeks", "352.8 or 384 kHz"]) { DSDDecoder(outputMultiple: 8) },
        ])
}

/// Describes the plugin to the bundle writer and to hosts.
@c(descant_plugin_manifest)
public func manifest() -> UnsafePointer<CChar>? { PluginEntry.manifest(of: DSDPlugin.self) }

/// Creates the plugin for a host.
@c(descant_plugin_entry)
public func entry(_ host: UnsafeMutableRawPointer) -> Int32 { PluginEntry.run(DSDPlugin.self, host) }
