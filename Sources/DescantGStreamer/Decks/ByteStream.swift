internal import DescantContainers
internal import Foundation
internal import Synchronization

/// Encoded bytes for an appsrc, one request at a time.
protocol ByteStream: AnyObject, Sendable {
    /// The length in bytes; `nil` when unknown.
    var size: Int64? { get }

    /// Whether reads may start at any offset.
    var isSeekable: Bool { get }

    /// Sets the offset of the next read. Called on a streaming thread; must not wait.
    func move(to offset: Int64)

    /// Reads the next bytes. Called on a streaming thread; may block until they are there.
    ///
    /// - Parameter count: The number of bytes; fewer are returned at the end only.
    /// - Returns: The bytes; empty at the end, after an error and after ``cancel()``.
    func next(_ count: Int) -> [UInt8]

    /// Ends a wait of ``next(_:)``.
    func cancel()

    /// Whether ``next(_:)`` waits for the host.
    var isAwaitingHost: Bool { get }
}

extension ByteStream {
    var isAwaitingHost: Bool { false }
}

/// The bytes of a local file, for files that have to be patched.
final class FileByteStream: ByteStream {
    let isSeekable = true
    private let file: Mutex<(bytes: FileBytes, offset: Int64)>
    private let length: Int64

    init(_ bytes: sending FileBytes) {
        length = bytes.size
        file = Mutex((bytes, 0))
    }

    var size: Int64? { length }

    func move(to offset: Int64) { file.withLock { $0.offset = offset } }

    func next(_ count: Int) -> [UInt8] {
        file.withLock { file in
            let bytes = file.bytes.bytes(at: file.offset, count: count)
            file.offset += Int64(bytes.count)
            return bytes
        }
    }

    func cancel() {}
}

/// The bytes of a file in memory.
final class MemoryByteStream: ByteStream {
    let isSeekable = true
    private let data: Data
    private let offset = Mutex(0)

    init(_ data: Data) { self.data = data }

    var size: Int64? { Int64(data.count) }

    func move(to offset: Int64) { self.offset.withLock { $0 = Int(clamping: offset) } }

    func next(_ count: Int) -> [UInt8] {
        offset.withLock { offset in
            guard offset < data.count else { return [] }
            let start = data.startIndex + offset
            let part = data[start..<min(data.endIndex, start + count)]
            offset += part.count
            return [UInt8](part)
        }
    }

    func cancel() {}
}

/// A byte stream with some bytes replaced.
final class PatchedByteStream: ByteStream {
    private let base: any ByteStream
    private let state = Mutex((offset: Int64(0), patches: [BytePatch]()))

    init(_ base: any ByteStream) { self.base = base }

    var size: Int64? { base.size }

    var isSeekable: Bool { base.isSeekable }

    /// Sets the replacements from the next read on.
    func patch(_ patches: [BytePatch]) { state.withLock { $0.patches = patches } }

    func move(to offset: Int64) {
        state.withLock { $0.offset = offset }
        base.move(to: offset)
    }

    func next(_ count: Int) -> [UInt8] {
        var bytes = base.next(count)
        state.withLock { state in
            for patch in state.patches { patch.apply(to: &bytes, at: state.offset) }
            state.offset += Int64(bytes.count)
        }
        return bytes
    }

    func cancel() { base.cancel() }

    var isAwaitingHost: Bool { base.isAwaitingHost }
}
