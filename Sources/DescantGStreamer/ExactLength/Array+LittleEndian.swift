/// Numbers inside byte arrays. The caller has checked that the bytes are there.
extension [UInt8] {
    func littleEndian16(at index: Int) -> UInt16 { UInt16(self[index]) | UInt16(self[index + 1]) << 8 }

    func littleEndian32(at index: Int) -> UInt32 {
        UInt32(littleEndian16(at: index)) | UInt32(littleEndian16(at: index + 2)) << 16
    }

    func littleEndian64(at index: Int) -> UInt64 {
        UInt64(littleEndian32(at: index)) | UInt64(littleEndian32(at: index + 4)) << 32
    }

    func bigEndian16(at index: Int) -> UInt16 { UInt16(self[index]) << 8 | UInt16(self[index + 1]) }

    func bigEndian32(at index: Int) -> UInt32 {
        UInt32(bigEndian16(at: index)) << 16 | UInt32(bigEndian16(at: index + 2))
    }
}
