import CZlib
import Foundation

/// Writes ZIP archives, right ones and wrong ones.
struct ZipWriter {
    private(set) var data = Data()
    private var directory = Data()
    private var count = 0

    /// Adds a file.
    ///
    /// - Parameters:
    ///   - path: Its path.
    ///   - content: What is in it.
    ///   - stored: Whether it is not compressed.
    ///   - checksum: A checksum that is not its own.
    ///   - flags: The general purpose flags; 1 says that it is encrypted.
    ///   - method: A method that is not its own.
    mutating func add(
        _ path: String, _ content: Data, stored: Bool = false, checksum: UInt32? = nil, flags: Int = 0,
        method: Int? = nil
    ) {
        let packed = stored ? content : Self.deflated(content)
        let sum =
            checksum
            ?? content.withUnsafeBytes {
                UInt32(crc32(0, $0.bindMemory(to: UInt8.self).baseAddress, UInt32(content.count)))
            }
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
    /// - Parameter entries: How many files the end says there are; `nil` for the truth.
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

    private static func deflated(_ content: Data) -> Data {
        var stream = z_stream()
        deflateInit2_(
            &stream, 9, Z_DEFLATED, -MAX_WBITS, 8, Z_DEFAULT_STRATEGY, ZLIB_VERSION, Int32(MemoryLayout<z_stream>.size))
        defer { deflateEnd(&stream) }
        var output = [UInt8](repeating: 0, count: Int(deflateBound(&stream, UInt(content.count))))
        var input = Array(content)
        input.withUnsafeMutableBufferPointer { bytes in
            output.withUnsafeMutableBufferPointer { room in
                stream.next_in = bytes.baseAddress
                stream.avail_in = UInt32(bytes.count)
                stream.next_out = room.baseAddress
                stream.avail_out = UInt32(room.count)
                _ = deflate(&stream, Z_FINISH)
            }
        }
        return Data(output.prefix(output.count - Int(stream.avail_out)))
    }
}
