/// An APE tag of version 1 or 2: items with a name and a value, as they lie in the file.
package struct APETag {
    package struct Item {
        /// Latin-1, of any case.
        package var name: String
        package var flags: Int
        package var value: [UInt8]

        package init(name: String, flags: Int = 0, value: [UInt8]) {
            self.name = name
            self.flags = flags
            self.value = value
        }
    }

    private static let footerCount = 32
    private static let preamble = Array("APETAGEX".utf8)

    package var items: [Item] = []
    /// The size of the tag in the file in bytes; 0 for a new one.
    package let oldCount: Int

    /// Creates an empty tag.
    package init() { oldCount = 0 }

    /// Reads the tag that ends at an offset of a file; `nil` when there is none.
    ///
    /// - Throws: ``ContainerError``, or the error of a failed read.
    package init?(in file: some RandomAccessBytes, endingAt end: Int) throws {
        guard end >= Self.footerCount else { return nil }
        var footer = ByteReader(try file.bytes(at: Int64(end - Self.footerCount), count: Self.footerCount))
        guard try footer.take(8).elementsEqual(Self.preamble) else { return nil }
        _ = try footer.take(4)
        let size = try footer.number(4, .little)
        let count = try footer.number(4, .little)
        guard size >= Self.footerCount, size <= end else {
            throw ContainerError.damaged("its APE tag has a wrong size")
        }
        // A footer may announce a header that is not there; what stands there is sound.
        let header = try file.bytes(at: Int64(max(0, end - size - Self.footerCount)), count: Self.footerCount)
        let hasHeader = end - size >= Self.footerCount && header.starts(with: Self.preamble)
        oldCount = size + (hasHeader ? Self.footerCount : 0)
        var reader = ByteReader(try file.bytes(at: Int64(end - size), count: size - Self.footerCount))
        // A damaged tag may announce 2^32 items.
        while items.count < count, reader.remaining > 0 {
            let length = try reader.number(4, .little)
            let flags = try reader.number(4, .little)
            var name: [UInt8] = []
            while let byte = try reader.take(1).first, byte != 0 { name.append(byte) }
            items.append(Item(name: String(latin1: name), flags: flags, value: Array(try reader.take(length))))
        }
    }

    /// The tag in bytes, of version 2, with a header.
    package var bytes: [UInt8] {
        var body: [UInt8] = []
        for item in items {
            body.append(item.value.count, bytes: 4, .little)
            body.append(item.flags, bytes: 4, .little)
            body += (item.name.latin1 ?? []) + [0] + item.value
        }
        let size = body.count + Self.footerCount
        return frame(size, isHeader: true) + body + frame(size, isHeader: false)
    }

    private func frame(_ size: Int, isHeader: Bool) -> [UInt8] {
        var bytes = Self.preamble
        bytes.append(2_000, bytes: 4, .little)
        bytes.append(size, bytes: 4, .little)
        bytes.append(items.count, bytes: 4, .little)
        bytes.append(1 << 31 | (isHeader ? 1 << 29 : 0), bytes: 4, .little)
        return bytes + [UInt8](repeating: 0, count: 8)
    }
}
