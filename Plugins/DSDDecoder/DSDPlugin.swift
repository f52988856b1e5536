internal import Descant

/// The manifest, and what a host asks for.
struct DSDPlugin: DescantPlugin {
    static let manifest = PluginManifest(
        id: "org.descant.dsd", name: "DSD decoder", version: "1.0.0", license: "Apache-2.0",
        provides: [
            PluginProvision(
                kind: .decoder, identifier: "dsd", capabilities: ["seeks", "1/32 of the DSD rate"],
                fileTypes: [
                    PluginFileType(
                        extensions: ["dsf", "dff"],
                        mimeTypes: [
                            "audio/dsf", "audio/x-dsf", "audio/dff", "audio/x-dff", "audio/dsd", "audio/x-dsd",
                        ],
                        signatures: [FileSignature("44534420"), FileSignature("44534420", at: 12)])
                ]),
            // Never chosen for a file by themselves: for a host that wants a certain rate whatever the file's is.
            PluginProvision(kind: .decoder, identifier: "dsd-88.2", capabilities: ["seeks", "88.2 or 96 kHz"]),
            PluginProvision(kind: .decoder, identifier: "dsd-176.4", capabilities: ["seeks", "176.4 or 192 kHz"]),
            PluginProvision(kind: .decoder, identifier: "dsd-352.8", capabilities: ["seeks", "352.8 or 384 kHz"]),
        ])

    func makeDecoder(_ identifier: String, context: PluginContext) throws -> any DecoderPort {
        switch identifier {
        case "dsd-88.2": DSDDecoder(outputMultiple: 2)
        case "dsd-176.4": DSDDecoder(outputMultiple: 4)
        case "dsd-352.8": DSDDecoder(outputMultiple: 8)
        default: DSDDecoder(outputMultiple: nil)
        }
    }
}

/// Describes the plugin to whoever writes its bundle.
@c(descant_plugin_manifest)
public func manifest() -> UnsafePointer<CChar>? { PluginEntry.manifest(of: DSDPlugin.self) }

/// Creates the plugin for a host.
@c(descant_plugin_entry)
public func entry(_ host: UnsafeMutableRawPointer) -> Int32 { PluginEntry.run(DSDPlugin.self, host) }
