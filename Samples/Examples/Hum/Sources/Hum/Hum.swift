import Descant
import Foundation
import Synchronization

/// An open file: two seconds of tone.
final class Tone: Sendable {
    let hertz: Double
    let frame = Mutex(0)
    let info = StreamInfo(duration: 2, sampleRate: 48_000, channels: 1, bitDepth: 32)
    init(hertz: Double) { self.hertz = hertz }
}

/// Makes tones out of text files that hold a frequency in hertz.
final class HumDecoder: DecoderPort, Sendable {
    private let tones = OpenStreams<Tone>()
    func open(url: URL) throws -> DecodeHandle {
        let text = String(decoding: try ProbeInput(file: url).header, as: UTF8.self)
        guard let hertz = Double(text.trimmingCharacters(in: .whitespacesAndNewlines)), hertz > 0, hertz < 24_000
        else { throw CoreError.decodeError("\(url.path) holds no frequency below 24000 Hz") }
        return tones.add(Tone(hertz: hertz))
    }
    func read(_ handle: DecodeHandle, into buffer: UnsafeMutablePointer<Float>, maxFrames: Int) throws -> Int {
        let tone = try tones[handle]
        return tone.frame.withLock { frame in
            let frames = min(maxFrames, 96_000 - frame)
            let step = 2 * Double.pi * tone.hertz / 48_000
            for index in 0..<frames { buffer[index] = Float(0.2 * sin(step * Double(frame + index))) }
            frame += frames
            return frames
        }
    }
    func seek(_ handle: DecodeHandle, toSeconds seconds: Double) throws {
        guard (0...2).contains(seconds) else { throw CoreError.invalidArgument("\(seconds) s is not within 0…2 s") }
        try tones[handle].frame.withLock { $0 = Int((seconds * 48_000).rounded()) }
    }
    func info(_ handle: DecodeHandle) throws -> StreamInfo { try tones[handle].info }
    func close(_ handle: DecodeHandle) { tones.remove(handle) }
}

struct HumPlugin: DescantPlugin {
    static let manifest = PluginManifest(
        id: "org.example.hum", name: "Hum", version: "1.0.0", license: "Apache-2.0",
        provides: [.decoder("hum", extensions: ["hum"]) { HumDecoder() }])
}
/// Describes the plugin to the bundle writer and to hosts.
@c(descant_plugin_manifest) public func manifest() -> UnsafePointer<CChar>? { PluginEntry.manifest(of: HumPlugin.self) }
/// Creates the plugin for a host.
@c(descant_plugin_entry)
public func entry(_ host: UnsafeMutableRawPointer) -> Int32 { PluginEntry.run(HumPlugin.self, host) }
