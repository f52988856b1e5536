import DescantCore
import DescantTesting
import Dispatch
import Foundation
import Synchronization

/// A host's bytes: short reads, and errors and hangs on demand.
final class HostBytes: ByteSource {
    struct Locked: Error, CustomStringConvertible {
        let description = "the archive is locked"
    }

    let name = "host bytes"
    let size: Int64?
    let isSeekable: Bool
    private let data: Data
    private let failsAt: Int?
    private let hangsAt: Int?
    private let gate = DispatchSemaphore(value: 0)
    private let hanging = AsyncStream<Void>.makeStream()
    private let state = Mutex((offset: 0, inside: 0, most: 0))

    init(_ data: Data, isSeekable: Bool, failsAt: Int? = nil, hangsAt: Int? = nil) {
        self.data = data
        self.isSeekable = isSeekable
        self.failsAt = failsAt
        self.hangsAt = hangsAt
        size = isSeekable ? Int64(data.count) : nil
    }

    /// The maximum number of simultaneous calls.
    var threadsInside: Int { state.withLock { $0.most } }

    /// Waits until a read hangs.
    func untilHanging() async { for await _ in hanging.stream { return } }

    /// Releases the read that hangs.
    func release() { gate.signal() }

    func read(into buffer: UnsafeMutableRawBufferPointer) throws -> Int {
        let offset = enter()
        defer { leave() }
        if let failsAt, offset >= failsAt { throw Locked() }
        if let hangsAt, offset >= hangsAt {
            hanging.continuation.yield()
            gate.wait()
        }
        let count = min(buffer.count, 1_000, data.count - offset)
        guard count > 0 else { return 0 }
        data.copyBytes(
            to: buffer.bindMemory(to: UInt8.self), from: data.startIndex + offset..<data.startIndex + offset + count)
        state.withLock { $0.offset = offset + count }
        return count
    }

    func seek(to offset: Int64) throws {
        _ = enter()
        defer { leave() }
        state.withLock { $0.offset = Int(offset) }
    }

    private func enter() -> Int {
        state.withLock { state in
            state.inside += 1
            state.most = max(state.most, state.inside)
            return state.offset
        }
    }

    private func leave() { state.withLock { $0.inside -= 1 } }
}
