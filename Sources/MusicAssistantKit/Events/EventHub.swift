internal import Synchronization

/// Sends events to any number of subscribers; a slow subscriber does not block the sender.
final class EventHub<Element: MissCounting>: Sendable {
    private struct Subscriber {
        let continuation: AsyncStream<(number: UInt64, event: Element)>.Continuation
        /// The filter of the subscription; nil for all events.
        let wants: (@Sendable (Element) -> Bool)?
        /// The number of events sent to this subscriber.
        var posted: UInt64 = 0

        mutating func take(_ event: Element) {
            guard wants?(event) ?? true else { return }
            continuation.yield((posted, event))
            posted += 1
        }
    }

    private struct State {
        var nextSubscriber: UInt64 = 0
        var subscribers: [UInt64: Subscriber] = [:]
    }

    private let limit: Int
    private let state = Mutex(State())

    init(limit: Int) { self.limit = max(1, limit) }

    deinit { finish() }

    func post(_ event: Element) {
        // Yielding within the lock keeps the numbers in order for every subscriber; it only enqueues.
        state.withLock { state in
            // By index: iterating over the dictionary would copy it for every event.
            var index = state.subscribers.values.startIndex
            while index < state.subscribers.values.endIndex {
                state.subscribers.values[index].take(event)
                state.subscribers.values.formIndex(after: &index)
            }
        }
    }

    /// - Parameter wants: The filter; called on the connection's thread, within the lock.
    func subscribe(_ wants: (@Sendable (Element) -> Bool)? = nil) -> MusicAssistantEventStream<Element> {
        let (stream, continuation) = AsyncStream.makeStream(
            of: (number: UInt64, event: Element).self, bufferingPolicy: .bufferingNewest(limit))
        let id = state.withLock { state in
            state.nextSubscriber += 1
            state.subscribers[state.nextSubscriber] = Subscriber(continuation: continuation, wants: wants)
            return state.nextSubscriber
        }
        continuation.onTermination = { [weak self] _ in self?.remove(id) }
        return MusicAssistantEventStream(numbered: stream)
    }

    /// The number of subscribers.
    var subscriberCount: Int { state.withLock { $0.subscribers.count } }

    /// Ends the present subscriptions.
    func finish() {
        let ended = state.withLock { state in
            defer { state.subscribers = [:] }
            return state.subscribers
        }
        for subscriber in ended.values { subscriber.continuation.finish() }
    }

    private func remove(_ id: UInt64) {
        // Removing may release the subscriber's buffer, so it happens outside the lock.
        let removed = state.withLock { $0.subscribers.removeValue(forKey: id) }
        _ = removed
    }
}
