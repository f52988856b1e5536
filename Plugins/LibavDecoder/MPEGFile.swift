internal import Descant

/// An MP3 file: frames behind one another, which are found by their headers alone.
///
/// The offsets of frames that were passed are kept, so that a second seek reads few headers.
final class MPEGFile: PacketSource {
    private(set) var stream: EncodedStream

    private let file: WindowedFile
    private let header: MPEGHeader
    /// The number of coded frames that a tag announces; others may follow behind other tags.
    private let announced: Int64?
    /// The offset of the next coded frame.
    private var offset: Int64
    /// The number of the next coded frame.
    private var index: Int64 = 0
    /// Whether bytes before the next coded frame were skipped.
    private var isInterrupted = false
    /// The offsets of the coded frames 0, 32, 64 and so on, as far as frames were passed.
    private var marks: [Int64]

    /// The number of coded frames between two offsets that are kept: 8 bytes for a second of sound.
    private static let markDistance: Int64 = 32
    /// The number of bytes behind the tags in which the first frame is searched.
    private static let searchLimit = 1 << 16
    /// The number of frames that must follow one another. Single ones appear in other data by chance.
    private static let consecutiveFrames = 3
    /// The number of bytes that hold them.
    private static let consecutiveBytes = 3 * 1_441 + 4
    /// The number of bytes that are searched for them at a time.
    private static let bytesAtOnce = 4 * consecutiveBytes
    /// The delay of every decoder of layer III, in frames, which tags do not count.
    private static let decoderDelay: Int64 = 529
    /// The number of coded frames that settle the decoder's filters, besides those whose bytes are referred to.
    private static let settlingFrames: Int64 = 3

    /// Finds the first frame and its tag, and without a tag the last frame; `nil` when there is none, or one of an unusual kind.
    ///
    /// - Throws: `CoreError` for a read that failed.
    init?(_ file: WindowedFile) throws {
        let tagEnd = try file.endOfTags()
        let head = try file.bytes(at: tagEnd, count: Self.searchLimit)
        guard let place = head.firstIndex(where: { $0 != 0 }), let header = MPEGHeader(head, at: place),
            Self.isStream(head, at: place, like: header, isWhole: tagEnd + Int64(head.count) >= file.size)
        else { return nil }
        // libavcodec (5.1) divides the frequencies of this rate at other places than the encoders, by up to 0.26 of full scale.
        guard header.sampleRate != 24_000 else { return nil }
        let tag: MPEGLengthTag?
        switch MPEGLengthTag.find(in: head, at: place, header) {
        case .unusual: return nil
        case .none: tag = nil
        case .found(let found): tag = found
        }
        (self.file, self.header) = (file, header)
        offset = tagEnd + Int64(place + (tag == nil ? 0 : header.size))
        (marks, announced) = ([offset], tag?.blocks)
        let lead = tag?.delay.map { $0 + Self.decoderDelay } ?? 0
        stream = EncodedStream(
            codec: .mp3, header: [], sampleRate: header.sampleRate, channels: header.isMono ? 1 : 2, lead: lead,
            frames: 0)
        let decoded = try (tag?.blocks ?? countBlocks()) * header.frames
        stream.frames = min(decoded - (tag?.delay ?? 0) - (tag?.padding ?? 0), decoded - lead)
        // The smallest frame has 24 bytes.
        guard stream.frames > 0, decoded / header.frames <= file.size / 24 + 1 else { return nil }
        rewind(to: 0)
    }

    func next(_ take: (CodedPacket, UnsafeBufferPointer<UInt8>) -> Void) throws -> Bool {
        let position = index * header.frames
        guard let found = try step() else { return false }
        let bytes = try file.view(at: found.offset, count: found.size)
        // The file has become shorter, and ends before the end of the frame.
        guard bytes.count == found.size else { return false }
        let packet = CodedPacket(position: position, duration: header.frames, isInterrupted: isInterrupted)
        isInterrupted = false
        take(packet, bytes)
        return true
    }

    func seek(to position: Int64) throws {
        let target = max(0, position) / header.frames
        let known = Int64(marks.count - 1) * Self.markDistance
        // Frames may refer to the bytes of many small frames before them.
        let first = max(0, target - 2 * Self.markDistance)
        rewind(to: min(first, known))
        while index < first, try step() != nil {}
        var passed: [(index: Int64, offset: Int64, dataSize: Int)] = []
        while index < target {
            let number = index
            guard let found = try step() else { break }
            passed.append((number, found.offset, found.dataSize))
        }
        var needed = header.reservoirSize
        var begin = passed.first.map { ($0.index, $0.offset) } ?? (index, offset)
        for frame in passed.reversed() where frame.index <= target - Self.settlingFrames {
            begin = (frame.index, frame.offset)
            needed -= frame.dataSize
            if needed <= 0 { break }
        }
        (index, offset) = begin
        isInterrupted = false
    }

    /// Returns to the last kept offset before a coded frame, or to this frame.
    private func rewind(to frame: Int64) {
        let mark = min(Int(frame / Self.markDistance), marks.count - 1)
        (index, offset) = (Int64(mark) * Self.markDistance, marks[mark])
        isInterrupted = false
    }

    private func countBlocks() throws -> Int64 {
        while try step() != nil {}
        return index
    }

    // MARK: Frames

    /// Passes the next coded frame; `nil` at the end.
    private func step() throws -> (offset: Int64, size: Int, dataSize: Int)? {
        if let announced, index >= announced { return nil }
        while true {
            let bytes = try file.view(at: offset, count: 4)
            if let found = MPEGHeader(bytes, at: 0), found.isLike(header) {
                guard offset + Int64(found.size) <= file.size else { return nil }
                defer {
                    offset += Int64(found.size)
                    index += 1
                    if index % Self.markDistance == 0, marks.count == index / Self.markDistance { marks.append(offset) }
                }
                return (offset, found.size, found.dataSize)
            }
            guard let next = try nextStream(behind: offset) else { return nil }
            offset = next
            isInterrupted = true
        }
    }

    /// The offset of the next frames that follow one another; `nil` when there are only other bytes.
    private func nextStream(behind offset: Int64) throws -> Int64? {
        var begin = offset + 1
        while begin < file.size {
            let bytes = try file.view(at: begin, count: Self.bytesAtOnce)
            // There are fewer bytes also in a file that has become shorter, before its former end.
            let isWhole = bytes.count < Self.bytesAtOnce || begin + Int64(bytes.count) >= file.size
            let end = isWhole ? bytes.count : bytes.count - Self.consecutiveBytes
            for place in 0..<end where bytes[place] == 0xFF {
                if Self.isStream(bytes, at: place, like: header, isWhole: isWhole) { return begin + Int64(place) }
            }
            if isWhole { return nil }
            begin += Int64(end)
        }
        return nil
    }

    /// Whether frames follow one another from an offset on.
    ///
    /// - Parameter isWhole: Whether the bytes reach to the end of the file, which may come before the other frames.
    private static func isStream(
        _ bytes: some ByteSequence, at offset: Int, like header: MPEGHeader, isWhole: Bool
    ) -> Bool {
        var next = offset
        for number in 0..<consecutiveFrames {
            if next + 4 > bytes.count { return isWhole && number > 0 && next == bytes.count }
            if number > 0, isWhole, isTag(bytes, at: next) { return true }
            guard let found = MPEGHeader(bytes, at: next), found.isLike(header) else { return false }
            next += found.size
        }
        return true
    }

    /// Whether tags begin that stand behind the sound.
    private static func isTag(_ bytes: some ByteSequence, at offset: Int) -> Bool {
        bytes.has("TAG", at: offset) || bytes.has("APETAGEX", at: offset) || bytes.has("LYRICSBEGIN", at: offset)
    }
}

extension WindowedFile {
    /// The offset behind the ID3v2 tags at the beginning.
    fileprivate func endOfTags() throws -> Int64 {
        var end: Int64 = 0
        for _ in 0..<16 {
            let head = try bytes(at: end, count: 10)
            guard head.has("ID3", at: 0), head.count == 10, head[6...].allSatisfy({ $0 < 0x80 }) else { break }
            end += 10 + head[6...].reduce(0) { $0 << 7 | Int64($1) } + (head[5] & 0x10 == 0 ? 0 : 10)
        }
        return end
    }
}

/// The tag in the first frame of an MP3 file that counts frames, delay and padding: the Xing header with LAME's extension behind it.
struct MPEGLengthTag {
    enum Search {
        case none
        /// A tag of another kind, or with impossible numbers.
        case unusual
        case found(MPEGLengthTag)
    }

    /// The number of coded frames behind the tag's own.
    var blocks: Int64?
    /// The number of frames before the sound, without the delay of the decoder; `nil` when no encoder has written any.
    var delay: Int64?
    /// The number of frames behind the sound.
    var padding: Int64 = 0

    static func find(in bytes: [UInt8], at start: Int, _ header: MPEGHeader) -> Search {
        if bytes.has("VBRI", at: start + 36) { return .unusual }
        let tag = start + 4 + header.sideInfoSize
        guard bytes.has("Xing", at: tag) || bytes.has("Info", at: tag) else { return .none }
        guard let flags = bytes.big(tag + 4, 4) else { return .unusual }
        var found = MPEGLengthTag()
        if flags & 1 != 0 {
            guard let count = bytes.big(tag + 8, 4), count > 0 else { return .unusual }
            found.blocks = Int64(count)
        }
        // Frames, bytes, table of contents and quality stand there as the flags say; LAME's extension follows.
        let fields: [(flag: Int, size: Int)] = [(1, 4), (2, 4), (4, 100), (8, 4)]
        let end = fields.reduce(tag + 8) { $0 + (flags & $1.flag != 0 ? $1.size : 0) }
        guard end + 24 <= min(bytes.count, start + header.size), let trim = bytes.big(end + 21, 3) else {
            return .found(found)
        }
        let (delay, padding) = (Int64(trim >> 12), Int64(trim & 0xFFF))
        // Without a name behind the tag the bytes are sound or zeros.
        guard bytes[end] != 0, delay > 0 || padding > 0 else { return .found(found) }
        (found.delay, found.padding) = (delay, padding)
        return .found(found)
    }
}
