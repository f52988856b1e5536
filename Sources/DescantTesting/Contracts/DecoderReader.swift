internal import DescantCore
internal import Foundation

/// One handle of a decoder, read into buffers.
final class DecoderReader {
    let decoder: any DecoderPort
    let handle: DecodeHandle
    let format: PCMFormat

    /// Opens a file. Throws for an impossible description, by which no buffer could be made.
    init(_ decoder: any DecoderPort, url: URL) throws {
        let handle = try decoder.open(url: url)
        let info: StreamInfo
        do {
            info = try decoder.info(handle)
            try info.validate()
        } catch {
            decoder.close(handle)
            throw error
        }
        self.decoder = decoder
        self.handle = handle
        format = PCMFormat(sampleRate: Int(info.sampleRate), channels: info.channels)
    }

    func info() throws -> StreamInfo { try decoder.info(handle) }

    func seek(toSeconds seconds: Double) throws { try decoder.seek(handle, toSeconds: seconds) }

    func close() { decoder.close(handle) }

    /// Reads up to a number of frames, or to the end.
    func read(frames: Int, chunk: Int = 4_096) throws -> SampleBuffer {
        var ignored = FindingCollector()
        return try read(frames: frames, chunk: chunk, overrun: &ignored)
    }

    /// Reads to the end, or to one second behind the content: a decoder may never return 0 frames.
    func readAll(_ content: SampleBuffer, chunk: Int, overrun: inout FindingCollector) throws -> SampleBuffer {
        try read(frames: content.frameCount + content.format.sampleRate, chunk: chunk, overrun: &overrun)
    }

    /// Reads in chunks. Marks behind the buffer show whether a decoder writes more than was requested.
    func read(frames: Int, chunk: Int, overrun: inout FindingCollector) throws -> SampleBuffer {
        let mark: Float = 12_345.678
        let margin = 16
        var result = SampleBuffer(format: format)
        var buffer = [Float](repeating: mark, count: chunk * format.channels + margin)
        while result.frameCount < frames {
            let wanted = min(chunk, frames - result.frameCount)
            let given = try buffer.withUnsafeMutableBufferPointer { buffer in
                guard let base = buffer.baseAddress else { return 0 }
                return try decoder.read(handle, into: base, maxFrames: wanted)
            }
            overrun.expect(
                (0...wanted).contains(given), "a read returns no more frames than were requested",
                seen: "\(given) instead of \(wanted)")
            overrun.expect(
                buffer.suffix(margin).allSatisfy { $0 == mark }, "a read writes only into its buffer",
                seen: "samples behind the end of the buffer")
            if given <= 0 { break }
            result.samples += buffer[..<(min(given, wanted) * format.channels)]
        }
        return result
    }
}
