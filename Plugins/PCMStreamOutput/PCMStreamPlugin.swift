internal import Descant
internal import Foundation

/// Where the sound goes is told by the variable `DESCANT_PCM_STREAM`, or by a file `target.txt` in the bundle's folder:
/// `tcp://host:port`.
struct PCMStreamPlugin: DescantPlugin {
    static let manifest = PluginManifest(
        id: "org.descant.pcm-stream", name: "PCM stream output", version: "1.0.0", license: "Apache-2.0",
        provides: [PluginProvision(kind: .output, identifier: "pcm-stream", capabilities: ["network"])])

    func makeOutput(_ identifier: String, context: PluginContext) throws -> any AudioOutputPort {
        let file = context.bundleURL.appendingPathComponent("target.txt")
        let text =
            ProcessInfo.processInfo.environment["DESCANT_PCM_STREAM"]
            ?? (try? String(contentsOf: file, encoding: .utf8))
        guard let text else {
            throw CoreError.invalidArgument(
                "the PCM stream has no target: set DESCANT_PCM_STREAM, or write \(file.path), with tcp://host:port")
        }
        return PCMStreamOutput(target: try StreamTarget(text))
    }
}

/// Describes the plugin to whoever writes its bundle.
@c(descant_plugin_manifest)
public func manifest() -> UnsafePointer<CChar>? { PluginEntry.manifest(of: PCMStreamPlugin.self) }

/// Creates the plugin for a host.
@c(descant_plugin_entry)
public func entry(_ host: UnsafeMutableRawPointer) -> Int32 { PluginEntry.run(PCMStreamPlugin.self, host) }
