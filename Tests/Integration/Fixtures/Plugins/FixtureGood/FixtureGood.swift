import Descant
import Foundation

/// A plugin with a decoder whose files begin with "FIXT" and sound like a ramp, a tag reader for those that begin with "FIXT by ", and a
/// decoder and a tag reader that cannot be made.
struct GoodPlugin: DescantPlugin {
    static let manifest = PluginManifest(
        id: "org.descant.fixture.good", name: "Good fixture", version: "1.0.0", license: "Apache-2.0",
        provides: [
            .decoder(
                "fixture", extensions: ["fixt"], mimeTypes: ["audio/x-fixture"],
                signatures: [FileSignature("46495854")], capabilities: ["seeks"]
            ) { context in
                context.logger.info("decoder made in \(context.bundleURL.lastPathComponent)")
                return RampDecoder()
            },
            .decoder("grumpy", extensions: ["grumpy"], priority: 5) {
                throw CoreError.unsupported("grumpy: not today")
            },
            .tagReader("fixture-tags", extensions: ["fixt"]) { throw CoreError.ioError("the tag database is locked") },
            .tagReader("fixture-names", signatures: [FileSignature("4649585420627920")]) { NameReader() },
        ])
}

/// Every file sounds as one second of a ramp at 8 kHz.
final class RampDecoder: DecoderPort, DecoderProbe {
    private var position: [DecodeHandle: Int] = [:]

    func open(url: URL) throws -> DecodeHandle {
        guard try Data(contentsOf: url).starts(with: Array("FIXT".utf8)) else {
            throw CoreError.decodeError("\(url.path): it does not begin with FIXT")
        }
        let handle = DecodeHandle()
        position[handle] = 0
        return handle
    }

    func read(_ handle: DecodeHandle, into buffer: UnsafeMutablePointer<Float>, maxFrames: Int) throws -> Int {
        let start = position[handle] ?? 8000
        let frames = min(maxFrames, 8000 - start)
        for frame in 0..<frames { buffer[frame] = Float(start + frame) / 8000 }
        position[handle] = start + frames
        return frames
    }

    func seek(_ handle: DecodeHandle, toSeconds seconds: Double) throws { position[handle] = Int(seconds * 8000) }

    func info(_ handle: DecodeHandle) throws -> StreamInfo {
        StreamInfo(duration: 1, sampleRate: 8000, channels: 1, bitDepth: 16)
    }

    func close(_ handle: DecodeHandle) { position[handle] = nil }

    func score(_ input: ProbeInput) -> ProbeScore {
        input.header.isEmpty || input.header.starts(with: Array("FIXT".utf8)) ? ProbeScore(90) : .none
    }
}

/// The artist's name follows the signature.
final class NameReader: TagReaderPort {
    func read(url: URL) throws -> TagBundle {
        var tags = TagBundle()
        tags.artists = [String(decoding: try Data(contentsOf: url).dropFirst(8), as: UTF8.self)]
        return tags
    }
}

// snippet: entry
/// Describes the plugin to the bundle writer and to hosts.
@c(descant_plugin_manifest)
public func manifest() -> UnsafePointer<CChar>? { PluginEntry.manifest(of: GoodPlugin.self) }

/// Creates the plugin for a host.
@c(descant_plugin_entry)
public func entry(_ host: UnsafeMutableRawPointer) -> Int32 { PluginEntry.run(GoodPlugin.self, host) }
// snippet ends
