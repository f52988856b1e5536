internal import DescantContainers

/// The length of an MP3 file, by the tag in its first frame that counts frames, delay and padding: the Xing header with LAME's
/// extension behind it.
enum MP3Length {
    /// The number of bytes behind the tags that are read: zeros that are skipped, and the first frames.
    private static let searchLimit = 16_384
    /// The number of frames that must follow one another. The bytes of other containers look like a single one by chance.
    private static let consecutiveFrames = 3

    /// - Parameters:
    ///   - file: The file.
    ///   - offset: Where the tags before the sound end.
    static func read(_ file: some RandomAccessBytes<Never>, at offset: Int64) -> ExactLength? {
        let bytes = file.bytes(at: offset, count: searchLimit)
        guard let (start, header) = firstFrame(in: bytes, isWhole: offset + Int64(bytes.count) >= file.size) else {
            return nil
        }
        let tag = start + 4 + header.sideInfoSize
        guard let flags = bytes.uint32(at: tag + 4, .big), let blocks = bytes.uint32(at: tag + 8, .big) else {
            return nil
        }
        let name = String(latin1: bytes[tag..<tag + 4])
        guard name == "Xing" || name == "Info", flags & 1 != 0 else { return nil }
        // Frames, bytes, table of contents and quality stand there as the flags say; LAME's extension follows.
        let fields: [(flag: UInt32, size: Int)] = [(1, 4), (2, 4), (4, 100), (8, 4)]
        let extensionStart = fields.reduce(tag + 8) { $0 + (flags & $1.flag != 0 ? $1.size : 0) }
        guard bytes.count >= extensionStart + 24 else { return nil }
        let isLAME = bytes[extensionStart..<extensionStart + 4].elementsEqual("LAME".utf8)
        let delay = Int64(bytes[extensionStart + 21]) << 4 | Int64(bytes[extensionStart + 22]) >> 4
        let padding = Int64(bytes[extensionStart + 22] & 15) << 8 | Int64(bytes[extensionStart + 23])
        let decoded = Int64(blocks) * header.framesPerBlock
        let frames = decoded - delay - padding
        let isCounted = isPlausible(decoded: decoded, flags: flags, bytes: bytes, tag: tag, rate: header.sampleRate)
        if flags & 2 != 0, isCounted, let size = bytes.uint32(at: tag + 12, .big),
            isFollowedBySound(file, at: offset + Int64(start) + Int64(size), header)
        {
            // GStreamer takes the tag for that of all parts. Hidden, its frame is decoded like the others, as silence.
            return ExactLength(
                frames: nil, sampleRate: header.sampleRate,
                lead: header.framesPerBlock + (delay > 0 ? delay + decoderDelay : 0),
                patches: [BytePatch(offset: offset + Int64(tag), bytes: [0, 0, 0, 0])])
        }
        guard frames > 0 else { return nil }
        // GStreamer trims by LAME's own tag.
        if isLAME { return ExactLength(frames: frames, sampleRate: header.sampleRate) }
        guard isCounted, delay > 0 || padding > 0 else { return nil }
        // Other encoders write the same numbers under their own name. Newer versions of GStreamer may trim by them too, so the
        // patch hides them.
        let lead = delay + decoderDelay
        guard decoded > lead else { return nil }
        return ExactLength(
            frames: min(frames, decoded - lead), sampleRate: header.sampleRate, lead: lead,
            patches: [BytePatch(offset: offset + Int64(extensionStart), bytes: [0, 0, 0, 0])])
    }

    /// The delay of every decoder of layer III, in frames, which the tag does not count.
    private static let decoderDelay: Int64 = 529

    /// Whether the counts of frames and of bytes give a bit rate of 4…700 kbit/s.
    private static func isPlausible(decoded: Int64, flags: UInt32, bytes: [UInt8], tag: Int, rate: Int) -> Bool {
        guard flags & 2 != 0 else { return true }
        guard let size = bytes.uint32(at: tag + 12, .big) else { return false }
        let bits = Double(size) * 8
        return (4_000...700_000).contains(bits * Double(rate) / Double(decoded))
    }

    // MARK: Joined files

    /// The number of frames in a row that count as another part: half a second. The count of some encoders is a few frames short.
    private static let framesOfPart = 20

    /// Whether sound follows what a tag counts, as in a file that was joined from several, and in a podcast with an advertisement in
    /// front. The tag of the first part counts that part only.
    ///
    /// - Parameters:
    ///   - end: Where the counted bytes end.
    ///   - header: The frame with the tag, which some encoders do not count.
    private static func isFollowedBySound(
        _ file: some RandomAccessBytes<Never>, at end: Int64, _ header: MPEGAudioHeader
    ) -> Bool {
        [end, end + Int64(header.size)].contains { place in
            let bytes = file.bytes(at: CodedFrameCount.endOfTags(in: file, from: place), count: 3 * searchLimit)
            return firstFrame(in: bytes, isWhole: false, of: framesOfPart) != nil
        }
    }

    // MARK: Frames

    /// The first frame of the sound, if others follow it.
    ///
    /// - Parameters:
    ///   - isWhole: Whether the bytes reach to the end of the file, which may come before the other frames.
    ///   - count: The number of frames that must follow one another.
    private static func firstFrame(
        in bytes: [UInt8], isWhole: Bool, of count: Int = MP3Length.consecutiveFrames
    ) -> (offset: Int, header: MPEGAudioHeader)? {
        guard let start = bytes.firstIndex(where: { $0 != 0 }), let header = MPEGAudioHeader(bytes[start...]),
            header.layer == 3
        else { return nil }
        var next = start + header.size
        for _ in 1..<count {
            if next + 4 > bytes.count { return isWhole ? (start, header) : nil }
            guard let other = MPEGAudioHeader(bytes[next...]), other.isLike(header) else { return nil }
            next += other.size
        }
        return (start, header)
    }
}
