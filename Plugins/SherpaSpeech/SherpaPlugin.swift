internal import Descant
internal import Foundation

struct SherpaPlugin: DescantPlugin {
    static let manifest = PluginManifest(
        id: "org.descant.sherpa", name: "sherpa-onnx speech", version: "1.0.0", license: "Apache-2.0 AND MIT",
        provides: [
            .speechSynthesizer("sherpa", capabilities: ["neural voices", "estimated word marks"]) { context in
                let searchPath = SherpaSearchPath()
                let library = try SherpaLibrary(candidates: searchPath.libraries)
                // A helper process starts no other, and a model that ends it does no further harm.
                let probe =
                    context.isIsolated
                    ? nil
                    : SherpaProbe(
                        program: context.bundleURL.appending(path: SherpaProbe.fileName), library: library.path)
                return SherpaSynthesizer(
                    library: library, probe: probe, models: searchPath.models, logger: context.logger,
                    clock: context.clock)
            }
        ])
}

/// Describes the plugin to the bundle writer and to hosts.
@c(descant_plugin_manifest)
public func manifest() -> UnsafePointer<CChar>? { PluginEntry.manifest(of: SherpaPlugin.self) }

/// Creates the plugin for a host.
@c(descant_plugin_entry)
public func entry(_ host: UnsafeMutableRawPointer) -> Int32 { PluginEntry.run(SherpaPlugin.self, host) }
