internal import Synchronization

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
