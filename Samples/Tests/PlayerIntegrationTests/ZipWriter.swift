import CLibArchive
import Foundation

/// Writes valid and invalid ZIP archives.
struct ZipWriter {
    private(set) var data = Data()
    private var directory = Data()
    private var count = 0

    /// Adds a file.
    ///
    /// - Parameters:
    ///   - path: The path.
    ///   - content: The content.
    ///   - stored: Whether it is not compressed.
    ///   - checksum: A wrong checksum; `nil` for the right one.
    ///   - flags: The general purpose flags; 1 is encryption, 0x800 a path in UTF-8.
    ///   - method: A wrong compression method; `nil` for the right one.
    mutating func add(
        _ path: String, _ content: Data, stored: Bool = false, checksum: UInt32? = nil, flags: Int = 0,
        method: Int? = nil
    ) {
        let (deflated, ownChecksum) = Self.deflated(content)
        let packed = stored ? content : deflated
        let sum = checksum ?? ownChecksum
        let name = Data(path.utf8)
        let start = data.count
        let common =
            Self.bytes((20, 2), (flags, 2), (method ?? (stored ? 0 : 8), 2), (0, 4), (Int(sum), 4))
            + Self.bytes((packed.count, 4), (content.count, 4), (name.count, 2), (0, 2))
        data += Self.bytes((0x0403_4B50, 4)) + common + name + packed
        directory +=
            Self.bytes((0x0201_4B50, 4), (20, 2)) + common + Self.bytes((0, 2), (0, 2), (0, 2), (0, 4), (start, 4))
            + name
        count += 1
    }

    mutating func add(_ path: String, _ content: String) { add(path, Data(content.utf8)) }

    /// The whole archive.
    ///
    /// - Parameter entries: The number of files in the end record; `nil` for the right one.
    func archive(entries: Int? = nil) -> Data {
        let number = entries ?? count
        return data + directory
            + Self.bytes(
                (0x0605_4B50, 4), (0, 2), (0, 2), (number, 2), (number, 2), (directory.count, 4), (data.count, 4))
            + Self.bytes((0, 2))
    }

    private static func bytes(_ values: (Int, Int)...) -> Data {
        Data(values.flatMap { value, size in (0..<size).map { UInt8(truncatingIfNeeded: value >> (8 * $0)) } })
    }

    /// Compresses with libarchive's gzip filter, whose output is a header of 10 bytes, the deflate stream, checksum and length.
    private static func deflated(_ content: Data) -> (packed: Data, checksum: UInt32) {
        var output = [UInt8](repeating: 0, count: content.count + 1 << 16)
        var used = 0
        let archive = archive_write_new()
        let entry = archive_entry_new()
        defer {
            archive_entry_free(entry)
            archive_write_free(archive)
        }
        archive_write_set_format_raw(archive)
        archive_write_add_filter_gzip(archive)
        archive_write_set_options(archive, "compression-level=9")
        output.withUnsafeMutableBytes { room in
            archive_write_open_memory(archive, room.baseAddress, room.count, &used)
            archive_entry_set_filetype(entry, 0o100000)
            archive_write_header(archive, entry)
            _ = content.withUnsafeBytes { archive_write_data(archive, $0.baseAddress, $0.count) }
            archive_write_close(archive)
        }
        let checksum = output[used - 8..<used - 4].reversed().reduce(UInt32(0)) { $0 << 8 | UInt32($1) }
        return (Data(output[10..<used - 8]), checksum)
    }
}
