internal import Descant

/// The first sound track of an MP4 file with AAC or ALAC, whose packets are found by the tables of the file.
final class MP4File: PacketSource {
    let stream: EncodedStream

    private let file: WindowedFile
    private let samples: MP4SampleTable
    /// The next packet.
    private var cursor: MP4SampleTable.Cursor

    /// The number of packets that are decoded before the one of a seek. Two settle AAC-LC; spectral band replication takes more.
    private static let settlingPackets = 8
    /// The delay of AAC without a stated one: the first packet has no packet before it to overlap with.
    private static let minimumDelay: Int64 = 1_024
    /// The maximum delay of an encoder, in seconds.
    private static let maximumDelay = 0.5
    /// The maximum size of the tables of a file.
    private static let maximumMovieSize: Int64 = 1 << 24

    /// Reads the tables; `nil` when there are none that are read exactly: fragments, edits that are not an encoder's delay, other codecs.
    ///
    /// - Throws: `CoreError` for a read that failed.
    init?(_ file: WindowedFile) throws {
        guard let movie = try Self.movie(of: file), movie.child("mvex") == nil,
            let track = movie.children.first(where: Self.isSound), let media = track.child("mdia"),
            let timescale = media.child("mdhd").flatMap(Self.timescale), let table = media.child("minf")?.child("stbl"),
            let description = MP4Description(table), let samples = MP4SampleTable(table, fileSize: file.size),
            let delays = Self.edit(
                of: track, timescale: timescale, movieTimescale: movie.child("mvhd").flatMap(Self.timescale))
        else { return nil }
        guard let usual = samples.usualDuration, (1...8_192).contains(usual) else { return nil }
        let duration = samples.duration
        let maximum = Int64(Self.maximumDelay * Double(timescale))
        let lead: Int64
        let frames: Int64
        if description.codec == .aac, let tag = MP4GaplessTag(movie: movie), tag.delay <= maximum,
            // A tag that was copied from another file is not about this one. The last packet may be announced as shorter than it is.
            abs(tag.delay + tag.frames + tag.padding - duration) <= 2 * usual
        {
            (lead, frames) = (tag.delay, tag.frames)
        } else if let edit = delays.edit {
            guard edit.start <= maximum || description.codec == .alac, edit.start < duration else { return nil }
            lead = edit.start
            frames = min(duration - edit.start, edit.longest ?? .max)
        } else {
            // Spectral band replication delays more, but no field says how much.
            lead = description.codec == .aac && description.isLowComplexity ? Self.minimumDelay : 0
            frames = duration - lead
        }
        guard frames > 0 else { return nil }
        (self.file, self.samples) = (file, samples)
        cursor = samples.cursor(at: 0)
        stream = EncodedStream(
            codec: description.codec, header: description.header, sampleRate: timescale, channels: description.channels,
            lead: lead, frames: frames, framesPerPacket: usual)
    }

    func next(_ take: (CodedPacket, UnsafeBufferPointer<UInt8>) -> Void) throws -> Bool {
        guard let size = samples.size(of: cursor.index) else { return false }
        let bytes = try file.view(at: cursor.offset, count: size)
        // The file ends before the packet.
        guard bytes.count == size else { return false }
        take(
            CodedPacket(position: cursor.time, duration: samples.duration(of: cursor), isInterrupted: false), bytes)
        samples.advance(&cursor)
        return true
    }

    func seek(to position: Int64) throws {
        let target = samples.index(at: max(0, position))
        cursor = samples.cursor(at: max(0, target - (stream.codec == .alac ? 0 : Self.settlingPackets)))
    }

    // MARK: Headers

    private static func movie(of file: WindowedFile) throws -> MP4Box? {
        var offset: Int64 = 0
        for _ in 0..<1_024 {
            let header = try file.bytes(at: offset, count: 16)
            guard let short = header.big(0, 4), header.count >= 8, header[4..<8].allSatisfy({ $0 >= 0x20 }) else {
                return nil
            }
            var (size, headerSize) = (Int64(short), Int64(8))
            if short == 1 {
                guard let long = header.big(8, 8) else { return nil }
                (size, headerSize) = (Int64(long), 16)
            } else if short == 0 {
                size = file.size - offset
            }
            guard size <= file.size - offset else {
                throw CoreError.decodeError(
                    "\(file.path): the file is truncated: it ends before its table of contents ('moov')")
            }
            guard size >= headerSize else { return nil }
            if header.has("moov", at: 4) {
                guard size <= maximumMovieSize else { return nil }
                return MP4Box(
                    name: "moov", content: try file.bytes(at: offset + headerSize, count: Int(size - headerSize))[...])
            }
            offset += size
        }
        return nil
    }

    private static func isSound(_ box: MP4Box) -> Bool {
        box.name == "trak" && box.child("mdia")?.child("hdlr")?.content.has("soun", at: 8) == true
    }

    /// Units per second, 1…1,536,000, in a header of the movie or of a track; `nil` for other numbers.
    private static func timescale(in header: MP4Box) -> Int? {
        // Behind version, flags and two times of 4 or, in version 1, 8 bytes.
        let value = header.content.big(header.content.first == 1 ? 20 : 12, 4)
        return value.flatMap { (1...1_536_000).contains($0) ? $0 : nil }
    }

    /// The part of a track that is to be played, in the track's timescale.
    private struct Edit {
        var start: Int64
        /// The length, rounded up; `nil` when the part ends with the track.
        var longest: Int64?
    }

    /// The edit of a track, if it has one; `nil` for several parts, pauses or another speed, which are not an encoder's delay.
    private static func edit(of track: MP4Box, timescale: Int, movieTimescale: Int?) -> (edit: Edit?, Void)? {
        guard let list = track.child("edts") else { return (nil, ()) }
        guard let table = list.child("elst")?.content, table.big(4, 4) == 1, let movieTimescale else { return nil }
        // Length and start have 4 bytes each, 8 in version 1.
        let isLong = table.first == 1
        guard let length = isLong ? table.big(8, 8) : table.big(8, 4), (0..<1 << 40).contains(length),
            let start = isLong ? table.big(16, 8) : table.big(12, 4), (0..<1 << 31).contains(start),
            table.big(isLong ? 24 : 16, 4) == 0x1_0000
        else { return nil }
        guard length > 0 else { return (Edit(start: Int64(start), longest: nil), ()) }
        // Often counted in milliseconds, rounded down: the end lies within the next one.
        let units = length + (movieTimescale == timescale ? 0 : 1)
        let (product, isOver) = units.multipliedReportingOverflow(by: timescale)
        guard !isOver, product < .max - movieTimescale else { return nil }
        return (Edit(start: Int64(start), longest: Int64((product + movieTimescale - 1) / movieTimescale)), ())
    }
}

/// One box (QuickTime: atom) of an MP4 file, in memory.
struct MP4Box {
    /// Four characters of Latin-1.
    let name: String
    let content: ArraySlice<UInt8>

    /// The number of boxes in a row that are looked at; a damaged file may hold any number of empty ones.
    private static let limit = 1_024

    /// The boxes inside this one, up to the first that is not whole.
    var children: [MP4Box] { children(from: 0) }

    /// The first box of a name inside this one.
    func child(_ name: String) -> MP4Box? { children.first { $0.name == name } }

    /// The boxes behind the first bytes of the content.
    func children(from start: Int) -> [MP4Box] {
        var boxes: [MP4Box] = []
        var offset = start
        while boxes.count < Self.limit, let short = content.big(offset, 4), offset <= content.count - 8 {
            var (size, headerSize) = (short, 8)
            if short == 1 {
                guard let long = content.big(offset + 8, 8) else { break }
                (size, headerSize) = (long, 16)
            } else if short == 0 {
                size = content.count - offset
            }
            guard size >= headerSize, size <= content.count - offset else { break }
            let first = content.startIndex + offset
            let name = String(String.UnicodeScalarView(content[first + 4..<first + 8].map { Unicode.Scalar($0) }))
            boxes.append(MP4Box(name: name, content: content[first + headerSize..<first + size]))
            offset += size
        }
        return boxes
    }
}

/// Apple's gapless tag "iTunSMPB": delay, padding and length in frames, as hexadecimal text.
struct MP4GaplessTag {
    /// The number of decoded frames before the sound, below 2^31.
    let delay: Int64
    /// The number of decoded frames behind the sound, below 2^31.
    let padding: Int64
    /// The number of frames of sound, below 2^40.
    let frames: Int64

    /// Finds the tag; `nil` without one, or with one that is damaged.
    init?(movie: MP4Box) {
        guard let meta = movie.child("udta")?.child("meta"),
            let list = meta.children(from: 4).first(where: { $0.name == "ilst" }),
            let item = list.children.first(where: { item in
                item.name == "----" && item.child("name")?.content.dropFirst(4).elementsEqual("iTunSMPB".utf8) == true
            }), let data = item.child("data")?.content.dropFirst(8).prefix(256)
        else { return nil }
        // A zero, delay, padding, frames, and more zeros.
        let fields = String(decoding: data, as: UTF8.self).split { $0 == " " || $0 == "\0" }.prefix(4)
            .map { Int64($0, radix: 16) }
        guard fields.count == 4, let delay = fields[1], let padding = fields[2], let frames = fields[3],
            (0..<1 << 31).contains(delay), (0..<1 << 31).contains(padding), (1..<1 << 40).contains(frames)
        else { return nil }
        self.delay = delay
        self.padding = padding
        self.frames = frames
    }
}
