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
    private let onSubscription: (@Sendable (EventHub<Event>) -> Void)?

    /// Creates a hub whose subscribers begin with what is posted after they came.
    public init() {
        keepsSnapshot = false
        onSubscription = nil
        state = Mutex(State())
    }

    /// Creates a hub that reports its subscribers.
    ///
    /// - Parameter onSubscription: Called with the hub on the subscriber's thread after each subscription; must not block.
    package init(onSubscription: @escaping @Sendable (EventHub<Event>) -> Void) {
        keepsSnapshot = false
        self.onSubscription = onSubscription
        state = Mutex(State())
    }

    /// Creates a hub of state: the last posted value is the first element that a new subscriber gets.
    ///
    /// - Parameter initial: The state before anything was posted.
    public init(initial: Event) {
        keepsSnapshot = true
        onSubscription = nil
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

    /// A sequence over this hub's events. Its first loop reads every event from this call on; further loops begin when they begin.
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
        onSubscription?(self)
        return stream
    }
}

/// The events of an ``EventHub`` as an asynchronous sequence.
///
/// A stream subscribes when it is created: `let events = player.events` receives what happens from that line on, and the first
/// `for await` loop reads it. Every further loop over the same stream is a subscription of its own, which begins with the loop. A
/// reader that falls behind by more than the buffer loses the oldest events; ``numbered`` shows where. A stream that nobody reads
/// keeps as many events as its buffer holds until it is released.
public struct EventStream<Event: Sendable>: AsyncSequence, Sendable {
    /// What happened.
    public typealias Element = Event

    /// The subscription that a stream begins with, until a reader takes it.
    private final class FirstSubscription: Sendable {
        private let events: Mutex<AsyncStream<Numbered<Event>>?>

        init(_ events: AsyncStream<Numbered<Event>>) { self.events = Mutex(events) }

        /// The subscription for the first caller; `nil` for every other one.
        func take() -> AsyncStream<Numbered<Event>>? {
            events.withLock { events in
                defer { events = nil }
                return events
            }
        }
    }

    private let hub: EventHub<Event>
    private let buffer: EventBuffer
    private let first: FirstSubscription

    fileprivate init(hub: EventHub<Event>, buffer: EventBuffer) {
        self.hub = hub
        self.buffer = buffer
        first = FirstSubscription(hub.subscribe(limit: buffer.limit))
    }

    /// The events from this call on with another buffer.
    ///
    /// - Parameter buffer: How many unread events each subscription keeps.
    public func buffered(_ buffer: EventBuffer) -> EventStream<Event> { EventStream(hub: hub, buffer: buffer) }

    /// The same events with their numbers, so that a slow reader can tell what it lost. A first reader gets them from the creation of
    /// this stream on, a further one from this call on.
    public var numbered: AsyncStream<Numbered<Event>> { first.take() ?? hub.subscribe(limit: buffer.limit) }

    /// Takes the subscription that the stream began with, or subscribes anew after the first time.
    public func makeAsyncIterator() -> Iterator { Iterator(base: numbered.makeAsyncIterator()) }

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
