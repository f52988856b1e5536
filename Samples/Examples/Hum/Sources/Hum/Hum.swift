import Descant
import Foundation
import Synchronization

/// Makes two seconds of tone out of a text file that holds a frequency in hertz.
final class HumDecoder: DecoderPort, Sendable {
    private let streams = Mutex<[DecodeHandle: (hertz: Double, frame: Int)]>([:])
    func open(url: URL) throws -> DecodeHandle {
        let text = String(decoding: try ProbeInput(file: url).header, as: UTF8.self)
        guard let hertz = Double(text.trimmingCharacters(in: .whitespacesAndNewlines)), hertz > 0, hertz < 24_000
        else { throw CoreError.decodeError("\(url.path) holds no frequency below 24000 Hz") }
        let handle = DecodeHandle()
        streams.withLock { $0[handle] = (hertz, 0) }
        return handle
    }
    func read(_ handle: DecodeHandle, into buffer: UnsafeMutablePointer<Float>, maxFrames: Int) throws -> Int {
        try with(handle) { stream in
            let frames = min(maxFrames, 96_000 - stream.frame)
            let step = 2 * Double.pi * stream.hertz / 48_000
            for index in 0..<frames { buffer[index] = Float(0.2 * sin(step * Double(stream.frame + index))) }
            stream.frame += frames
            return frames
        }
    }
    func seek(_ handle: DecodeHandle, toSeconds seconds: Double) throws {
        guard (0...2).contains(seconds) else { throw CoreError.invalidArgument("\(seconds) s is not within 0…2 s") }
        try with(handle) { $0.frame = Int((seconds * 48_000).rounded()) }
    }
    func info(_ handle: DecodeHandle) throws -> StreamInfo {
        try with(handle) { _ in StreamInfo(duration: 2, sampleRate: 48_000, channels: 1, bitDepth: 32) }
    }
    func close(_ handle: DecodeHandle) { streams.withLock { $0[handle] = nil } }
    private func with<T>(_ handle: DecodeHandle, _ body: (inout (hertz: Double, frame: Int)) -> T) throws -> T {
        try streams.withLock { streams in
            guard streams[handle] != nil else { throw CoreError.invalidState("hum: the handle is closed") }
            return body(&streams[handle, default: (0, 0)])
        }
    }
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
