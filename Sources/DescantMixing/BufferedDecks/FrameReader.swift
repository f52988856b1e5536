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
    private let unannouncedDuration: Double
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
        self.unannouncedDuration = unannouncedDuration
        duration = info.duration
        format = PCMFormat(sampleRate: Int(info.sampleRate.rounded()), channels: info.channels)
    }

    func read(into buffer: UnsafeMutablePointer<Float>, maxFrames: Int) throws -> Int {
        let given = try decoder.read(handle, into: buffer, maxFrames: maxFrames)
        let frames = try DecodedSamples.checked(given, of: maxFrames, from: plugin)
        position += Int64(frames)
        if let excess = length.excess(
            at: position, sampleRate: format.sampleRate, unannouncedDuration: unannouncedDuration, from: plugin)
        {
            throw excess
        }
        DecodedSamples.silenceInvalid(buffer, count: frames * format.channels)
        return frames
    }

    func takeCues() -> [PCMCue] { [] }

    var shortage: CoreError? { length.shortage(at: position, sampleRate: format.sampleRate, from: plugin) }

    func seek(toFrame frame: Int64) throws {
        // Rounding must not carry the position past the end: decoders refuse such a seek.
        try decoder.seek(handle, toSeconds: min(format.seconds(of: frame), duration))
        position = frame
    }

    func close() { decoder.close(handle) }
}
