/// What the first sound track of an MP4 file tells of its length.
struct MP4SoundTrack {
    enum Codec { case aac, alac, opus }

    /// The part of the track that is to be played, in the track's own time.
    struct Edit {
        var start: Int64
        /// Its length, rounded up; `nil` when it goes to the end.
        var longest: Int64?
    }

    enum Edits {
        case none
        case one(Edit)
        /// Several parts, pauses or another speed: not an encoder's delay.
        case unusual
    }

    let codec: Codec
    /// Frames per second in which the track counts.
    let timescale: Int
    /// The sum of all packets, with delay; `nil` for a fragmented file.
    let duration: Int64?
    let edits: Edits
    /// The header that announces the track's length.
    let header: MP4Atom
    /// Where the edit list's header begins.
    let editListOffset: Int64?
    /// Whether it is AAC-LC, without spectral band replication.
    let isLowComplexity: Bool
    /// Where the file tells an Opus decoder how much to leave out at the beginning, and how much that is, in frames of 48 kHz.
    let preSkip: PreSkip?

    struct PreSkip {
        var offset: Int64
        var frames: Int64
    }

    /// What a sample description says of its codec.
    private struct Entry {
        var codec: Codec
        var isLowComplexity = false
        var preSkip: PreSkip?
    }

    /// Entries of a table that are read: 12 hours of packets that are all of another length.
    private static let tableLimit = 1 << 21

    /// `nil` when there is none with a codec whose delay is known here.
    init?(movie: MP4Atom, reader: some ByteReader) {
        let tracks = movie.children(reader).filter { $0.kind == "trak" }
        guard let track = tracks.first(where: { Self.isSound($0, reader) }),
            let table = track.find("mdia", "minf", "stbl", in: reader),
            let entry = Self.entry(of: table, reader),
            let header = track.find("mdia", "mdhd", in: reader),
            let rate = Self.timescale(in: header.content(reader, limit: 32), at: 12)
        else { return nil }
        self.header = header
        codec = entry.codec
        isLowComplexity = entry.isLowComplexity
        preSkip = entry.preSkip
        timescale = rate
        let isFragmented = movie.find("mvex", in: reader) != nil
        duration = isFragmented ? nil : Self.duration(of: table, reader)
        if !isFragmented, duration == nil { return nil }
        let list = track.find("edts", in: reader)
        editListOffset = list?.offset
        let movieHeader = movie.find("mvhd", in: reader)?.content(reader, limit: 32) ?? []
        edits = Self.edits(list, movieTimescale: Self.timescale(in: movieHeader, at: 12), timescale: rate, reader)
    }

    private static func isSound(_ track: MP4Atom, _ reader: some ByteReader) -> Bool {
        guard let handler = track.find("mdia", "hdlr", in: reader)?.content(reader, limit: 12) else { return false }
        return handler.count == 12 && handler[8..<12].elementsEqual("soun".utf8)
    }

    /// The number behind the two times of a header, which have 4 or 8 bytes each.
    static func timescale(in header: [UInt8], at offset: Int) -> Int? {
        let place = header.first == 1 ? offset + 8 : offset
        guard header.count >= place + 4 else { return nil }
        let value = Int(header.bigEndian32(at: place))
        return (1...1_000_000).contains(value) ? value : nil
    }

    /// Codec and profile, of a sample description.
    private static func entry(of table: MP4Atom, _ reader: some ByteReader) -> Entry? {
        guard let atom = table.find("stsd", in: reader) else { return nil }
        let bytes = atom.content(reader, limit: 512)
        guard bytes.count >= 16 else { return nil }
        switch String(decoding: bytes[12..<16], as: UTF8.self) {
        case "alac": return Entry(codec: .alac)
        case "mp4a":
            return AACDescription.profile(in: bytes).map {
                Entry(codec: .aac, isLowComplexity: $0 == AACDescription.lowComplexity)
            }
        case "Opus":
            // Name, version and channels, then the number of frames.
            guard let name = AACDescription.index(of: Array("dOps".utf8), in: bytes), bytes.count >= name + 8 else {
                return nil
            }
            let frames = Int64(bytes.bigEndian16(at: name + 6))
            return Entry(codec: .opus, preSkip: PreSkip(offset: atom.start + Int64(name) + 6, frames: frames))
        default: return nil
        }
    }

    /// The sum of the packets' lengths.
    private static func duration(of table: MP4Atom, _ reader: some ByteReader) -> Int64? {
        guard let atom = table.find("stts", in: reader), atom.end - atom.start <= Int64(8 + 8 * tableLimit) else {
            return nil
        }
        let bytes = atom.content(reader, limit: 8 + 8 * tableLimit)
        guard bytes.count >= 8 else { return nil }
        let count = Int(bytes.bigEndian32(at: 4))
        guard count > 0, count <= (bytes.count - 8) / 8 else { return nil }
        var sum: Int64 = 0
        for index in 0..<count {
            let (packets, length) = (bytes.bigEndian32(at: 8 + 8 * index), bytes.bigEndian32(at: 12 + 8 * index))
            let (product, isTooLong) = Int64(packets).multipliedReportingOverflow(by: Int64(length))
            guard !isTooLong, product < 1 << 40, sum < 1 << 40 else { return nil }
            sum += product
        }
        return sum > 0 ? sum : nil
    }

    private static func edits(
        _ list: MP4Atom?, movieTimescale: Int?, timescale: Int, _ reader: some ByteReader
    ) -> Edits {
        guard let list else { return .none }
        guard let bytes = list.find("elst", in: reader)?.content(reader, limit: 28), bytes.count >= 8 else {
            return .unusual
        }
        let isLong = bytes[0] == 1
        guard bytes.bigEndian32(at: 4) == 1, bytes.count >= (isLong ? 28 : 20), let movieTimescale else {
            return .unusual
        }
        let length: Int64
        let start: Int64
        if isLong {
            length = Int64(bytes.bigEndian32(at: 8)) << 32 | Int64(bytes.bigEndian32(at: 12))
            start = Int64(Int32(bitPattern: bytes.bigEndian32(at: 16))) << 32 | Int64(bytes.bigEndian32(at: 20))
        } else {
            length = Int64(bytes.bigEndian32(at: 8))
            start = Int64(Int32(bitPattern: bytes.bigEndian32(at: 12)))
        }
        let speed = bytes.bigEndian32(at: isLong ? 24 : 16)
        guard start >= 0, length < 1 << 40, speed == 0x1_0000 else { return .unusual }
        guard length > 0 else { return .one(Edit(start: start, longest: nil)) }
        // Often counted in milliseconds, rounded down: the end lies within the next one.
        let isExact = movieTimescale == timescale
        let longest =
            ((isExact ? length : length + 1) * Int64(timescale) + Int64(movieTimescale) - 1) / Int64(movieTimescale)
        return .one(Edit(start: start, longest: longest))
    }
}
