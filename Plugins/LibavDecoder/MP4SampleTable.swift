internal import Descant

/// The places, sizes and durations of the packets of an MP4 track.
struct MP4SampleTable {
    /// One packet.
    struct Cursor {
        var index = 0
        /// The offset in the file, in bytes; negative, where nothing can be read, in a chunk with an impossible offset.
        var offset: Int64 = 0
        var time: Int64 = 0
        fileprivate var chunk = 0
        /// The number of packets of the chunk from this one on.
        fileprivate var leftInChunk = 0
        fileprivate var chunkRun = 0
        fileprivate var timeRun = 0
    }

    /// Packets in a row that last equally long.
    private struct TimeRun {
        var first: Int
        var start: Int64
        var duration: Int64
    }

    /// Chunks in a row that hold equally many packets.
    private struct ChunkRun {
        var firstChunk: Int
        var firstSample: Int
        var samples: Int
    }

    /// The sum of the durations of all packets, below 2^40.
    let duration: Int64
    private let count: Int
    /// Four bytes for each packet; empty when all have one size.
    private let sizes: ArraySlice<UInt8>
    private let commonSize: Int
    private let offsets: ArraySlice<UInt8>
    private let offsetSize: Int
    /// The size of the file in bytes, below which all offsets are.
    private let fileSize: Int64
    private var timeRuns: [TimeRun] = []
    private var chunkRuns: [ChunkRun] = []

    /// The maximum number of bytes of a packet; the largest of AAC has 6 KiB for each of 8 channels.
    private static let maximumSize = 1 << 20

    /// The duration of all packets but the last one, which may be shorter; `nil` when they differ.
    var usualDuration: Int64? {
        guard let first = timeRuns.first else { return nil }
        let isUniform = timeRuns.dropFirst().allSatisfy {
            $0.duration == first.duration || $0.first == count - 1 && $0.duration <= first.duration
        }
        return isUniform ? first.duration : nil
    }

    /// Reads the tables of a track; `nil` when they are damaged or name more packets than the file can hold.
    init?(_ table: MP4Box, fileSize: Int64) {
        guard let sizeTable = table.child("stsz")?.content, let common = sizeTable.big(4, 4),
            let count = sizeTable.big(8, 4), count > 0, common <= Self.maximumSize,
            common == 0 ? count <= (sizeTable.count - 12) / 4 : Int64(count) <= fileSize / Int64(common)
        else { return nil }
        (self.count, commonSize, self.fileSize) = (count, common, fileSize)
        sizes = sizeTable.dropFirst(12)
        let isLong = table.child("stco") == nil
        guard let places = (table.child("stco") ?? table.child("co64"))?.content, let chunks = places.big(4, 4),
            chunks > 0,
            chunks <= (places.count - 8) / (isLong ? 8 : 4)
        else { return nil }
        (offsets, offsetSize) = (places.dropFirst(8), isLong ? 8 : 4)
        guard let times = table.child("stts")?.content, let runs = times.big(4, 4), runs > 0,
            runs <= (times.count - 8) / 8
        else {
            return nil
        }
        var (first, start) = (0, Int64(0))
        for run in 0..<runs where first < count {
            guard let packets = times.big(8 + 8 * run, 4), packets > 0, let length = times.big(12 + 8 * run, 4) else {
                return nil
            }
            timeRuns.append(TimeRun(first: first, start: start, duration: Int64(length)))
            let used = min(packets, count - first)
            first += used
            // Both numbers have up to 32 bits.
            let (ticks, isOver) = Int64(used).multipliedReportingOverflow(by: Int64(length))
            guard !isOver, ticks < 1 << 40 - start else { return nil }
            start += ticks
        }
        guard first == count, start > 0 else { return nil }
        duration = start
        guard let groups = table.child("stsc")?.content, let number = groups.big(4, 4), number > 0,
            number <= (groups.count - 8) / 12
        else { return nil }
        var sample = 0
        for group in 0..<number {
            guard let firstChunk = groups.big(8 + 12 * group, 4), let samples = groups.big(12 + 12 * group, 4),
                samples > 0,
                samples <= count, groups.big(16 + 12 * group, 4) == 1, firstChunk <= chunks
            else { return nil }
            if let last = chunkRuns.last {
                guard firstChunk - 1 > last.firstChunk else { return nil }
                sample += (firstChunk - 1 - last.firstChunk) * last.samples
            } else if firstChunk != 1 {
                return nil
            }
            chunkRuns.append(ChunkRun(firstChunk: firstChunk - 1, firstSample: sample, samples: samples))
        }
        guard let last = chunkRuns.last, last.firstSample + (chunks - last.firstChunk) * last.samples >= count else {
            return nil
        }
    }

    /// The size of a packet in bytes; `nil` behind the last one, or when it is impossible.
    func size(of index: Int) -> Int? {
        guard index < count else { return nil }
        let size = commonSize > 0 ? commonSize : sizes.big(4 * index, 4) ?? 0
        return (1...Self.maximumSize).contains(size) ? size : nil
    }

    /// The duration of a packet.
    func duration(of cursor: Cursor) -> Int64 { timeRuns[cursor.timeRun].duration }

    /// The packet that contains a time, or the last one.
    func index(at time: Int64) -> Int {
        let run = timeRuns[Self.last(in: timeRuns) { $0.start <= time }]
        return min(count - 1, run.first + Int(run.duration > 0 ? (time - run.start) / run.duration : 0))
    }

    /// A packet by its number.
    func cursor(at index: Int) -> Cursor {
        let timeRun = Self.last(in: timeRuns) { $0.first <= index }
        let chunkRun = Self.last(in: chunkRuns) { $0.firstSample <= index }
        let (times, chunks) = (timeRuns[timeRun], chunkRuns[chunkRun])
        let (chunk, passed) = (index - chunks.firstSample).quotientAndRemainder(dividingBy: chunks.samples)
        var cursor = Cursor(
            index: index, offset: offset(of: chunks.firstChunk + chunk),
            time: times.start + Int64(index - times.first) * times.duration, chunk: chunks.firstChunk + chunk,
            leftInChunk: chunks.samples - passed, chunkRun: chunkRun, timeRun: timeRun)
        // No sum makes an impossible offset a place in the file.
        guard cursor.offset >= 0 else { return cursor }
        for sample in index - passed..<index { cursor.offset += Int64(size(of: sample) ?? 0) }
        return cursor
    }

    /// Moves to the next packet, behind one that was read.
    func advance(_ cursor: inout Cursor) {
        cursor.time += timeRuns[cursor.timeRun].duration
        cursor.offset += Int64(size(of: cursor.index) ?? 0)
        cursor.index += 1
        cursor.leftInChunk -= 1
        if cursor.timeRun + 1 < timeRuns.count, timeRuns[cursor.timeRun + 1].first <= cursor.index {
            cursor.timeRun += 1
        }
        guard cursor.leftInChunk == 0 else { return }
        cursor.chunk += 1
        if cursor.chunkRun + 1 < chunkRuns.count, chunkRuns[cursor.chunkRun + 1].firstChunk <= cursor.chunk {
            cursor.chunkRun += 1
        }
        cursor.leftInChunk = chunkRuns[cursor.chunkRun].samples
        cursor.offset = offset(of: cursor.chunk)
    }

    /// The offset of a chunk in the file; negative, where nothing can be read, for an impossible one.
    private func offset(of chunk: Int) -> Int64 {
        let offset = Int64(offsets.big(chunk * offsetSize, offsetSize) ?? -1)
        return (0..<fileSize).contains(offset) ? offset : -1
    }

    /// The index of the last element that fulfils a condition which the first ones fulfil; 0 without any.
    private static func last<Element>(in elements: [Element], where isBefore: (Element) -> Bool) -> Int {
        var (low, high) = (0, elements.count)
        while high - low > 1 {
            let middle = (low + high) / 2
            if isBefore(elements[middle]) { low = middle } else { high = middle }
        }
        return low
    }
}

/// The description of the packets of an MP4 track: the codec and its header.
struct MP4Description {
    let codec: EncodedStream.Codec
    let header: [UInt8]
    let channels: Int
    /// Whether the codec is AAC-LC, without spectral band replication.
    var isLowComplexity = false

    /// The number of the profile AAC-LC.
    private static let lowComplexity = 2

    /// Reads the description; `nil` for another codec, several descriptions or a damaged one.
    init?(_ table: MP4Box) {
        guard let list = table.child("stsd"), list.content.big(4, 4) == 1, let entry = list.children(from: 8).first,
            let version = entry.content.big(8, 2), let channels = entry.content.big(16, 2), version <= 1
        else { return nil }
        self.channels = min(max(1, channels), 8)
        // The fields of a sound description, of which QuickTime's version 1 has four more.
        let parts = entry.children(from: version == 1 ? 44 : 28)
        let all = parts + (parts.first { $0.name == "wave" }?.children ?? [])
        switch entry.name {
        case "alac":
            guard let cookie = all.first(where: { $0.name == "alac" })?.content, (28...1_024).contains(cookie.count)
            else { return nil }
            codec = .alac
            // libavcodec expects the header of the box as well.
            header = [0, 0, 0, 36] + Array("alac".utf8) + cookie.prefix(28)
        case "mp4a":
            guard let stream = all.first(where: { $0.name == "esds" })?.content,
                let header = Self.configuration(stream),
                let profile = header.first.map({ Int($0 >> 3) }), [1, 2, 5, 29].contains(profile)
            else { return nil }
            codec = .aac
            self.header = header
            isLowComplexity = profile == Self.lowComplexity
        default: return nil
        }
    }

    /// The configuration of an AAC decoder.
    ///
    /// - Parameter stream: Version and flags, then descriptors within one another: stream (3), decoder (4), its configuration (5).
    private static func configuration(_ stream: ArraySlice<UInt8>) -> [UInt8]? {
        var offset = 4
        guard enter(3, in: stream, at: &offset) != nil, stream.big(offset + 2, 1) == 0 else { return nil }
        offset += 3
        guard enter(4, in: stream, at: &offset) != nil, let kind = stream.big(offset, 1),
            // MPEG-4 audio, or one of the profiles of MPEG-2 AAC.
            kind == 0x40 || (0x66...0x68).contains(kind)
        else { return nil }
        offset += 13
        guard let size = enter(5, in: stream, at: &offset), size >= 2, size <= 256, offset + size <= stream.count else {
            return nil
        }
        return Array(stream.dropFirst(offset).prefix(size))
    }

    /// Moves the offset behind the header of a descriptor, whose length has 7 bits a byte.
    private static func enter(_ tag: Int, in bytes: ArraySlice<UInt8>, at offset: inout Int) -> Int? {
        guard bytes.big(offset, 1) == tag else { return nil }
        offset += 1
        var length = 0
        for _ in 0..<4 {
            guard let byte = bytes.big(offset, 1) else { return nil }
            offset += 1
            length = length << 7 | byte & 0x7F
            if byte & 0x80 == 0 { return length }
        }
        return length
    }
}
