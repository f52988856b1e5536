/// The checksum of Ogg pages: CRC-32 by the polynomial 0x04C11DB7, most significant bit first, beginning with 0.
enum OggChecksum {
    private static let table: [UInt32] = (0..<256).map { index in
        (0..<8).reduce(UInt32(index) << 24) { sum, _ in sum & 0x8000_0000 != 0 ? sum << 1 ^ 0x04C1_1DB7 : sum << 1 }
    }

    static func sum(of bytes: ArraySlice<UInt8>, after before: UInt32) -> UInt32 {
        table.withUnsafeBufferPointer { table in
            bytes.reduce(before) { sum, byte in sum << 8 ^ table[Int(UInt8(truncatingIfNeeded: sum >> 24) ^ byte)] }
        }
    }
}
