internal import DescantCore

/// The source of a buffered deck's frames. Used on one queue only; calls may block.
protocol FrameReader: AnyObject {
    /// The shape of the frames.
    var format: PCMFormat { get }

    /// Reads the next frames; 0 at the end.
    func read(into buffer: UnsafeMutablePointer<Float>, maxFrames: Int) throws -> Int

    /// The cues within the frames that were read, each once.
    func takeCues() -> [PCMCue]

    /// An error when the stream is shorter than announced, once a read has returned 0.
    var shortage: CoreError? { get }

    /// Moves to a frame.
    func seek(toFrame frame: Int64) throws

    /// Releases everything.
    func close()
}

/// A stream's length in frames. A length of 2^40 frames or more comes from a damaged header and counts as unknown.
struct StreamLength {
    let frames: Int64?
    let isExact: Bool

    /// A duration within this many frames of a whole number was counted in frames, not estimated.
    private static let rounding = 0.001

    init(frames: Int64?, isExact: Bool) {
        self.frames = frames
        self.isExact = isExact
    }

    init(_ info: StreamInfo) {
        let frames = info.duration * info.sampleRate
        guard frames.isFinite, frames > 0, frames < Double(FrameCount.limit) else {
            self.init(frames: nil, isExact: false)
            return
        }
        let count = FrameCount(clamping: frames).value
        self.init(frames: count, isExact: abs(frames - Double(count)) < Self.rounding)
    }
}

/// Reads PCM of the host.
final class PCMSourceReader: FrameReader {
    let format: PCMFormat
    let shortage: CoreError? = nil
    private let source: any PCMSource

    init(_ source: any PCMSource) {
        self.source = source
        format = source.format
    }

    func read(into buffer: UnsafeMutablePointer<Float>, maxFrames: Int) throws -> Int {
        try source.read(into: buffer, maxFrames: maxFrames)
    }

    func takeCues() -> [PCMCue] { source.takeCues() }

    func seek(toFrame frame: Int64) throws { try source.seek(toFrame: frame) }

    func close() {}
}

/// Reads an open stream of a decoder and compares it with what the decoder announced.
///
/// A stream that continues far beyond its announced length ends with an error; otherwise a render would fill the disk.
final class DecoderFrameReader: FrameReader {
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
    ///   - length: The announced length.
    ///   - plugin: The name in errors.
    ///   - unannouncedDuration: The maximum duration of a stream without a length, in seconds.
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

    /// A counted length plus 1 s and 1 %; an estimated length plus a minute and 100 %.
    private static func limit(_ length: StreamLength, _ unannounced: Double, _ format: PCMFormat) -> Int64 {
        let rate = Double(format.sampleRate)
        guard let frames = length.frames else { return FrameCount(seconds: unannounced, sampleRate: rate).value }
        let more = length.isExact ? Double(frames) / 100 + rate : Double(frames) + 60 * rate
        return (FrameCount(clamping: frames) + FrameCount(clamping: more)).value
    }

    func read(into buffer: UnsafeMutablePointer<Float>, maxFrames: Int) throws -> Int {
        let given = try decoder.read(handle, into: buffer, maxFrames: maxFrames)
        let frames = try DecodedSamples.checked(given, of: maxFrames, from: plugin)
        position += Int64(frames)
        guard position <= limit else {
            let announced = length.frames.map { "announced \($0) frames" } ?? "announced no length"
            throw CoreError.decodeError("\(plugin) \(announced) and did not end after \(limit); it was stopped")
        }
        DecodedSamples.silenceInvalid(buffer, count: frames * format.channels)
        return frames
    }

    func takeCues() -> [PCMCue] { [] }

    /// Only for counted lengths, and for more than a millisecond: a length in seconds may be rounded.
    var shortage: CoreError? {
        guard let frames = length.frames, length.isExact else { return nil }
        let missing = frames - position
        guard missing > Int64(format.sampleRate / 1_000) else { return nil }
        return .decodeError("\(plugin) announced \(frames) frames and ended \(missing) before that")
    }

    func seek(toFrame frame: Int64) throws {
        // Rounding must not carry the position past the end: decoders refuse such a seek.
        try decoder.seek(handle, toSeconds: min(format.seconds(of: frame), duration))
        position = frame
    }

    func close() { decoder.close(handle) }
}
