internal import Synchronization

/// The players or queues of a server, kept current by its events.
///
/// After a connection was lost, the last known values stay and ``Snapshot/isCurrent`` is false until they are fetched
/// again.
public final class LiveCollection<Element: JSONModel & Identifiable>: Sendable where Element.ID == String {
    /// All values at one time.
    public struct Snapshot: Sendable {
        /// The values by id.
        public fileprivate(set) var values: [String: Element] = [:]
        /// Whether the values are up to date with the server's events.
        public fileprivate(set) var isCurrent = false

        /// The values, sorted by id.
        public var sorted: [Element] { values.values.sorted { $0.id < $1.id } }
    }

    private struct State {
        var snapshot = Snapshot()
        var readers = Readers<AsyncStream<Snapshot>.Continuation>()
    }

    private let state = Mutex(State())

    init() {}

    deinit { finish() }

    /// All current values.
    public var snapshot: Snapshot { state.withLock { $0.snapshot } }

    /// The current values, sorted by id.
    public var all: [Element] { snapshot.sorted }

    /// The current value with an id; nil when the server has none.
    ///
    /// - Parameter id: The id of a player or queue.
    public subscript(id: String) -> Element? { state.withLock { $0.snapshot.values[id] } }

    /// The current values, then every change; a slow reader gets only the newest.
    ///
    /// The sequence ends with ``MusicAssistantClient/disconnect()``, when the client gives up, and when it is released.
    public var snapshots: AsyncStream<Snapshot> {
        let (stream, continuation) = AsyncStream.makeStream(of: Snapshot.self, bufferingPolicy: .bufferingNewest(1))
        let end = state.withLock { state in
            continuation.yield(state.snapshot)
            return state.readers.add(continuation)
        }
        continuation.onTermination = { _ in end() }
        return stream
    }

    // MARK: For the client

    private func change(_ body: (inout Snapshot) -> Void) {
        state.withLock { state in
            body(&state.snapshot)
            let snapshot = state.snapshot
            state.readers.forEach { $0.yield(snapshot) }
        }
    }

    func replace(with values: [Element]) {
        change { snapshot in
            snapshot.values = Dictionary(values.map { ($0.id, $0) }) { _, last in last }
            snapshot.isCurrent = true
        }
    }

    func set(_ value: Element) { change { $0.values[value.id] = value } }

    func remove(_ id: String) { change { $0.values[id] = nil } }

    func update(_ id: String, _ body: (Element) -> Element) {
        change { snapshot in snapshot.values[id] = snapshot.values[id].map(body) }
    }

    func lose() {
        change { $0.isCurrent = false }
    }

    func finish() {
        for continuation in state.withLock({ $0.readers.takeAll() }) { continuation.finish() }
    }
}
