import Descant
import Foundation

/// Returns the peak of a file without playing it.
func peak(of url: URL) throws -> Float {
    let decoder: any DecoderPort = GStreamerDecoder()
    let handle = try decoder.open(url: url)
    defer { decoder.close(handle) }
    let info = try decoder.info(handle)
    var block = [Float](repeating: 0, count: 4_096 * info.channels)
    var peak: Float = 0
    while true {
        let frames = try block.withUnsafeMutableBufferPointer { buffer in
            try buffer.baseAddress.map { try decoder.read(handle, into: $0, maxFrames: 4_096) } ?? 0
        }
        if frames == 0 { return peak }
        for sample in block[..<(frames * info.channels)] { peak = max(peak, abs(sample)) }
    }
}
