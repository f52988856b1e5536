/// The first twelve bytes of a RIFF file, or of an AIFF file, which has the other byte order.
package struct RIFFHeader {
    /// The number of bytes that the header takes.
    package static let size: Int64 = 12

    /// "RIFF", "RF64" with sizes of 64 bits, or "FORM".
    package let name: String
    /// The announced number of bytes behind the first eight.
    package let contentSize: Int64
    /// The kind of the content: "WAVE", "AIFF", "AIFC".
    package let type: String

    /// The order of the bytes of sizes.
    package var order: ByteOrder { name == "FORM" ? .big : .little }
    /// Whether this is a WAVE file.
    package var isWave: Bool { type == "WAVE" && (name == "RIFF" || name == "RF64") }
    /// Whether this is an AIFF file, with or without compression.
    package var isAIFF: Bool { name == "FORM" && type.hasPrefix("AIF") }

    /// Reads the header; `nil` when the bytes do not begin with one.
    package init?<Bytes: RandomAccessBytes>(_ bytes: Bytes) throws(Bytes.Failure) {
        let header = try bytes.bytes(at: 0, count: Int(Self.size))
        guard header.count == Int(Self.size) else { return nil }
        name = String(latin1: header[0..<4])
        type = String(latin1: header[8..<12])
        guard ["RIFF", "RF64", "FORM"].contains(name),
            let size = header.uint32(at: 4, name == "FORM" ? .big : .little)
        else { return nil }
        contentSize = Int64(size)
    }
}

/// One chunk of a RIFF or AIFF file, as its header announces it. The end may lie behind the end of the file.
package struct RIFFChunk {
    package let name: String
    /// The offset of the content, behind name and size.
    package let start: Int64
    /// The announced size of the content in bytes, 0…2^32 − 1.
    package let size: Int64

    /// Whether all characters of the name are in 0x20…0x7F. TagLib stops reading at a chunk with another name.
    package var hasValidName: Bool { name.unicodeScalars.allSatisfy { (0x20...0x7F).contains($0.value) } }

    /// The offset behind the content.
    package var end: Int64 { start + size }
    /// The offset of the next chunk: chunks begin at even distances.
    package var next: Int64 { end + size % 2 }

    /// Reads the header of a chunk; `nil` when fewer than eight bytes are left.
    ///
    /// - Parameters:
    ///   - bytes: The file.
    ///   - offset: Bytes from the beginning, below 2^62.
    ///   - order: The order of the bytes of sizes.
    package init?<Bytes: RandomAccessBytes>(
        _ bytes: Bytes, at offset: Int64, _ order: ByteOrder = .little
    ) throws(Bytes.Failure) {
        let header = try bytes.bytes(at: offset, count: 8)
        guard header.count == 8, let size = header.uint32(at: 4, order) else { return nil }
        name = String(latin1: header[0..<4])
        start = offset + 8
        self.size = Int64(size)
    }

    /// Reads the content, up to a number of bytes.
    package func content<Bytes: RandomAccessBytes>(
        of bytes: Bytes, limit: Int = .max
    ) throws(Bytes.Failure) -> [UInt8] {
        try bytes.bytes(at: start, count: Int(min(size, Int64(limit))))
    }
}
