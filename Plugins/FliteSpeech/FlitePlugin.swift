internal import Descant

/// The manifest, and what a host asks for.
struct FlitePlugin: DescantPlugin {
    static let manifest = PluginManifest(
        id: "org.descant.flite", name: "flite speech", version: "1.0.0",
        // flite's own licence is of the BSD kind; its tools and voices have variants of it.
        license: "Apache-2.0 AND LicenseRef-CMU-Flite",
        provides: [
            PluginProvision(
                kind: .speech, identifier: "flite", capabilities: ["exact word marks"], languages: ["en-US", "en-GB"])
        ])

    func makeSpeechSynthesizer(_ identifier: String, context: PluginContext) throws -> any SpeechSynthesizer {
        FliteSynthesizer()
    }
}

/// Describes the plugin to whoever writes its bundle.
@c(descant_plugin_manifest)
public func manifest() -> UnsafePointer<CChar>? { PluginEntry.manifest(of: FlitePlugin.self) }

/// Creates the plugin for a host.
@c(descant_plugin_entry)
public func entry(_ host: UnsafeMutableRawPointer) -> Int32 { PluginEntry.run(FlitePlugin.self, host) }
