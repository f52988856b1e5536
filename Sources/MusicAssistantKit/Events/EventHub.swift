internal import Synchronization

/// Sends events to any number of subscribers, none of which can slow the sender.
final class EventHub<Element: MissCounting>: Sendable {
    private typealias Continuation = AsyncStream<(number: UInt64, event: Element)>.Continuation
    private struct State {
        var posted: UInt64 = 0
        var nextSubscriber: UInt64 = 0
        var subscribers: [UInt64: Continuation] = [:]
    }

    private let limit: Int
    private let state = Mutex(State())

    init(limit: Int) { self.limit = max(1, limit) }

    deinit { finish() }

    func post(_ event: Element) {
        // Yielding within the lock keeps the numbers in order for everybody; it only enqueues.
        state.withLock { state in
            for continuation in state.subscribers.values { continuation.yield((state.posted, event)) }
            state.posted += 1
        }
    }

    func subscribe() -> MusicAssistantEventStream<Element> {
        let (stream, continuation) = AsyncStream.makeStream(
            of: (number: UInt64, event: Element).self, bufferingPolicy: .bufferingNewest(limit))
        let (id, first) = state.withLock { state in
            state.nextSubscriber += 1
            state.subscribers[state.nextSubscriber] = continuation
            return (state.nextSubscriber, state.posted)
        }
        continuation.onTermination = { [weak self] _ in self?.remove(id) }
        return MusicAssistantEventStream(numbered: stream, firstNumber: first)
    }

    /// How many subscribers there are.
    var subscriberCount: Int { state.withLock { $0.subscribers.count } }

    /// Ends the present subscriptions.
    func finish() {
        let ended = state.withLock { state in
            defer { state.subscribers = [:] }
            return state.subscribers
        }
        for continuation in ended.values { continuation.finish() }
    }

    private func remove(_ id: UInt64) {
        // What is removed may release the subscriber's buffer: not within the lock.
        let removed = state.withLock { $0.subscribers.removeValue(forKey: id) }
        _ = removed
    }
}
