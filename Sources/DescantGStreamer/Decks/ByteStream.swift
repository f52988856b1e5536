internal import DescantContainers
internal import Foundation
internal import Synchronization

/// Encoded bytes that an appsrc asks for, one request at a time.
protocol ByteStream: AnyObject, Sendable {
    /// The length in bytes; `nil` when unknown.
    var size: Int64? { get }

    /// Whether reading may jump.
    var isSeekable: Bool { get }

    /// The next reading begins at this offset; called on a streaming thread, must not wait.
    func move(to offset: Int64)

    /// The next bytes; called on a streaming thread, which may be held until they are there.
    ///
    /// - Parameter count: How many; fewer come only at the end.
    /// - Returns: The bytes; empty at the end, after an error and after ``cancel()``.
    func next(_ count: Int) -> [UInt8]

    /// Ends whatever ``next(_:)`` waits for.
    func cancel()

    /// Whether ``next(_:)`` waits for code of the host.
    var isAwaitingHost: Bool { get }
}

extension ByteStream {
    var isAwaitingHost: Bool { false }
}

/// Feeds a local file, for those that GStreamer must not read as they are.
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

/// Feeds a file that lies in memory.
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

/// A feed in which some bytes are replaced by others.
final class PatchedByteStream: ByteStream {
    private let feed: any ByteStream
    private let state = Mutex((offset: Int64(0), patches: [BytePatch]()))

    init(_ feed: any ByteStream) { self.feed = feed }

    var size: Int64? { feed.size }

    var isSeekable: Bool { feed.isSeekable }

    /// Sets what is replaced from now on.
    func patch(_ patches: [BytePatch]) { state.withLock { $0.patches = patches } }

    func move(to offset: Int64) {
        state.withLock { $0.offset = offset }
        feed.move(to: offset)
    }

    func next(_ count: Int) -> [UInt8] {
        var bytes = feed.next(count)
        state.withLock { state in
            for patch in state.patches { patch.apply(to: &bytes, at: state.offset) }
            state.offset += Int64(bytes.count)
        }
        return bytes
    }

    func cancel() { feed.cancel() }

    var isAwaitingHost: Bool { feed.isAwaitingHost }
}
