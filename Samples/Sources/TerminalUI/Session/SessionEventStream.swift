internal import Synchronization

/// What happens, in order. A tick is queued only while no other one waits, so that they never push out signals and keys while the
/// reader is busy.
public struct SessionEventStream: AsyncSequence, Sendable {
    /// What happened.
    public typealias Element = SessionEvent
    /// Nothing: the session's end is the stream's.
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

    /// So many keys and signals wait; of more the oldest go.
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

    /// Ends the stream behind what waits.
    func finish() { continuation.finish() }
}

/// Whether a tick waits to be read.
private final class WaitingTick: Sendable {
    private let isWaiting = Atomic(false)

    /// Takes the place of the one that waits; says whether it was free.
    func enter() -> Bool { !isWaiting.exchange(true, ordering: .acquiringAndReleasing) }

    func leave() { isWaiting.store(false, ordering: .releasing) }
}
