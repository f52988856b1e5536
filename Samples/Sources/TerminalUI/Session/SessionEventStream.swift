internal import Synchronization

/// A key, a signal or a tick.
public enum SessionEvent: Sendable, Equatable {
    /// A key was pressed.
    case key(Key)
    /// The terminal has another size.
    case resized
    /// The time to check for changes.
    case tick
    /// A signal asks the program to end.
    case interrupted(Int32)
    /// SIGTSTP asked the process to stop. While the view is shown, Ctrl-Z is a key instead.
    case suspended
    /// The terminal's input was closed.
    case inputClosed
}

/// Events in their order. At most one tick is queued, so that ticks do not displace signals and keys while the reader is
/// busy.
public struct SessionEventStream: AsyncSequence, Sendable {
    /// An event.
    public typealias Element = SessionEvent
    /// The stream never throws.
    public typealias Failure = Never

    /// Reads the events; one reader.
    public struct Iterator: AsyncIteratorProtocol {
        fileprivate var base: AsyncStream<SessionEvent>.Iterator
        fileprivate let ticks: WaitingTick

        /// The next event; `nil` at the end.
        ///
        /// - Parameter actor: Where the reader runs.
        public mutating func next(isolation actor: isolated (any Actor)?) async -> SessionEvent? {
            let event = await base.next(isolation: actor)
            if event == .tick { ticks.leave() }
            return event
        }
    }

    /// The maximum number of queued events; then the oldest are dropped.
    private static let limit = 4096

    private let base: AsyncStream<SessionEvent>
    private let continuation: AsyncStream<SessionEvent>.Continuation
    private let ticks = WaitingTick()

    /// Creates an empty stream.
    init() { (base, continuation) = AsyncStream.makeStream(bufferingPolicy: .bufferingNewest(Self.limit)) }

    /// Reads the events.
    public func makeAsyncIterator() -> Iterator { Iterator(base: base.makeAsyncIterator(), ticks: ticks) }

    /// Queues an event; any thread.
    func post(_ event: SessionEvent) {
        if event == .tick, !ticks.enter() { return }
        if case .dropped(.tick) = continuation.yield(event) { ticks.leave() }
    }

    /// Ends the stream after the queued events.
    func finish() { continuation.finish() }
}

/// Whether a tick is queued.
private final class WaitingTick: Sendable {
    private let isWaiting = Atomic(false)

    /// Marks a tick as queued; returns whether none was queued before.
    func enter() -> Bool { !isWaiting.exchange(true, ordering: .acquiringAndReleasing) }

    func leave() { isWaiting.store(false, ordering: .releasing) }
}
