import DescantCore
import Dispatch
import Synchronization
import Testing

/// The threads of blocking synthesizers.
@Suite struct SpeechWorkersTests {
    /// Otherwise tasks would wait for threads that wait for tasks.
    @Test func waitingRequestsDoNotBlockTaskThreads() async throws {
        let count = 100
        let workers = SpeechWorkers(name: "waiting", limit: count)
        let gate = DispatchSemaphore(value: 0)
        let streams = (0..<count).map { _ in
            workers.speak { feed in
                // Does not return if the tasks below wait for the threads that wait here.
                guard gate.wait(timeout: .now() + 120) == .success else { return }
                _ = feed.send(SpeechChunk(samples: [0.5], sampleRate: 8_000))
            }
        }
        await withTaskGroup(of: Void.self) { group in
            for _ in 0..<count { group.addTask { await Task.yield() } }
        }
        for _ in 0..<count { gate.signal() }
        var chunks = 0
        for stream in streams { for try await _ in stream { chunks += 1 } }
        #expect(chunks == count)
        await workers.shutdown()
    }

    /// A host that prepares several voices must not create their processes and models at the same time.
    @Test func callsRunOneAfterAnother() async throws {
        let workers = SpeechWorkers(name: "calling", limit: 4)
        let count = CallCount()
        try await withThrowingTaskGroup(of: Void.self) { group in
            for _ in 0..<50 {
                group.addTask {
                    try await workers.call {
                        count.enter()
                        count.leave()
                    }
                }
            }
            try await group.waitForAll()
        }
        #expect(count.most == 1)
        await workers.shutdown()
        await #expect(throws: CoreError.self) { try await workers.call {} }
    }

    /// The number of concurrent calls.
    private final class CallCount: Sendable {
        private let running = Mutex((now: 0, most: 0))

        var most: Int { running.withLock(\.most) }

        func enter() {
            running.withLock { running in
                running.now += 1
                running.most = max(running.most, running.now)
            }
        }

        func leave() { running.withLock { $0.now -= 1 } }
    }
}
