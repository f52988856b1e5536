/// Reads the STREAMINFO block of a FLAC file.
enum FLACLength {
    /// - Parameter offset: Where "fLaC" stands.
    static func read(_ reader: some ByteReader, at offset: Int64) -> ExactLength? {
        let header = reader.bytes(at: offset, count: 42)
        guard header.count == 42, header.starts(with: Array("fLaC".utf8)), header[4] & 0x7F == 0 else { return nil }
        // STREAMINFO: 4 bytes of block sizes, 6 of frame sizes, then 20 bits rate, 3 channels, 5 depth, 36 frames.
        let packed = header[18..<26].reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
        let sampleRate = Int(packed >> 44)
        let frames = Int64(packed & 0xF_FFFF_FFFF)
        guard sampleRate > 0, frames > 0 else { return nil }
        return ExactLength(frames: frames, sampleRate: sampleRate)
    }
}
