internal import DescantCore

/// Frames from a stream that a decoder has open, compared with what the decoder announced.
///
/// A stream that goes on far behind its announced length is ended with an error: without one it would fill a disk.
final class DecoderReader: FrameReader {
    let format: PCMFormat
    private let decoder: any DecoderPort
    private let handle: DecodeHandle
    private let duration: Double
    private let length: StreamLength
    private let plugin: String
    /// The frame at which the decoder is stopped.
    private let limit: Int64
    /// The source frame that is read next.
    private var position: Int64 = 0

    /// - Parameters:
    ///   - length: What the decoder announced.
    ///   - plugin: Who is named in errors.
    ///   - unannouncedDuration: How much is taken of a stream without a length, in seconds.
    init(
        _ decoder: any DecoderPort, handle: DecodeHandle, info: StreamInfo, length: StreamLength, plugin: String,
        unannouncedDuration: Double
    ) {
        self.decoder = decoder
        self.handle = handle
        self.length = length
        self.plugin = plugin
        duration = info.duration
        format = PCMFormat(sampleRate: Int(info.sampleRate.rounded()), channels: info.channels)
        limit = Self.limit(length, unannouncedDuration, format)
    }

    /// A second and a hundredth behind a length that was counted; a minute and as much again behind one that was estimated.
    private static func limit(_ length: StreamLength, _ unannounced: Double, _ format: PCMFormat) -> Int64 {
        let rate = Double(format.sampleRate)
        guard let frames = length.frames else { return FrameCount(seconds: unannounced, sampleRate: rate).value }
        let more = length.isExact ? Double(frames) / 100 + rate : Double(frames) + 60 * rate
        return (FrameCount(clamping: frames) + FrameCount(clamping: more)).value
    }

    func read(into buffer: UnsafeMutablePointer<Float>, maxFrames: Int) throws -> Int {
        let frames = try decoder.read(handle, into: buffer, maxFrames: maxFrames)
        guard (0...maxFrames).contains(frames) else {
            throw CoreError.decodeError(
                "\(plugin) gave \(frames) frames when asked for up to \(maxFrames); what it wrote cannot be trusted")
        }
        position += Int64(frames)
        guard position <= limit else {
            let announced = length.frames.map { "announced \($0) frames" } ?? "announced no length"
            throw CoreError.decodeError("\(plugin) \(announced) and did not end after \(limit); it was stopped")
        }
        silence(buffer, samples: frames * format.channels)
        return frames
    }

    /// Replaces what is not a number, and what would be one no more after a sum: effects and converters keep such a value for ever.
    private func silence(_ buffer: UnsafeMutablePointer<Float>, samples: Int) {
        let maximum: Float = 1e9
        for index in 0..<samples where !(buffer[index].magnitude <= maximum) { buffer[index] = 0 }
    }

    /// Lengths that were counted only, and more than a millisecond: a length in seconds may be rounded.
    var shortage: CoreError? {
        guard let frames = length.frames, length.isExact else { return nil }
        let missing = frames - position
        guard missing > Int64(format.sampleRate / 1_000) else { return nil }
        return .decodeError("\(plugin) announced \(frames) frames and ended \(missing) before that")
    }

    func seek(toFrame frame: Int64) throws {
        // Rounding must not carry the position past the end, which decoders refuse.
        try decoder.seek(handle, toSeconds: min(format.seconds(of: frame), duration))
        position = frame
    }

    func close() { decoder.close(handle) }
}
