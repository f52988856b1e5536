import Foundation

/// An Ogg file whose pages can be changed, with valid checksums afterwards.
struct EditableOggFile {
    var bytes: [UInt8]

    init(_ data: Data) { bytes = [UInt8](data) }

    /// The file with a valid checksum on every page.
    var data: Data {
        var sealed = bytes
        for page in pages { seal(page, of: &sealed) }
        return Data(sealed)
    }

    /// The ranges of the pages.
    var pages: [Range<Int>] {
        var pages: [Range<Int>] = []
        var start = 0
        while start + 27 <= bytes.count, bytes[start..<start + 4].elementsEqual("OggS".utf8) {
            let count = Int(bytes[start + 26])
            guard start + 27 + count <= bytes.count else { break }
            let size = 27 + count + bytes[start + 27..<start + 27 + count].reduce(0) { $0 + Int($1) }
            guard start + size <= bytes.count else { break }
            pages.append(start..<start + size)
            start += size
        }
        return pages
    }

    /// Sets the granule position of a page.
    mutating func setGranule(_ granule: Int64, of page: Range<Int>) {
        put(UInt64(bitPattern: granule), bytes: 8, at: page.lowerBound + 6)
    }

    /// Writes a number with its lowest byte first.
    mutating func put(_ value: UInt64, bytes count: Int, at offset: Int) {
        for index in 0..<count { bytes[offset + index] = UInt8(truncatingIfNeeded: value >> (8 * UInt64(index))) }
    }

    /// The offset of the first occurrence of some bytes.
    func firstIndex(of pattern: [UInt8]) -> Int? {
        Data(bytes).firstRange(of: Data(pattern))?.lowerBound
    }

    private func seal(_ page: Range<Int>, of bytes: inout [UInt8]) {
        for index in 22..<26 { bytes[page.lowerBound + index] = 0 }
        var sum: UInt32 = 0
        for byte in bytes[page] {
            sum ^= UInt32(byte) << 24
            for _ in 0..<8 { sum = sum << 1 ^ (sum >> 31 == 1 ? 0x04C1_1DB7 : 0) }
        }
        for index in 0..<4 {
            bytes[page.lowerBound + 22 + index] = UInt8(truncatingIfNeeded: sum >> (8 * UInt32(index)))
        }
    }
}
