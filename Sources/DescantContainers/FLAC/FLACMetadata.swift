/// The header of one metadata block of a FLAC file (RFC 9639, section 8).
package struct FLACBlock {
    /// Type numbers of metadata blocks.
    package enum Kind {
        package static let streamInfo: UInt8 = 0
        package static let padding: UInt8 = 1
        package static let comment: UInt8 = 4
        package static let picture: UInt8 = 6
    }

    /// The marker at the beginning of the stream.
    package static let marker = Array("fLaC".utf8)

    package let kind: UInt8
    /// Whether the sound follows.
    package let isLast: Bool
    /// The offset of the content.
    package let start: Int64
    /// The announced size of the content in bytes, below 2^24.
    package let size: Int

    /// The offset behind the content.
    package var end: Int64 { start + Int64(size) }

    /// Reads the header of a block; `nil` when fewer than four bytes are left.
    ///
    /// - Parameters:
    ///   - bytes: The file.
    ///   - offset: Bytes from the beginning, below 2^62.
    package init?<Bytes: RandomAccessBytes>(_ bytes: Bytes, at offset: Int64) throws(Bytes.Failure) {
        let header = try bytes.bytes(at: offset, count: 4)
        guard header.count == 4 else { return nil }
        kind = header[0] & 0x7F
        isLast = header[0] & 0x80 != 0
        size = Int(header[1]) << 16 | Int(header[2]) << 8 | Int(header[3])
        start = offset + 4
    }

    /// Reads the content; fewer bytes than ``size`` when the file ends before.
    package func content<Bytes: RandomAccessBytes>(of bytes: Bytes) throws(Bytes.Failure) -> [UInt8] {
        try bytes.bytes(at: start, count: size)
    }
}

/// The STREAMINFO block of a FLAC file (RFC 9639, section 8.2).
package struct FLACHeader: Equatable {
    /// Frames per second, in Hz, greater than 0.
    package let sampleRate: Int
    /// 1…8.
    package let channels: Int
    /// Bits of a sample, 1…32.
    package let bitDepth: Int
    /// The number of frames, below 2^36; 0 when it is not known.
    package let frames: Int64

    /// Reads marker and first block; `nil` when they are not there or the rate is 0.
    ///
    /// - Parameters:
    ///   - bytes: The file.
    ///   - offset: Where the marker "fLaC" stands.
    package init?<Bytes: RandomAccessBytes>(_ bytes: Bytes, at offset: Int64) throws(Bytes.Failure) {
        let header = try bytes.bytes(at: offset, count: 42)
        // 4 bytes of marker, 4 of the block's header, 4 of block sizes, 6 of frame sizes; then 20 bits of rate, 3 of channels,
        // 5 of depth, 36 of frames.
        guard header.count == 42, header.starts(with: FLACBlock.marker),
            header[4] & 0x7F == FLACBlock.Kind.streamInfo, let packed = header.uint64(at: 18, .big), packed >> 44 > 0
        else { return nil }
        sampleRate = Int(packed >> 44)
        channels = Int(packed >> 41 & 7) + 1
        bitDepth = Int(packed >> 36 & 31) + 1
        frames = Int64(packed & 0xF_FFFF_FFFF)
    }
}
