internal import Descant
internal import Foundation

/// The host, the variable `DESCANT_PCM_STREAM`, or a file `target.txt` that the bundle was written with names the target:
/// `tcp://host:port` for Float32 samples, `tcp://host:port?format=s16` for integers of 16 bits.
struct PCMStreamPlugin: DescantPlugin {
    static let manifest = PluginManifest(
        id: "org.descant.pcm-stream", name: "PCM stream output", version: "1.0.0", license: "Apache-2.0",
        provides: [
            .output("pcm-stream", capabilities: ["network"]) { context in
                let file = context.bundleURL.appendingPathComponent("target.txt")
                let text =
                    ProcessInfo.processInfo.environment["DESCANT_PCM_STREAM"]
                    ?? (try? String(contentsOf: file, encoding: .utf8))
                return PCMStreamOutput(
                    target: try text.map { try StreamTarget($0) },
                    remedy: "set DESCANT_PCM_STREAM to tcp://host:port, or have the host name the address")
            }
        ])
}

/// Describes the plugin to the bundle writer and to hosts.
@c(descant_plugin_manifest)
public func manifest() -> UnsafePointer<CChar>? { PluginEntry.manifest(of: PCMStreamPlugin.self) }

/// Creates the plugin for a host.
@c(descant_plugin_entry)
public func entry(_ host: UnsafeMutableRawPointer) -> Int32 { PluginEntry.run(PCMStreamPlugin.self, host) }
