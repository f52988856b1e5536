/// The header of one page of an Ogg stream (RFC 3533, section 6).
package struct OggPage {
    /// The granule position of a page on which no packet ends.
    package static let noGranule = Int64(-1)
    /// The maximum size of a header in bytes.
    package static let maximumHeaderSize = 27 + 255
    /// The maximum size of a page in bytes.
    package static let maximumSize = maximumHeaderSize + 255 * 255

    package var version: UInt8 = 0
    package var flags: UInt8
    package var granule: Int64
    package var serial: UInt32
    package var sequence: UInt32
    private var checksum: UInt32 = 0
    /// The lengths of the segments of the body; a packet ends with the first segment below 255 bytes.
    package var lacing: [UInt8]

    package var beginsStream: Bool { flags & 2 != 0 }
    package var endsStream: Bool { flags & 4 != 0 }
    /// Whether the last packet continues on the next page.
    package var isLastPacketOpen: Bool { lacing.last == 255 }

    /// The size of the header in bytes.
    package var headerSize: Int { 27 + lacing.count }
    /// The size of the body in bytes.
    package var bodySize: Int { lacing.reduce(0) { $0 + Int($1) } }
    /// The size of the whole page in bytes.
    package var size: Int { headerSize + bodySize }

    /// Creates the header of a page that is to be written.
    ///
    /// - Parameters:
    ///   - flags: 1 continues a packet, 2 begins the stream, 4 ends it.
    ///   - granule: The position at the end of the page.
    ///   - serial: The number of the stream.
    ///   - sequence: The number of the page in the stream.
    ///   - lacing: The lengths of the segments of the body, 255 at most.
    package init(flags: UInt8, granule: Int64, serial: UInt32, sequence: UInt32, lacing: [UInt8]) {
        self.flags = flags
        self.granule = granule
        self.serial = serial
        self.sequence = sequence
        self.lacing = lacing
    }

    /// Reads the header of a page that begins at an index; `nil` when none does or the header is not complete.
    package init?(_ bytes: [UInt8], at start: Int = 0) {
        guard start >= 0, start < bytes.count, bytes[start...].starts(with: Array("OggS".utf8)),
            bytes.count - start >= 27,
            let granule = bytes.uint64(at: start + 6, .little), let serial = bytes.uint32(at: start + 14, .little),
            let sequence = bytes.uint32(at: start + 18, .little), let checksum = bytes.uint32(at: start + 22, .little)
        else { return nil }
        let segments = Int(bytes[start + 26])
        guard bytes.count - start >= 27 + segments else { return nil }
        version = bytes[start + 4]
        flags = bytes[start + 5]
        self.granule = Int64(bitPattern: granule)
        self.serial = serial
        self.sequence = sequence
        self.checksum = checksum
        lacing = Array(bytes[start + 27..<start + 27 + segments])
    }

    /// Reads the header of a page of which all bytes are there; `nil` when none begins at the index, it is not complete or its
    /// checksum is wrong.
    package init?(intactIn bytes: [UInt8], at start: Int) {
        self.init(bytes, at: start)
        guard bytes.count - start >= size, OggChecksum.page(bytes[start..<start + size]) == checksum else { return nil }
    }

    /// The parts of packets in the body of a page; the last one continues on the next page when ``isLastPacketOpen`` is set.
    package func segments(of body: ArraySlice<UInt8>) -> [ArraySlice<UInt8>] {
        var segments: [ArraySlice<UInt8>] = []
        var (left, length) = (body.prefix(bodySize), 0)
        for value in lacing {
            length += Int(value)
            guard value < 255 else { continue }
            segments.append(left.prefix(length))
            left = left.dropFirst(length)
            length = 0
        }
        if isLastPacketOpen { segments.append(left) }
        return segments
    }

    /// The header in bytes, with the checksum that was read; 0 in a page that is to be written.
    package var header: [UInt8] {
        var bytes = Array("OggS".utf8) + [version, flags]
        bytes.append(Int(granule), bytes: 8, .little)
        bytes.append(Int(serial), bytes: 4, .little)
        bytes.append(Int(sequence), bytes: 4, .little)
        bytes.append(Int(checksum), bytes: 4, .little)
        bytes.append(UInt8(truncatingIfNeeded: lacing.count))
        return bytes + lacing
    }

    /// The header in bytes, with the checksum of the page.
    package func bytes(sealing body: ArraySlice<UInt8>) -> [UInt8] {
        var page = self
        page.checksum = 0
        page.checksum = OggChecksum.sum(of: body, after: OggChecksum.sum(of: page.header[...]))
        return page.header
    }

    /// Changes the number of the page in the stream. A correct checksum stays correct, and the one of a damaged page stays wrong.
    package mutating func renumber(_ number: UInt32) {
        // The checksum is linear: for two pages of one length, the XOR of their checksums is the checksum of their XOR. The page before
        // and after the change differ in bytes 18 to 21 only, and zeros at the beginning do not change the sum.
        let difference = [UInt8].number(Int(sequence ^ number), bytes: 4, .little)
        let zeros = [UInt8](repeating: 0, count: size - 22)
        checksum ^= OggChecksum.sum(of: zeros[...], after: OggChecksum.sum(of: difference[...]))
        sequence = number
    }
}

/// Joins the packets of one stream that is spread over pages.
package struct OggPacketAssembler {
    private var open: [UInt8] = []

    package init() {}

    /// Whether a packet has begun that has not ended yet.
    package var isInsidePacket: Bool { !open.isEmpty }

    /// The packets that end on the next page.
    package mutating func packets(of page: OggPage, body: ArraySlice<UInt8>) -> [ArraySlice<UInt8>] {
        var packets = page.segments(of: body)
        if let first = packets.first, isInsidePacket {
            // A packet may lie on thousands of pages: what was joined already is not copied for each.
            open += first
            if packets.count == 1, page.isLastPacketOpen { return [] }
            packets[0] = open[...]
            open = []
        }
        if page.isLastPacketOpen, let last = packets.popLast() { open = Array(last) }
        return packets
    }
}

/// The checksum of a page: CRC-32 by the polynomial 0x04C11DB7, most significant bit first, beginning with 0.
private enum OggChecksum {
    private static let table: [UInt32] = (0..<256).map { index in
        (0..<8).reduce(UInt32(index) << 24) { sum, _ in sum << 1 ^ (sum >> 31 == 1 ? 0x04C1_1DB7 : 0) }
    }

    static func sum(of bytes: ArraySlice<UInt8>, after before: UInt32 = 0) -> UInt32 {
        table.withUnsafeBufferPointer { table in
            bytes.reduce(before) { sum, byte in sum << 8 ^ table[Int(UInt8(truncatingIfNeeded: sum >> 24) ^ byte)] }
        }
    }

    /// The checksum of a whole page of 27 bytes or more, with four zeros in place of the stored one.
    static func page(_ bytes: ArraySlice<UInt8>) -> UInt32 {
        let head = sum(of: bytes.prefix(22) + [0, 0, 0, 0])
        return sum(of: bytes.dropFirst(26), after: head)
    }
}
