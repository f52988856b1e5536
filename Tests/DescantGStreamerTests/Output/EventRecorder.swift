import DescantCore
import DescantMixing
import Synchronization

/// Keeps what an output reports, and lets a test wait for an event.
final class EventRecorder: Sendable {
    private let hub = EventHub<OutputEvent>()
    private let recorded = Mutex<[OutputEvent]>([])

    var all: [OutputEvent] { recorded.withLock { $0 } }

    func receive(_ item: OutputEvent) {
        recorded.withLock { $0.append(item) }
        hub.post(item)
    }

    var stream: AsyncStream<Numbered<OutputEvent>> { hub.stream(buffer: .bounded(10_000)).numbered }

    var lossCount: Int {
        all.filter { if case .lost = $0 { true } else { false } }.count
    }
}

/// Waits for the first event that a closure accepts, with a generous limit.
func first<Value: Sendable>(
    in stream: AsyncStream<Numbered<OutputEvent>>, limit seconds: Double = 30,
    where take: @escaping @Sendable (OutputEvent) -> Value?
) async throws -> Value {
    try await withThrowingTaskGroup(of: Value?.self) { group in
        group.addTask {
            for await item in stream { if let value = take(item.event) { return value } }
            return nil
        }
        group.addTask {
            try await MonotonicClock().sleep(until: MonotonicClock().now() + UInt64(seconds * 1e9))
            return nil
        }
        defer { group.cancelAll() }
        guard let value = try await group.next() ?? nil else {
            throw CoreError.ioError("the awaited event did not come within \(seconds) s")
        }
        return value
    }
}
