internal import Synchronization

/// An event with its number, so that a slow reader can count what it missed.
public struct Numbered<Event: Sendable>: Sendable {
    /// Counts every event of the hub from 1; a gap means that the reader's buffer overflowed.
    ///
    /// A snapshot carries the number of the last event that it already includes.
    public let number: UInt64
    /// Whether this is the state at the moment of subscription rather than something that happened.
    public let isSnapshot: Bool
    /// What happened.
    public let event: Event
}

/// How many unread events a subscription keeps; the oldest go first.
public enum EventBuffer: Sendable, Hashable {
    /// Only the newest: for state and position.
    case newest
    /// Up to a number of events: for discrete events.
    case bounded(Int)

    var limit: Int {
        switch self {
        case .newest: 1
        case .bounded(let count): max(1, count)
        }
    }
}

/// Sends events to any number of subscribers, none of which can slow the sender or another one.
///
/// ``post(_:)`` takes a short lock and never waits, so streaming threads may call it. Every subscription has a
/// bounded buffer of its own; see ``EventStream``.
public final class EventHub<Event: Sendable>: Sendable {
    private struct State {
        var posted: UInt64 = 0
        var nextSubscriber: UInt64 = 0
        var subscribers: [UInt64: AsyncStream<Numbered<Event>>.Continuation] = [:]
        var snapshot: Event?
        var finished = false
    }

    private let state: Mutex<State>
    /// Terminated subscriptions that are still in `subscribers`. They have a separate lock because a reader is cancelled under its
    /// task's lock, which a yield to that reader takes as well.
    private let terminated = Mutex<[UInt64]>([])
    private let keepsSnapshot: Bool

    /// Creates a hub whose subscribers begin with what is posted after they came.
    public init() {
        keepsSnapshot = false
        state = Mutex(State())
    }

    /// Creates a hub of state: the last posted value is the first element that a new subscriber gets.
    ///
    /// - Parameter initial: The state before anything was posted.
    public init(initial: Event) {
        keepsSnapshot = true
        state = Mutex(State(snapshot: initial))
    }

    deinit { finish() }

    /// Sends an event to every present subscriber.
    ///
    /// Any thread; never waits.
    ///
    /// - Parameter event: What happened.
    public func post(_ event: Event) {
        // Yielding inside the lock keeps the numbers in order for every subscriber; a continuation only
        // enqueues, it runs no subscriber's code here.
        state.withLock { state in
            guard !state.finished else { return }
            removeTerminated(from: &state)
            state.posted += 1
            if keepsSnapshot { state.snapshot = event }
            let numbered = Numbered(number: state.posted, isSnapshot: false, event: event)
            for continuation in state.subscribers.values { continuation.yield(numbered) }
        }
    }

    /// Ends every present and future subscription.
    public func finish() {
        let continuations = state.withLock { state in
            state.finished = true
            defer { state.subscribers = [:] }
            return Array(state.subscribers.values)
        }
        for continuation in continuations { continuation.finish() }
    }

    /// The last posted value of a hub of state.
    public var snapshot: Event? { state.withLock { $0.snapshot } }

    /// The number of open subscriptions.
    package var subscriberCount: Int {
        state.withLock { state in
            removeTerminated(from: &state)
            return state.subscribers.count
        }
    }

    private func removeTerminated(from state: inout State) {
        let numbers = terminated.withLock { numbers in
            defer { numbers.removeAll() }
            return numbers
        }
        for number in numbers { state.subscribers[number] = nil }
    }

    /// A sequence over this hub's events; every iteration is a subscription of its own.
    ///
    /// - Parameter buffer: How many unread events each subscription keeps.
    public func stream(buffer: EventBuffer = .bounded(64)) -> EventStream<Event> {
        EventStream(hub: self, buffer: buffer)
    }

    fileprivate func subscribe(limit: Int) -> AsyncStream<Numbered<Event>> {
        let (stream, continuation) = AsyncStream.makeStream(
            of: Numbered<Event>.self, bufferingPolicy: .bufferingNewest(limit))
        let subscriber: UInt64? = state.withLock { state in
            if let snapshot = state.snapshot {
                continuation.yield(Numbered(number: state.posted, isSnapshot: true, event: snapshot))
            }
            guard !state.finished else { return nil }
            removeTerminated(from: &state)
            state.nextSubscriber += 1
            state.subscribers[state.nextSubscriber] = continuation
            return state.nextSubscriber
        }
        guard let subscriber else {
            continuation.finish()
            return stream
        }
        continuation.onTermination = { [weak self] _ in
            self?.terminated.withLock { $0.append(subscriber) }
        }
        return stream
    }
}

/// The events of an ``EventHub`` as an asynchronous sequence.
///
/// Every `for await` loop is a new subscription and receives all events from that moment on. A reader that falls behind by
/// more than the buffer loses the oldest ones; ``numbered`` shows where.
public struct EventStream<Event: Sendable>: AsyncSequence, Sendable {
    /// What happened.
    public typealias Element = Event

    fileprivate let hub: EventHub<Event>
    fileprivate let buffer: EventBuffer

    /// The same events with another buffer.
    ///
    /// - Parameter buffer: How many unread events each subscription keeps.
    public func buffered(_ buffer: EventBuffer) -> EventStream<Event> { EventStream(hub: hub, buffer: buffer) }

    /// The same events with their numbers, so that a slow reader can tell what it lost.
    public var numbered: AsyncStream<Numbered<Event>> { hub.subscribe(limit: buffer.limit) }

    /// Subscribes.
    public func makeAsyncIterator() -> Iterator {
        Iterator(base: hub.subscribe(limit: buffer.limit).makeAsyncIterator())
    }

    /// Reads one subscription.
    public struct Iterator: AsyncIteratorProtocol {
        fileprivate var base: AsyncStream<Numbered<Event>>.Iterator

        /// The next event; `nil` when the hub has finished or the task was cancelled.
        public mutating func next() async -> Event? { await base.next()?.event }

        /// The next event; `nil` when the hub has finished or the task was cancelled.
        ///
        /// - Parameter actor: The actor whose isolation the caller runs in.
        public mutating func next(isolation actor: isolated (any Actor)?) async -> Event? {
            await base.next(isolation: actor)?.event
        }
    }
}
