internal import Descant

/// One page of an Ogg stream (RFC 3533, section 6), of which all bytes are there and the checksum is right.
struct VerifiedOggPage {
    /// Where the page begins in the file.
    let offset: Int64
    let granule: Int64
    let serial: UInt32
    let sequence: UInt32
    private let flags: UInt8
    /// The lengths of the segments; a packet ends with the first segment below 255 bytes.
    private let lacing: [UInt8]
    let headerSize: Int
    let bodySize: Int

    /// The granule position of a page on which no packet ends.
    static let noGranule: Int64 = -1
    /// The maximum size of a page in bytes.
    static let maximumSize = 27 + 255 + 255 * 255

    var size: Int { headerSize + bodySize }
    /// The offset behind the page.
    var end: Int64 { offset + Int64(size) }
    var continuesPacket: Bool { flags & 1 != 0 }
    var beginsStream: Bool { flags & 2 != 0 }
    var endsStream: Bool { flags & 4 != 0 }
    /// Whether the last packet continues on the next page.
    var isLastPacketOpen: Bool { lacing.last == 255 }

    /// Reads the page at an offset; `nil` when none is there that is whole.
    ///
    /// - Throws: `CoreError` for a read that failed.
    init?(_ file: WindowedFile, at offset: Int64) throws {
        let head = try file.view(at: offset, count: 27 + 255)
        guard head.has("OggS", at: 0), head.big(4, 1) == 0, let granule = head.little(6, 8),
            let serial = head.little(14, 4),
            let sequence = head.little(18, 4), let checksum = head.little(22, 4), let segments = head.big(26, 1),
            head.count >= 27 + segments
        else { return nil }
        self.offset = offset
        flags = head[5]
        self.granule = Int64(granule)
        (self.serial, self.sequence) = (UInt32(serial), UInt32(sequence))
        lacing = Array(head[27..<27 + segments])
        headerSize = 27 + segments
        bodySize = lacing.reduce(0) { $0 + Int($1) }
        let bytes = try file.view(at: offset, count: headerSize + bodySize)
        guard bytes.count == headerSize + bodySize, OggChecksum.page(bytes) == UInt32(checksum) else { return nil }
    }

    /// The ranges of the body that hold the packets, or their parts, in order.
    var parts: [Range<Int>] {
        var parts: [Range<Int>] = []
        var (start, end) = (0, 0)
        for length in lacing {
            end += Int(length)
            guard length < 255 else { continue }
            parts.append(start..<end)
            start = end
        }
        if isLastPacketOpen { parts.append(start..<end) }
        return parts
    }

    /// Whether this page may be a later one of the stream of another page.
    func continues(_ page: VerifiedOggPage) -> Bool {
        guard serial == page.serial, !beginsStream, sequence > page.sequence else { return false }
        // A page on which no packet ends has no granule position, and a damaged one may have any number.
        let possible: Range<Int64> = 0..<1 << 40
        return !possible.contains(granule) || !possible.contains(page.granule) || granule >= page.granule
    }

    /// The first whole page of a stream at or behind an offset.
    ///
    /// - Parameters:
    ///   - limit: The offset before which it begins.
    /// - Throws: `CoreError` for a read that failed.
    static func first(
        in file: WindowedFile, from offset: Int64, before limit: Int64, serial: UInt32
    ) throws -> VerifiedOggPage? {
        var offset = offset
        while offset < limit {
            if let page = try VerifiedOggPage(file, at: offset) {
                if page.serial == serial { return page }
                offset = page.end
                continue
            }
            let bytes = try file.view(at: offset + 1, count: 8_192)
            guard !bytes.isEmpty else { return nil }
            let place = bytes.firstIndex(of: UInt8(ascii: "O")) ?? bytes.count
            offset += 1 + Int64(place)
        }
        return nil
    }
}

/// The checksum of a page: CRC-32 by the polynomial 0x04C11DB7, most significant bit first, beginning with 0.
private enum OggChecksum {
    /// For each of four bytes in a row, what it adds to the checksum.
    private static let tables: [UInt32] = {
        var tables = (0..<256).map { index in
            (0..<8).reduce(UInt32(index) << 24) { sum, _ in sum << 1 ^ (sum >> 31 == 1 ? 0x04C1_1DB7 : 0) }
        }
        for index in 256..<1_024 {
            let sum = tables[index - 256]
            tables.append(sum << 8 ^ tables[Int(sum >> 24)])
        }
        return tables
    }()

    /// The checksum of a whole page of 27 bytes or more, with four zeros in place of the stored one.
    static func page(_ bytes: UnsafeBufferPointer<UInt8>) -> UInt32 {
        tables.withUnsafeBufferPointer { tables in
            var sum: UInt32 = 0
            func add(_ byte: UInt8) { sum = sum << 8 ^ tables[Int(UInt8(truncatingIfNeeded: sum >> 24) ^ byte)] }
            for index in 0..<min(22, bytes.count) { add(bytes[index]) }
            for _ in 0..<4 { add(0) }
            var index = 26
            while index + 4 <= bytes.count {
                let word = (0..<4).reduce(UInt32(0)) { $0 << 8 | UInt32(bytes[index + $1]) } ^ sum
                sum =
                    tables[768 + Int(word >> 24)] ^ tables[512 + Int(word >> 16 & 255)]
                    ^ tables[256 + Int(word >> 8 & 255)]
                    ^ tables[Int(word & 255)]
                index += 4
            }
            while index < bytes.count {
                add(bytes[index])
                index += 1
            }
            return sum
        }
    }
}
