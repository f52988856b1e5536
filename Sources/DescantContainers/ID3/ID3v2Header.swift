/// The ten bytes that begin an ID3v2 tag.
package struct ID3v2Header {
    /// The number of bytes that the header takes.
    package static let size = 10
    /// The number of tags in a row that ``end(in:)`` skips.
    private static let tagLimit = 64

    /// The version behind "ID3v2.".
    package let version: UInt8
    private let revision: UInt8
    package let flags: UInt8
    /// The size of the content in bytes, without header and footer.
    package let contentSize: Int64
    /// Whether the size has 7 bits a byte, as the standard says.
    private let isSynchsafe: Bool

    /// Reads a header; `nil` when the bytes do not begin with one.
    package init?(_ bytes: some Sequence<UInt8>) {
        let bytes = Array(bytes.prefix(Self.size))
        guard bytes.count == Self.size, bytes.starts(with: Array("ID3".utf8)) else { return nil }
        version = bytes[3]
        revision = bytes[4]
        flags = bytes[5]
        isSynchsafe = bytes[6...].allSatisfy { $0 < 0x80 }
        // Some programs write plain numbers; GStreamer reads a size that uses the eighth bit as one.
        contentSize = isSynchsafe ? Int64(Self.synchsafe(bytes[6...])) : bytes[6...].reduce(0) { $0 << 8 | Int64($1) }
    }

    /// The size of the whole tag in bytes; `nil` when the header does not follow the standard.
    package var standardSize: Int? {
        guard isSynchsafe, version < 0xFF, revision < 0xFF else { return nil }
        return Self.size + Int(contentSize) + (version == 4 && hasFooter ? Self.size : 0)
    }

    /// A footer of version 2.4 repeats the header. GStreamer skips one in tags of every version.
    private var hasFooter: Bool { flags & 0x10 != 0 }

    /// The offset behind all tags at the beginning of a file, as GStreamer finds it; 0 without one.
    package static func end<Bytes: RandomAccessBytes>(in bytes: Bytes) throws(Bytes.Failure) -> Int64 {
        var offset: Int64 = 0
        for _ in 0..<tagLimit {
            guard let header = ID3v2Header(try bytes.bytes(at: offset, count: size)) else { return offset }
            offset += Int64(size) + header.contentSize + (header.hasFooter ? Int64(size) : 0)
        }
        return offset
    }

    // MARK: Sizes of 7 bits a byte

    /// Reads a number of 7 bits a byte, of 9 bytes at most.
    package static func synchsafe(_ bytes: ArraySlice<UInt8>) -> Int { bytes.reduce(0) { $0 << 7 | Int($1 & 0x7F) } }

    /// A number below 2^28 in four bytes of 7 bits.
    package static func synchsafe(_ value: Int) -> [UInt8] {
        stride(from: 21, through: 0, by: -7).map { UInt8(value >> $0 & 0x7F) }
    }
}
