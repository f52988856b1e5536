import Descant
import Foundation

/// Reads one file through a decoder.
final class StreamReader {
    let info: StreamInfo
    private let decoder: any DecoderPort
    private let handle: DecodeHandle

    init(_ registry: PluginRegistry, _ url: URL) throws {
        let stream = try registry.open(url)
        (decoder, handle, info) = (stream.decoder, stream.handle, stream.info)
    }

    init(_ decoder: any DecoderPort, _ url: URL) throws {
        self.decoder = decoder
        handle = try decoder.open(url: url)
        info = try decoder.info(handle)
    }

    deinit { decoder.close(handle) }

    func read(_ frames: Int) throws -> [Float] {
        var samples = [Float](repeating: .nan, count: frames * info.channels)
        let count = try samples.withUnsafeMutableBufferPointer { buffer in
            try buffer.baseAddress.map { try decoder.read(handle, into: $0, maxFrames: frames) } ?? 0
        }
        return Array(samples.prefix(count * info.channels))
    }

    func readAll(chunk: Int = 5_000) throws -> [Float] {
        var all: [Float] = []
        while true {
            let samples = try read(chunk)
            if samples.isEmpty { return all }
            all += samples
        }
    }

    func readUntilError(limit: Int = .max) -> ([Float], CoreError?) {
        var all: [Float] = []
        while all.count < limit {
            do {
                let samples = try read(3_000)
                if samples.isEmpty { return (all, nil) }
                all += samples
            } catch {
                return (all, error as? CoreError)
            }
        }
        return (all, nil)
    }

    func seek(_ seconds: Double) throws { try decoder.seek(handle, toSeconds: seconds) }
}
