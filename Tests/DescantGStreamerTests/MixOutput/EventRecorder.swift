import DescantCore
import DescantMixing
import Synchronization

/// Records the events of an output, and lets a test wait for one.
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

/// Collects the blocks of a callback output.
final class CollectedMix: Sendable {
    private struct State {
        var samples: [Float] = []
        var channels = 1
        var isContiguous = true
    }

    private let state = Mutex(State())
    private let hub = EventHub<Int>(initial: 0)

    var samples: [Float] { state.withLock { $0.samples } }
    var frameCount: Int { state.withLock { $0.samples.count / $0.channels } }
    /// Whether every block began where the one before it ended.
    var isContiguous: Bool { state.withLock { $0.isContiguous } }

    func receive(_ block: PCMBlock) {
        let frames = state.withLock { state in
            state.channels = block.format.channels
            if block.frame != Int64(state.samples.count / state.channels) { state.isContiguous = false }
            state.samples += block.samples
            return state.samples.count / state.channels
        }
        hub.post(frames)
    }

    /// Waits until a number of frames has arrived.
    func wait(frames: Int) async throws {
        for await count in hub.stream(buffer: .newest) where count >= frames { return }
    }
}
