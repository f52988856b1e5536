public import DescantCore
public import Foundation
internal import Synchronization

/// Encoded bytes in memory as a host would provide them from an archive.
///
/// Callable from one thread at a time, like every `ByteSource`.
public final class MemoryBytes: ByteSource {
    /// The name of this source in errors.
    public let name: String
    /// Whether it can be repositioned.
    public let isSeekable: Bool
    private let data: Data
    private let tellsSize: Bool
    private let position = Mutex(0)

    /// Creates a source.
    ///
    /// - Parameters:
    ///   - data: The bytes.
    ///   - name: The name in errors; an extension helps to recognise the format.
    ///   - isSeekable: Whether it can be repositioned.
    ///   - tellsSize: Whether ``size`` is known.
    public init(_ data: Data, name: String, isSeekable: Bool = true, tellsSize: Bool = true) {
        self.data = data
        self.name = name
        self.isSeekable = isSeekable
        self.tellsSize = tellsSize
    }

    /// The length in bytes; `nil` when the source was created without a known size.
    public var size: Int64? { tellsSize ? Int64(data.count) : nil }

    /// Copies the next bytes.
    ///
    /// - Parameter buffer: Where to write.
    /// - Returns: The number of bytes written; 0 at the end.
    public func read(into buffer: UnsafeMutableRawBufferPointer) -> Int {
        position.withLock { position in
            let count = min(buffer.count, data.count - position)
            // A slice counts its indices from the beginning of the whole.
            let start = data.startIndex + position
            data.copyBytes(to: buffer, from: start..<start + count)
            position += count
            return count
        }
    }

    /// Moves the present position.
    ///
    /// - Parameter offset: Bytes from the beginning; clamped to the bytes there are.
    /// - Throws: `CoreError.unsupported` when the source was made without seeking.
    public func seek(to offset: Int64) throws {
        guard isSeekable else { throw CoreError.unsupported("\(name) cannot be repositioned") }
        position.withLock { $0 = Int(min(max(0, offset), Int64(data.count))) }
    }
}
