import Foundation

/// Finds the pages of Ogg files and repairs their checksums.
enum OggChecksums {
    /// The ranges of the pages that are complete.
    static func pages(in bytes: [UInt8]) -> [Range<Int>] {
        var pages: [Range<Int>] = []
        var offset = 0
        while offset + 27 <= bytes.count {
            guard bytes[offset] == 0x4f, bytes[offset + 1] == 0x67, bytes[offset + 2] == 0x67, bytes[offset + 3] == 0x53
            else {
                offset += 1
                continue
            }
            let body = offset + 27 + Int(bytes[offset + 26])
            guard body <= bytes.count else { break }
            let end = bytes[offset + 27..<body].reduce(body) { $0 + Int($1) }
            guard end <= bytes.count else {
                offset += 1
                continue
            }
            pages.append(offset..<end)
            offset = end
        }
        return pages
    }

    /// The file with right checksums.
    static func repaired(_ data: Data, if isWanted: Bool) -> Data {
        guard isWanted, data.starts(with: Data("OggS".utf8)) else { return data }
        var bytes = [UInt8](data)
        for page in pages(in: bytes) {
            for index in page.lowerBound + 22..<page.lowerBound + 26 { bytes[index] = 0 }
            let sum = bytes[page].reduce(UInt32(0)) { $0 << 8 ^ table[Int(UInt8(truncatingIfNeeded: $0 >> 24) ^ $1)] }
            for index in 0..<4 {
                bytes[page.lowerBound + 22 + index] = UInt8(truncatingIfNeeded: sum >> UInt32(8 * index))
            }
        }
        return Data(bytes)
    }

    private static let table: [UInt32] = (0..<256).map { index in
        (0..<8).reduce(UInt32(index) << 24) { value, _ in
            value & 0x8000_0000 != 0 ? value << 1 ^ 0x04c1_1db7 : value << 1
        }
    }
}
