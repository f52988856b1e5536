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

    private let limit: Int
    private let subscribers = Mutex(Readers<Subscriber>())

    init(limit: Int) { self.limit = max(1, limit) }

    deinit { finish() }

    func post(_ event: Element) {
        // Yielding within the lock keeps the numbers in order for every subscriber; it only enqueues.
        subscribers.withLock { $0.forEach { $0.take(event) } }
    }

    /// - Parameter wants: The filter; called on the connection's thread, within the lock.
    func subscribe(_ wants: (@Sendable (Element) -> Bool)? = nil) -> MusicAssistantEventStream<Element> {
        let (stream, continuation) = AsyncStream.makeStream(
            of: (number: UInt64, event: Element).self, bufferingPolicy: .bufferingNewest(limit))
        let end = subscribers.withLock { $0.add(Subscriber(continuation: continuation, wants: wants)) }
        continuation.onTermination = { _ in end() }
        return MusicAssistantEventStream(numbered: stream)
    }

    /// The number of subscribers.
    var subscriberCount: Int { subscribers.withLock { $0.count } }

    /// Ends the present subscriptions.
    func finish() {
        for subscriber in subscribers.withLock({ $0.takeAll() }) { subscriber.continuation.finish() }
    }
}
