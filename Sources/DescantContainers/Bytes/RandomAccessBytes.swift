internal import Glibc

/// Random access to encoded bytes, for reading headers.
///
/// A type whose reads cannot fail has `Never` as its ``Failure``, so that parsers need no `try` with it.
package protocol RandomAccessBytes<Failure> {
    /// The error of a failed read.
    associatedtype Failure: Error

    /// The length in bytes.
    var size: Int64 { get }

    /// Reads bytes; returns fewer at the end.
    ///
    /// - Parameters:
    ///   - offset: Bytes from the beginning. No bytes lie at a negative offset.
    ///   - count: The maximum number of bytes to read.
    func bytes(at offset: Int64, count: Int) throws(Failure) -> [UInt8]
}

/// Bytes in memory.
package struct ArrayBytes: RandomAccessBytes {
    private let content: ArraySlice<UInt8>

    package init(_ content: ArraySlice<UInt8>) { self.content = content }

    package init(_ content: [UInt8]) { self.content = content[...] }

    package var size: Int64 { Int64(content.count) }

    package func bytes(at offset: Int64, count: Int) throws(Never) -> [UInt8] {
        guard offset >= 0, offset < size, count > 0 else { return [] }
        return [UInt8](content.dropFirst(Int(offset)).prefix(count))
    }
}

/// The bytes of a local file. A failed read returns no bytes.
package final class FileBytes: RandomAccessBytes, Sendable {
    package let size: Int64
    private let descriptor: Int32

    /// Opens a file; `nil` when that is not possible.
    package init?(path: String) {
        descriptor = open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { return nil }
        size = Int64(lseek(descriptor, 0, SEEK_END))
    }

    deinit { if descriptor >= 0 { close(descriptor) } }

    package func bytes(at offset: Int64, count: Int) throws(Never) -> [UInt8] {
        guard offset >= 0, count > 0 else { return [] }
        return [UInt8](unsafeUninitializedCapacity: count) { buffer, filled in
            filled = max(0, pread(descriptor, buffer.baseAddress, count, off_t(offset)))
        }
    }
}
