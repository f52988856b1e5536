internal import Descant
internal import Foundation

/// The variable `DESCANT_PCM_STREAM`, or a file `target.txt` in the bundle's folder, names the target: `tcp://host:port`.
struct PCMStreamPlugin: DescantPlugin {
    static let manifest = PluginManifest(
        id: "org.descant.pcm-stream", name: "PCM stream output", version: "1.0.0", license: "Apache-2.0",
        provides: [
            .output("pcm-stream", capabilities: ["network"]) { context in
                let file = context.bundleURL.appendingPathComponent("target.txt")
                let text =
                    ProcessInfo.processInfo.environment["DESCANT_PCM_STREAM"]
                    ?? (try? String(contentsOf: file, encoding: .utf8))
                guard let text else {
                    let remedy = "set DESCANT_PCM_STREAM, or write \(file.path), with tcp://host:port"
                    throw CoreError.invalidArgument("the PCM stream has no target: \(remedy)")
                }
                return PCMStreamOutput(target: try StreamTarget(text))
            }
        ])
}

/// Describes the plugin to the bundle writer and to hosts.
@c(descant_plugin_manifest)
public func manifest() -> UnsafePointer<CChar>? { PluginEntry.manifest(of: PCMStreamPlugin.self) }

/// Creates the plugin for a host.
@c(descant_plugin_entry)
public func entry(_ host: UnsafeMutableRawPointer) -> Int32 { PluginEntry.run(PCMStreamPlugin.self, host) }
