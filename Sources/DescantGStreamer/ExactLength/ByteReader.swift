internal import Foundation

/// Random access to encoded bytes, for reading headers.
protocol ByteReader {
    /// The length in bytes.
    var size: Int64 { get }

    /// Reads bytes; fewer than asked for at the end, none when reading fails.
    ///
    /// - Parameters:
    ///   - offset: Bytes from the beginning.
    ///   - count: The maximum number of bytes to read.
    func bytes(at offset: Int64, count: Int) -> [UInt8]
}
