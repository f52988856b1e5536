internal import DescantCore
internal import DescantMixing
internal import Dispatch
internal import Synchronization

/// The bytes of a host, read on a queue of their own: the host's code never runs on a streaming thread.
///
/// The streaming thread waits for the answer, so the answer to an abandoned request cannot be taken for that of a later
/// one. Closing the deck ends the wait; a host's read that hangs then blocks the queue only.
final class ByteSourcePump: ByteStream {
    private struct State {
        var offset: Int64 = 0
        /// The source's position; `nil` when it is unknown.
        var sourceOffset: Int64? = 0
        var answer: [UInt8]?
        /// Counts requests, so that the answer to an abandoned one is dropped.
        var request: UInt64 = 0
        var isCancelled = false
        var isAnswering = false
        var hasFailed = false
    }

    let size: Int64?
    let isSeekable: Bool
    private let source: any ByteSource
    private let onFailure: @Sendable (any Error) -> Void
    private let queue = DispatchQueue(label: "descant.deck.bytes", qos: .userInitiated)
    private let state = Mutex(State())
    private let answered = EventCount()

    /// - Parameters:
    ///   - source: The host's bytes.
    ///   - onFailure: Receives the first error of the host's code.
    init(_ source: any ByteSource, onFailure: @escaping @Sendable (any Error) -> Void) {
        self.source = source
        self.onFailure = onFailure
        size = source.size
        isSeekable = source.isSeekable
    }

    func move(to offset: Int64) { state.withLock { $0.offset = offset } }

    func cancel() {
        state.withLock { $0.isCancelled = true }
        answered.raise()
    }

    var isAwaitingHost: Bool { state.withLock { $0.isAnswering } }

    func next(_ count: Int) -> [UInt8] {
        let (request, offset) = state.withLock { state in
            state.request += 1
            state.answer = nil
            return (state.request, state.offset)
        }
        queue.async { [self] in answer(request, offset: offset, count: count) }
        while true {
            let seen = answered.raises
            let (answer, isOver) = state.withLock { ($0.answer, $0.isCancelled) }
            if isOver { return [] }
            if let answer {
                state.withLock { $0.offset += Int64(answer.count) }
                return answer
            }
            _ = answered.wait(after: seen, deadline: .max)
        }
    }

    /// Calls the host. Runs on the queue.
    private func answer(_ request: UInt64, offset: Int64, count: Int) {
        let isWanted = state.withLock { !$0.isCancelled && !$0.hasFailed && $0.request == request }
        var bytes: [UInt8] = []
        if isWanted {
            state.withLock { $0.isAnswering = true }
            defer { state.withLock { $0.isAnswering = false } }
            do { bytes = try read(count, at: offset) } catch {
                state.withLock { state in
                    state.hasFailed = true
                    state.sourceOffset = nil
                }
                onFailure(error)
            }
        }
        state.withLock { if $0.request == request { $0.answer = bytes } }
        answered.raise()
    }

    private func read(_ count: Int, at offset: Int64) throws -> [UInt8] {
        if isSeekable, state.withLock({ $0.sourceOffset }) != offset { try source.seek(to: offset) }
        var bytes = [UInt8](repeating: 0, count: count)
        var filled = 0
        try bytes.withUnsafeMutableBytes { memory in
            // Only a read of 0 bytes is the end.
            while filled < count {
                let read = try source.read(into: UnsafeMutableRawBufferPointer(rebasing: memory[filled...]))
                if read <= 0 { break }
                filled += min(read, count - filled)
            }
        }
        state.withLock { $0.sourceOffset = offset + Int64(filled) }
        return filled == count ? bytes : Array(bytes[..<filled])
    }
}
