internal import Synchronization

/// Records events, so that a test can wait for some of them and look at all of them afterwards.
///
/// A condition is checked after every single event, so a state that lasts only a moment is found as well.
public final class EventRecorder<Event: Sendable>: Sendable {
    private struct State {
        var events: [Event] = []
        /// Each receives the number of events whenever there is a new one.
        var waits: [AsyncStream<Int>.Continuation] = []
        var reader: Task<Void, Never>?
    }

    private let state = Mutex(State())

    /// Creates a recorder whose events come from ``record(_:)``.
    public init() {}

    /// Records the elements of a stream.
    ///
    /// - Parameter stream: The events. A task reads them, so the stream's buffer must hold those that come at once.
    public convenience init(reading stream: some AsyncSequence<Event, Never> & Sendable) {
        self.init()
        let reader = Task { [weak self] in
            for await event in stream { self?.record(event) }
        }
        state.withLock { $0.reader = reader }
    }

    deinit { state.withLock { $0.reader }?.cancel() }

    /// All events so far.
    public var all: [Event] { state.withLock { $0.events } }

    /// Records an event. Callable from any thread.
    ///
    /// - Parameter event: What happened.
    public func record(_ event: Event) {
        state.withLock { state in
            state.events.append(event)
            let count = state.events.count
            state.waits.removeAll { if case .terminated = $0.yield(count) { true } else { false } }
        }
    }

    /// Waits until the recorded events meet a condition.
    ///
    /// - Parameter isMet: The condition.
    /// - Returns: The events up to the one that met it.
    /// - Throws: As for ``first(_:)``.
    @discardableResult
    public func wait(until isMet: @Sendable ([Event]) -> Bool) async throws -> [Event] {
        try await find { isMet($0) ? $0 : nil }
    }

    /// Waits for an event.
    ///
    /// - Parameter isAwaited: Whether an event is the awaited one.
    /// - Throws: As for ``first(_:)``.
    public func wait(for isAwaited: @Sendable (Event) -> Bool) async throws {
        try await wait(until: { $0.contains(where: isAwaited) })
    }

    /// Waits for the first event from which a closure takes a value.
    ///
    /// - Parameter take: Returns `nil` for other events.
    /// - Returns: The value.
    /// - Throws: `TestSupportError.failed` with all events when none comes within two minutes or before the task is cancelled.
    public func first<Value: Sendable>(_ take: @Sendable (Event) -> Value?) async throws -> Value {
        try await find { $0.compactMap(take).first }
    }

    private func find<Value: Sendable>(in take: @Sendable ([Event]) -> Value?) async throws -> Value {
        let (counts, feed) = AsyncStream<Int>.makeStream()
        state.withLock { state in
            feed.yield(state.events.count)
            state.waits.append(feed)
        }
        // Not every suite has a time limit.
        let limit = Task {
            try await Task.sleep(for: .seconds(120))
            feed.finish()
        }
        defer { limit.cancel() }
        for await count in counts {
            if let value = take(Array(all.prefix(count))) { return value }
        }
        throw TestSupportError.failed("what was awaited never came; there were \(all)")
    }
}
