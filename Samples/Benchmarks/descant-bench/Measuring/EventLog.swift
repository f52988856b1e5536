internal import Descant
internal import Synchronization

/// Waits for the next event of the engine's main layer.
final class EventLog: Sendable {
    private let events = Mutex<[MixEvent]>([])
    private let task: Mutex<Task<Void, Never>?> = Mutex(nil)

    /// Subscribes at once.
    init(_ engine: any MixingEngine) {
        let stream = engine.mixEvents.buffered(.bounded(4096)).numbered
        let main = engine.mainLayer
        let reading = Task { [weak self] in
            for await event in stream where event.event.layer == main {
                self?.events.withLock { $0.append(event.event) }
            }
        }
        task.withLock { $0 = reading }
    }

    deinit { task.withLock { $0?.cancel() } }

    /// Removes the recorded events.
    func clear() { events.withLock { $0 = [] } }

    /// The frame of the first event of a kind since the last ``clear()``.
    ///
    /// - Throws: ``BenchError`` when no such event arrives within 10 s.
    func frame(where matches: @Sendable (MixEvent.Kind) -> Bool) async throws -> Int64 {
        let limit = ContinuousClock.now + .seconds(10)
        while ContinuousClock.now < limit {
            if let event = events.withLock({ $0.first { matches($0.kind) } }) { return event.frame }
            try await Task.sleep(for: .milliseconds(1))
        }
        throw BenchError.failed("nothing sounded within 10 s")
    }
}
