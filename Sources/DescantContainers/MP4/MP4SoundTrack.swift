/// The codec and the length of the first sound track of an MP4 file.
package struct MP4SoundTrack {
    package enum Codec { case aac, alac, opus }

    /// The part of the track that is to be played, in the track's timescale.
    package struct Edit {
        package var start: Int64
        /// The length, rounded up; `nil` when the part ends with the track.
        package var longest: Int64?
    }

    package enum Edits {
        case none
        case one(Edit)
        /// Several parts, pauses or another speed: not an encoder's delay.
        case unusual
    }

    /// The number of frames that an Opus decoder drops at the beginning.
    package struct PreSkip {
        /// Where the file stores the number, in two bytes.
        package var offset: Int64
        /// Frames of 48 kHz.
        package var frames: Int64
    }

    package let codec: Codec
    /// Units of the track's times per second, 1…1,000,000.
    package let timescale: Int
    /// The sum of the durations of all packets, with the encoder's delay; `nil` for a fragmented file.
    package let duration: Int64?
    package let edits: Edits
    /// The header atom that announces the track's length.
    package let header: MP4Atom
    /// The offset of the header of the edit list.
    package let editListOffset: Int64?
    /// Whether the codec is AAC-LC, without spectral band replication.
    package let isLowComplexity: Bool
    /// `nil` for other codecs than Opus.
    package let preSkip: PreSkip?

    /// The codec that a sample description names.
    private struct Entry {
        var codec: Codec
        var isLowComplexity = false
        var preSkip: PreSkip?
    }

    /// The maximum number of entries of a table: 12 hours of packets that all differ in length.
    private static let tableLimit = 1 << 21

    /// Reads the track; `nil` when there is none with a known codec, or its tables are damaged.
    ///
    /// - Parameters:
    ///   - movie: The "moov" atom.
    ///   - bytes: The file.
    package init?(movie: MP4Atom, in bytes: some RandomAccessBytes<Never>) {
        let tracks = movie.children(in: bytes).filter { $0.name == "trak" }
        guard let track = tracks.first(where: { Self.isSound($0, bytes) }),
            let table = track.find("mdia", "minf", "stbl", in: bytes),
            let entry = Self.entry(of: table, bytes),
            let header = track.find("mdia", "mdhd", in: bytes),
            let rate = Self.timescale(in: header.content(of: bytes, limit: 32))
        else { return nil }
        self.header = header
        codec = entry.codec
        isLowComplexity = entry.isLowComplexity
        preSkip = entry.preSkip
        timescale = rate
        let isFragmented = movie.find("mvex", in: bytes) != nil
        duration = isFragmented ? nil : Self.duration(of: table, bytes)
        if !isFragmented, duration == nil { return nil }
        let list = track.find("edts", in: bytes)
        editListOffset = list?.offset
        let movieHeader = movie.find("mvhd", in: bytes)?.content(of: bytes, limit: 32) ?? []
        edits = Self.edits(list, movieTimescale: Self.timescale(in: movieHeader), timescale: rate, bytes)
    }

    private static func isSound(_ track: MP4Atom, _ bytes: some RandomAccessBytes<Never>) -> Bool {
        guard let handler = track.find("mdia", "hdlr", in: bytes)?.content(of: bytes, limit: 12) else { return false }
        return handler.count == 12 && handler[8..<12].elementsEqual("soun".utf8)
    }

    /// Units per second, 1…1,000,000, in a header of the movie or of a track; `nil` for other numbers.
    package static func timescale(in header: [UInt8]) -> Int? {
        // Behind version, flags and two times of 4 or, in version 1, 8 bytes.
        guard let value = header.uint32(at: header.first == 1 ? 20 : 12, .big) else { return nil }
        return (1...1_000_000).contains(value) ? Int(value) : nil
    }

    private static func entry(of table: MP4Atom, _ bytes: some RandomAccessBytes<Never>) -> Entry? {
        guard let atom = table.find("stsd", in: bytes) else { return nil }
        let description = atom.content(of: bytes, limit: 512)
        guard description.count >= 16 else { return nil }
        switch String(latin1: description[12..<16]) {
        case "alac": return Entry(codec: .alac)
        case "mp4a":
            return AACDescription.profile(in: description).map {
                Entry(codec: .aac, isLowComplexity: $0 == AACDescription.lowComplexity)
            }
        case "Opus":
            // Name, version and channels, then the number of frames.
            guard let name = AACDescription.index(of: Array("dOps".utf8), in: description),
                let frames = description.uint16(at: name + 6, .big)
            else { return nil }
            return Entry(codec: .opus, preSkip: PreSkip(offset: atom.start + Int64(name) + 6, frames: Int64(frames)))
        default: return nil
        }
    }

    /// The sum of the durations of the packets, below 2^41.
    private static func duration(of table: MP4Atom, _ bytes: some RandomAccessBytes<Never>) -> Int64? {
        guard let atom = table.find("stts", in: bytes), atom.end - atom.start <= Int64(8 + 8 * tableLimit) else {
            return nil
        }
        let entries = atom.content(of: bytes, limit: 8 + 8 * tableLimit)
        guard let count = entries.uint32(at: 4, .big), count > 0, count <= (entries.count - 8) / 8 else { return nil }
        var sum: Int64 = 0
        for index in 0..<Int(count) {
            guard let packets = entries.uint32(at: 8 + 8 * index, .big),
                let length = entries.uint32(at: 12 + 8 * index, .big)
            else { return nil }
            let (product, isTooLong) = Int64(packets).multipliedReportingOverflow(by: Int64(length))
            guard !isTooLong, product < 1 << 40, sum < 1 << 40 else { return nil }
            sum += product
        }
        return sum > 0 ? sum : nil
    }

    private static func edits(
        _ list: MP4Atom?, movieTimescale: Int?, timescale: Int, _ bytes: some RandomAccessBytes<Never>
    ) -> Edits {
        guard let list else { return .none }
        guard let table = list.find("elst", in: bytes)?.content(of: bytes, limit: 28), table.uint32(at: 4, .big) == 1,
            let movieTimescale
        else { return .unusual }
        // Length and start have 4 bytes each, 8 in version 1.
        let isLong = table[0] == 1
        let length = isLong ? table.uint64(at: 8, .big) : table.uint32(at: 8, .big).map(UInt64.init)
        let start =
            isLong
            ? table.uint64(at: 16, .big).map { Int64(bitPattern: $0) }
            : table.uint32(at: 12, .big).map { Int64(Int32(bitPattern: $0)) }
        guard let length, length < 1 << 40, let start, start >= 0,
            table.uint32(at: isLong ? 24 : 16, .big) == 0x1_0000
        else { return .unusual }
        guard length > 0 else { return .one(Edit(start: start, longest: nil)) }
        // Often counted in milliseconds, rounded down: the end lies within the next one.
        let units = Int64(length) + (movieTimescale == timescale ? 0 : 1)
        let longest = (units * Int64(timescale) + Int64(movieTimescale) - 1) / Int64(movieTimescale)
        return .one(Edit(start: start, longest: longest))
    }
}

/// The description of an AAC stream inside an MP4 file.
private enum AACDescription {
    /// The number of the profile AAC-LC.
    static let lowComplexity = 2

    /// The number of the profile (the audio object type).
    ///
    /// - Parameter description: The content of a sample description with the "esds" atom in it.
    /// - Returns: `nil` when there is no AAC in it.
    static func profile(in description: [UInt8]) -> Int? {
        guard let name = index(of: Array("esds".utf8), in: description) else { return nil }
        // Version and flags, then descriptors within one another: stream (3), decoder (4), its configuration (5).
        var offset = name + 8
        guard enter(3, in: description, at: &offset), description.count > offset + 3 else { return nil }
        let flags = description[offset + 2]
        guard flags == 0 else { return nil }
        offset += 3
        guard enter(4, in: description, at: &offset), description.count > offset + 13 else { return nil }
        // MPEG-4 audio, or one of the profiles of MPEG-2 AAC.
        let kind = description[offset]
        guard kind == 0x40 || (0x66...0x68).contains(kind) else { return nil }
        offset += 13
        guard enter(5, in: description, at: &offset), description.count > offset else { return nil }
        return Int(description[offset] >> 3)
    }

    /// Moves the offset behind the header of a descriptor, whose length has 7 bits a byte.
    private static func enter(_ tag: UInt8, in bytes: [UInt8], at offset: inout Int) -> Bool {
        guard offset < bytes.count, bytes[offset] == tag else { return false }
        offset += 1
        for _ in 0..<4 {
            guard offset < bytes.count else { return false }
            offset += 1
            if bytes[offset - 1] & 0x80 == 0 { return true }
        }
        return true
    }

    /// The index of a name in a sample description.
    static func index(of pattern: [UInt8], in bytes: [UInt8]) -> Int? {
        guard bytes.count >= pattern.count else { return nil }
        return (0...bytes.count - pattern.count).first { bytes[$0..<$0 + pattern.count].elementsEqual(pattern) }
    }
}
