internal import DescantCore

/// Frames from a stream that a decoder has open.
final class DecoderReader: FrameReader {
    let format: PCMFormat
    private let decoder: any DecoderPort
    private let handle: DecodeHandle
    private let duration: Double

    init(_ decoder: any DecoderPort, handle: DecodeHandle, info: StreamInfo) {
        self.decoder = decoder
        self.handle = handle
        duration = info.duration
        format = PCMFormat(sampleRate: Int(info.sampleRate.rounded()), channels: info.channels)
    }

    func read(into buffer: UnsafeMutablePointer<Float>, maxFrames: Int) throws -> Int {
        try decoder.read(handle, into: buffer, maxFrames: maxFrames)
    }

    func seek(toFrame frame: Int64) throws {
        // Rounding must not carry the position past the end, which decoders refuse.
        try decoder.seek(handle, toSeconds: min(format.seconds(of: frame), duration))
    }

    func close() { decoder.close(handle) }
}
