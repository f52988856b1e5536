internal import CZlib
internal import Foundation

/// Decompresses what deflate has compressed (RFC 1951), up to a limit: a few bytes may stand for gigabytes.
enum Inflater {
    /// Why something cannot be decompressed.
    enum Failure: Error { case damaged, tooLong }

    private static let step = 1 << 16

    /// Decompresses.
    ///
    /// - Parameters:
    ///   - data: A raw deflate stream.
    ///   - limit: The most bytes that may come out.
    /// - Throws: ``Failure``.
    static func inflate(_ data: Data, limit: Int) throws -> Data {
        var stream = z_stream()
        guard inflateInit2_(&stream, -MAX_WBITS, ZLIB_VERSION, Int32(MemoryLayout<z_stream>.size)) == Z_OK else {
            throw Failure.damaged
        }
        defer { inflateEnd(&stream) }
        var output = Data()
        var chunk = [UInt8](repeating: 0, count: step)
        // zlib does not write to its input; its type is that of the C of its time.
        try data.withUnsafeBytes { (bytes: UnsafeRawBufferPointer) in
            let input = bytes.bindMemory(to: UInt8.self)
            stream.next_in = UnsafeMutablePointer(mutating: input.baseAddress)
            stream.avail_in = UInt32(input.count)
            while true {
                let status = chunk.withUnsafeMutableBufferPointer { room in
                    stream.next_out = room.baseAddress
                    stream.avail_out = UInt32(room.count)
                    return CZlib.inflate(&stream, Z_NO_FLUSH)
                }
                let count = step - Int(stream.avail_out)
                guard output.count + count <= limit else { throw Failure.tooLong }
                output.append(contentsOf: chunk.prefix(count))
                if status == Z_STREAM_END { return }
                guard status == Z_OK, count > 0 || stream.avail_in > 0 else { throw Failure.damaged }
            }
        }
        return output
    }

    /// The checksum of ZIP archives.
    static func checksum(_ data: Data) -> UInt32 {
        data.withUnsafeBytes { bytes in
            UInt32(crc32(0, bytes.bindMemory(to: UInt8.self).baseAddress, UInt32(bytes.count)))
        }
    }
}
