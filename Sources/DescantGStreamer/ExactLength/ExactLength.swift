internal import DescantContainers
internal import DescantCore

/// The part of the decoded frames of a file that is its sound, according to the headers of the file.
struct ExactLength: Sendable, Equatable {
    /// The number of frames of sound, without the delay and padding of the codec; `nil` when the headers give only the beginning.
    var frames: Int64?
    /// Frames per second, in Hz.
    var sampleRate: Int
    /// Whether the file ends before its sound does; ``frames`` are those that are there.
    var isCutOff = false
    /// The number of frames that the decoder returns before the sound: delay of the codec that GStreamer does not remove.
    var lead: Int64 = 0
    /// The number of frames before a position at which decoding must begin so that the samples at the position are right.
    var preroll: Int64 = 0
    /// Bytes that replace headers in the pipeline's view of the file, so that GStreamer does not trim the sound itself.
    var patches: [BytePatch] = []
    /// The links of a chained Ogg file, two or more, which are read one by one; empty for every other file. A chain has no other values
    /// than the rate of its first link.
    var links: [Link] = []

    /// One stream of a chained Ogg file.
    struct Link: Sendable, Equatable {
        /// Where the stream lies in the file.
        var bytes: Range<Int64>
        var length: ExactLength
    }

    /// Reads the length of a file; `nil` when the format has none or is unknown, or when the headers are not plausible.
    static func read(_ file: some RandomAccessBytes<Never>) -> ExactLength? {
        guard let length = announced(by: file), length.isPossible(inBytes: file.size) else { return nil }
        return length
    }

    private static func announced(by file: some RandomAccessBytes<Never>) -> ExactLength? {
        let start = ID3v2Header.end(in: file)
        let magic = file.bytes(at: start, count: 4)
        guard magic.count == 4 else { return nil }
        if file.bytes(at: 4, count: 4).elementsEqual("ftyp".utf8) { return M4ALength.read(file) }
        switch String(latin1: magic) {
        case "fLaC":
            guard let header = FLACHeader(file, at: start), header.frames > 0 else { return nil }
            return ExactLength(frames: header.frames, sampleRate: header.sampleRate)
        case "RIFF", "RF64": return WAVLength.read(file)
        case "OggS": return OggLength.read(file)
        default: return MP3Length.read(file, at: start)
        }
    }

    // MARK: Plausibility

    /// The maximum number of frames in one byte: a block of FLAC holds up to 65,535 silent frames in 13 bytes.
    private static let maximumFramesPerByte: Int64 = 8_192
    /// The maximum length, in seconds: 31 years.
    private static let maximumSeconds: Int64 = 1_000_000_000

    /// Whether a file can hold as many frames as its headers announce.
    ///
    /// - Parameter size: The size of the file in bytes.
    func isPossible(inBytes size: Int64) -> Bool {
        guard PCMFormat.supportedSampleRates.contains(sampleRate) else { return false }
        let (held, isOver) = size.multipliedReportingOverflow(by: Self.maximumFramesPerByte)
        let maximum = min(isOver ? .max : held, Self.maximumSeconds * Int64(sampleRate), FrameCount.limit)
        return (0...maximum).contains(lead) && (1...max(1, maximum)).contains(frames ?? 1)
    }

    /// The same length at the rate of a decoder that returns a whole multiple of the rate; `nil` for any other rate, and above
    /// ``FrameCount/limit``.
    func scaled(to rate: Int) -> ExactLength? {
        guard sampleRate > 0, rate % sampleRate == 0 else { return nil }
        let factor = Int64(rate / sampleRate)
        guard [frames ?? 0, lead, preroll].allSatisfy({ abs($0) <= FrameCount.limit / factor }) else { return nil }
        return ExactLength(
            frames: frames.map { $0 * factor }, sampleRate: rate, isCutOff: isCutOff, lead: lead * factor,
            preroll: preroll * factor, patches: patches)
    }
}

/// Bytes that replace others of a file.
struct BytePatch: Sendable, Equatable {
    /// Bytes from the beginning of the file.
    var offset: Int64
    var bytes: [UInt8]

    /// Replaces the bytes that lie in a part of the file.
    ///
    /// - Parameters:
    ///   - part: The part.
    ///   - start: The offset of the part in the file.
    func apply(to part: inout [UInt8], at start: Int64) {
        for (index, byte) in bytes.enumerated() {
            let place = offset + Int64(index) - start
            if place >= 0, place < Int64(part.count) { part[Int(place)] = byte }
        }
    }
}

/// The bytes of a stream, before a pipeline reads it.
struct StreamBytes: RandomAccessBytes {
    let size: Int64
    private let stream: any ByteStream

    /// `nil` for a stream that cannot seek or does not know its size.
    init?(_ stream: any ByteStream) {
        guard stream.isSeekable, let size = stream.size else { return nil }
        self.size = size
        self.stream = stream
    }

    func bytes(at offset: Int64, count: Int) throws(Never) -> [UInt8] {
        guard offset >= 0, offset < size, count > 0 else { return [] }
        stream.move(to: offset)
        return stream.next(Int(min(Int64(count), size - offset)))
    }
}
