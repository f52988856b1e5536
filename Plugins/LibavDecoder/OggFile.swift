internal import Descant

/// An Ogg file with one Vorbis or Opus stream.
///
/// Positions are granule positions: the frames that are decoded up to the end of a packet.
final class OggFile: PacketSource {
    let stream: EncodedStream

    private let file: WindowedFile
    private let timing: OggPacketTiming
    private let serial: UInt32
    /// The first page with sound, its number and the position at which the stream begins.
    private let start: (offset: Int64, sequence: UInt32, position: Int64)

    /// The page whose packets are read, the parts of its body and the next of them.
    private var page: VerifiedOggPage?
    private var parts: [Range<Int>] = []
    private var part = 0
    /// The offset of the next page.
    private var nextPage: Int64
    /// The beginning of a packet that continues on the next page.
    private var open: [UInt8] = []
    /// The number of the next page; `nil` when any may follow.
    private var sequence: UInt32?
    /// The duration of the packets depends on those before them.
    private var clock: OggPacketTiming.Clock
    /// The position of the next packet, where only the container tells it.
    private var position: Int64?
    private var isInterrupted = false

    /// The maximum size of a packet of sound.
    private static let maximumPacket = 1 << 20
    /// The number of bytes below which pages are read one after the other.
    private static let linearSearch: Int64 = 1 << 16

    /// Reads the headers, the first and the last pages; `nil` for other codecs, for several streams, and for damaged headers.
    ///
    /// - Throws: `CoreError` for a read that failed.
    init?(_ file: WindowedFile) throws {
        guard let first = try VerifiedOggPage(file, at: 0), first.beginsStream,
            let headers = try OggHeaders(file, first), let timing = OggPacketTiming(headers.packets),
            let last = try Self.last(of: file, serial: first.serial),
            try Self.isOneStream(file, from: headers.end, last: last.page)
        else { return nil }
        let end = last.page.granule
        self.file = file
        self.timing = timing
        serial = first.serial
        (nextPage, sequence) = (headers.end, headers.sequence)
        clock = timing.clock
        guard let begin = try Self.start(file, from: headers.end, serial: serial, timing) else { return nil }
        start = (headers.end, headers.sequence, begin)
        let lead = max(0, begin) + timing.preSkip
        // A packet has a byte at least, and the longest of Opus 120 ms.
        guard end > lead, end - lead <= file.size * timing.maximumDuration else { return nil }
        stream = EncodedStream(
            codec: timing.codec, header: timing.header, sampleRate: timing.sampleRate, channels: timing.channels,
            lead: lead,
            frames: end - lead, isTruncated: last.isTruncated)
        rewind()
    }

    // MARK: Packets

    func next(_ take: (CodedPacket, UnsafeBufferPointer<UInt8>) -> Void) throws -> Bool {
        while true {
            guard let page, part < parts.count else {
                guard try turnPage() else { return false }
                continue
            }
            let range = parts[part]
            part += 1
            if part == parts.count, page.isLastPacketOpen {
                open += try file.view(at: page.offset + Int64(page.headerSize + range.lowerBound), count: range.count)
                if open.count > Self.maximumPacket { open = [] }
                continue
            }
            let body = try file.view(at: page.offset + Int64(page.headerSize + range.lowerBound), count: range.count)
            if open.isEmpty {
                deliver(body, take)
            } else {
                open += body
                open.withUnsafeBufferPointer { deliver($0, take) }
                open.removeAll(keepingCapacity: true)
            }
            return true
        }
    }

    private func deliver(
        _ bytes: UnsafeBufferPointer<UInt8>, _ take: (CodedPacket, UnsafeBufferPointer<UInt8>) -> Void
    ) {
        let duration = timing.duration(of: bytes, &clock)
        let packet = CodedPacket(position: position, duration: duration, isInterrupted: isInterrupted)
        (position, isInterrupted) = (nil, false)
        take(packet, bytes)
    }

    /// Goes to the next page of the stream; `false` at the end of the file.
    private func turnPage() throws -> Bool {
        guard let next = try VerifiedOggPage.first(in: file, from: nextPage, before: file.size, serial: serial) else {
            page = nil
            parts = []
            return false
        }
        let isNext = sequence == nil || sequence == next.sequence
        enter(next)
        if isNext {
            // The rest of a packet whose beginning is lost.
            if open.isEmpty, next.continuesPacket { part = 1 }
            if !next.continuesPacket { open = [] }
        } else {
            open = []
            clock = timing.clock
            part = next.continuesPacket ? 1 : 0
            isInterrupted = true
            position = try positionOfFirstPacket(on: next)
        }
        return true
    }

    private func enter(_ next: VerifiedOggPage) {
        page = next
        parts = next.parts
        part = 0
        nextPage = next.end
        sequence = next.sequence &+ 1
    }

    /// The position at which the first packet that begins on a page begins; `nil` when the page does not tell it.
    private func positionOfFirstPacket(on page: VerifiedOggPage) throws -> Int64? {
        guard (1..<1 << 40).contains(page.granule), !page.endsStream else { return nil }
        var clock = timing.clock
        var frames: Int64 = 0
        for (index, range) in page.parts.enumerated() {
            if index == 0, page.continuesPacket { continue }
            if index == page.parts.count - 1, page.isLastPacketOpen { continue }
            let bytes = try file.view(at: page.offset + Int64(page.headerSize + range.lowerBound), count: range.count)
            frames += timing.duration(of: bytes, &clock)
        }
        return page.granule - frames
    }

    // MARK: Seeking

    func seek(to position: Int64) throws {
        let goal = position - timing.settling
        guard goal > start.position, let found = try lastPage(endingBefore: goal) else { return rewind() }
        enter(found)
        open = []
        clock = timing.clock
        isInterrupted = false
        // The last packet that ends on the page begins the sound behind it; the decoder of Vorbis needs that packet.
        let ended = parts.count - (found.isLastPacketOpen ? 1 : 0)
        part = ended - (timing.overlaps ? 1 : 0)
        self.position = found.granule
    }

    private func rewind() {
        page = nil
        (parts, part, open) = ([], 0, [])
        (nextPage, sequence) = (start.offset, start.sequence)
        clock = timing.clock
        position = start.position
        isInterrupted = false
    }

    /// The last page whose sound ends at or before a position and on which a packet begins and ends; `nil` without one.
    private func lastPage(endingBefore goal: Int64) throws -> VerifiedOggPage? {
        var (low, high) = (start.offset, file.size)
        while high - low > Self.linearSearch {
            let middle = low + (high - low) / 2
            var page = try VerifiedOggPage.first(in: file, from: middle, before: high, serial: serial)
            while let present = page, present.granule == VerifiedOggPage.noGranule {
                page = try VerifiedOggPage.first(in: file, from: present.end, before: high, serial: serial)
            }
            if let page, page.granule <= goal { low = page.offset } else { high = middle }
        }
        var found: VerifiedOggPage?
        var offset = low
        // Pages that no packet begins on lie between, at most as many as a packet is long.
        while let page = try VerifiedOggPage.first(in: file, from: offset, before: file.size, serial: serial) {
            if page.granule > goal { break }
            offset = page.end
            if page.granule > start.position, isUsable(page) { found = page }
        }
        if found == nil, low > start.offset { return try lastPage(endingBefore: goal, from: start.offset, to: low) }
        return found
    }

    /// The same among the pages of a part of the file, one after the other.
    private func lastPage(endingBefore goal: Int64, from begin: Int64, to limit: Int64) throws -> VerifiedOggPage? {
        var found: VerifiedOggPage?
        var offset = max(begin, limit - Int64(4 * VerifiedOggPage.maximumSize))
        while let page = try VerifiedOggPage.first(in: file, from: offset, before: limit, serial: serial),
            page.granule <= goal
        {
            offset = page.end
            if page.granule > start.position, isUsable(page) { found = page }
        }
        return found
    }

    private func isUsable(_ page: VerifiedOggPage) -> Bool {
        page.parts.count - (page.isLastPacketOpen ? 1 : 0) - (page.continuesPacket ? 1 : 0) > 0
    }

    // MARK: Beginning and end

    /// The last page that has a granule position, and whether a part of another follows; `nil` when another stream ends the file.
    private static func last(
        of file: WindowedFile, serial: UInt32
    ) throws -> (page: VerifiedOggPage, isTruncated: Bool)? {
        let tail = try file.bytes(
            at: max(0, file.size - Int64(2 * VerifiedOggPage.maximumSize)), count: 2 * VerifiedOggPage.maximumSize)
        let start = file.size - Int64(tail.count)
        var isTruncated = false
        for index in tail.indices.reversed() where tail.has("OggS", at: index) {
            guard let page = try VerifiedOggPage(file, at: start + Int64(index)) else {
                isTruncated = true
                continue
            }
            guard page.serial == serial else { return nil }
            // A page on which no packet ends has no granule; one before it has.
            if page.granule != VerifiedOggPage.noGranule {
                return (0..<1 << 40).contains(page.granule) ? (page, isTruncated && !page.endsStream) : nil
            }
        }
        return nil
    }

    /// Whether the last page belongs to the stream of the first ones. Joined files may share a serial number; the numbers and the positions
    /// of their pages begin anew.
    private static func isOneStream(_ file: WindowedFile, from start: Int64, last: VerifiedOggPage) throws -> Bool {
        var newest: VerifiedOggPage?
        var place = start
        while place < last.offset,
            let page = try VerifiedOggPage.first(in: file, from: place, before: last.offset, serial: last.serial)
        {
            guard newest.map(page.continues) ?? !page.beginsStream else { return false }
            newest = page
            // The steps grow with the distance. Larger ones could lead so far into another stream that its pages look like later ones.
            place = page.end + (page.end < linearSearch ? 0 : page.end / 2)
        }
        return newest.map(last.continues) ?? !last.beginsStream
    }

    /// The position at which the stream begins: the granule position of the first page of sound that has one, less the frames on
    /// the pages up to it. Negative where the beginning is to be dropped.
    private static func start(
        _ file: WindowedFile, from offset: Int64, serial: UInt32, _ timing: OggPacketTiming
    ) throws -> Int64? {
        var (offset, frames, open) = (offset, Int64(0), [UInt8]())
        var clock = timing.clock
        for _ in 0..<1_024 {
            guard let page = try VerifiedOggPage(file, at: offset), page.serial == serial, !page.beginsStream else {
                return nil
            }
            for (index, range) in page.parts.enumerated() {
                let bytes = try file.view(
                    at: page.offset + Int64(page.headerSize + range.lowerBound), count: range.count)
                open += bytes
                guard open.count <= maximumPacket else { return nil }
                if index == page.parts.count - 1, page.isLastPacketOpen { continue }
                frames += open.withUnsafeBufferPointer { timing.duration(of: $0, &clock) }
                open.removeAll(keepingCapacity: true)
            }
            if page.granule != VerifiedOggPage.noGranule {
                guard (0..<1 << 40).contains(page.granule) else { return nil }
                // On the last page a short granule means that the end is cut, not the beginning.
                return page.endsStream ? max(0, page.granule - frames) : page.granule - frames
            }
            offset = page.end
        }
        return nil
    }
}

/// The packets before the sound of an Ogg stream.
private struct OggHeaders {
    var packets: [[UInt8]] = []
    /// The offset of the first page of sound.
    var end: Int64
    /// The number of that page.
    var sequence: UInt32

    /// The maximum size of all headers, covers among them.
    private static let maximumSize = 1 << 24

    /// Reads the headers; `nil` when they are not whole, or do not end with a page as both codecs require.
    init?(_ file: WindowedFile, _ first: VerifiedOggPage) throws {
        let count = try file.view(at: first.offset + Int64(first.headerSize), count: 8).has("OpusHead", at: 0) ? 2 : 3
        var page = first
        var (open, total) = ([UInt8](), 0)
        while true {
            guard page.serial == first.serial else { return nil }
            for (index, range) in page.parts.enumerated() {
                open += try file.view(at: page.offset + Int64(page.headerSize + range.lowerBound), count: range.count)
                if index == page.parts.count - 1, page.isLastPacketOpen { continue }
                packets.append(open)
                open = []
            }
            total += page.bodySize
            guard total <= Self.maximumSize, packets.count <= count else { return nil }
            (end, sequence) = (page.end, page.sequence &+ 1)
            if packets.count == count { break }
            guard let next = try VerifiedOggPage(file, at: page.end) else { return nil }
            page = next
        }
        guard open.isEmpty else { return nil }
    }
}
