import DescantCore
import Synchronization

/// Records the events of a session; a test can wait for them.
final class SessionRecorder: Sendable {
    private let recorded = EventHub<[AudioSessionEvent]>(initial: [])
    private let reader: Task<Void, Never>

    /// Begins to record.
    init(_ session: any AudioSessionPort) {
        let events = session.sessionEvents.numbered
        reader = Task { [recorded] in
            for await item in events { recorded.post((recorded.snapshot ?? []) + [item.event]) }
        }
    }

    deinit { reader.cancel() }

    /// All events so far.
    var all: [AudioSessionEvent] { recorded.snapshot ?? [] }

    /// Waits until the recorded events meet a condition, with a generous time limit.
    @discardableResult
    func wait(
        limit seconds: Double = 30, until isEnough: @escaping @Sendable ([AudioSessionEvent]) -> Bool
    ) async throws -> [AudioSessionEvent] {
        let events = recorded.stream(buffer: .newest)
        return try await withThrowingTaskGroup(of: [AudioSessionEvent]?.self) { group in
            group.addTask {
                for await all in events where isEnough(all) { return all }
                return nil
            }
            group.addTask {
                try await MonotonicClock().sleep(until: MonotonicClock().now() + UInt64(seconds * 1e9))
                return nil
            }
            defer { group.cancelAll() }
            guard let all = try await group.next() ?? nil else {
                throw CoreError.ioError("awaited events did not come within \(seconds) s; there were \(self.all)")
            }
            return all
        }
    }

    /// Waits for one event.
    func wait(for event: AudioSessionEvent) async throws { try await wait { $0.contains(event) } }
}
