internal import DescantCore

/// One page of an Ogg stream.
struct OggPage {
    /// No packet ends on the page.
    static let noGranule = Int64(-1)
    /// The maximum size of a page in bytes.
    static let maximumSize = 27 + 255 + 255 * 255

    let granule: Int64
    let serial: UInt32
    let beginsStream: Bool
    let endsStream: Bool
    let continuesPacket: Bool
    /// Bytes of the whole page.
    let size: Int
    /// The packets on the page, or the parts of them that are on it.
    let segments: [ArraySlice<UInt8>]
    /// Whether the last of the segments goes on on the next page.
    let isLastOpen: Bool

    /// The granule position as a number of frames; `nil` for one that no file reaches, and for ``noGranule``.
    var frames: Int64? { granule >= 0 ? FrameCount(exactly: granule)?.value : nil }

    /// Reads a page that begins at an index; `nil` when none does, it is not complete or its checksum is wrong.
    init?(_ bytes: [UInt8], at start: Int) {
        guard start >= 0, bytes.count >= start + 27, bytes[start..<start + 4].elementsEqual("OggS".utf8) else {
            return nil
        }
        let count = Int(bytes[start + 26])
        guard bytes.count >= start + 27 + count else { return nil }
        granule = Int64(bitPattern: bytes.littleEndian64(at: start + 6))
        serial = bytes.littleEndian32(at: start + 14)
        let flags = bytes[start + 5]
        continuesPacket = flags & 1 != 0
        beginsStream = flags & 2 != 0
        endsStream = flags & 4 != 0
        let lacing = bytes[start + 27..<start + 27 + count]
        size = 27 + count + lacing.reduce(0) { $0 + Int($1) }
        guard bytes.count >= start + size,
            OggChecksum.of(bytes[start..<start + size]) == bytes.littleEndian32(at: start + 22)
        else { return nil }
        isLastOpen = lacing.last == 255
        segments = Self.split(bytes, from: start + 27 + count, lacing: lacing)
    }

    private static func split(_ bytes: [UInt8], from start: Int, lacing: ArraySlice<UInt8>) -> [ArraySlice<UInt8>] {
        var segments: [ArraySlice<UInt8>] = []
        var begin = start
        var end = start
        for value in lacing {
            end += Int(value)
            if value < 255 {
                segments.append(bytes[begin..<end])
                begin = end
            }
        }
        if lacing.last == 255 { segments.append(bytes[begin..<end]) }
        return segments
    }
}

/// The checksum of a page: a CRC of 32 bits, polynomial 0x04C11DB7, from the highest bit on, over the page with four zeros in
/// place of the checksum (RFC 3533, section 6).
private enum OggChecksum {
    private static let table: [UInt32] = (0..<256).map { index in
        (0..<8).reduce(UInt32(index) << 24) { value, _ in value << 1 ^ (value >> 31 == 1 ? 0x04C1_1DB7 : 0) }
    }

    static func of(_ page: ArraySlice<UInt8>) -> UInt32 {
        let place = page.startIndex + 22..<page.startIndex + 26
        return table.withUnsafeBufferPointer { table in
            var sum: UInt32 = 0
            for index in page.indices {
                let byte = place.contains(index) ? 0 : page[index]
                sum = sum << 8 ^ table[Int(sum >> 24) ^ Int(byte)]
            }
            return sum
        }
    }
}
