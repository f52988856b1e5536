import DescantCore
import Dispatch
import Testing

/// The threads of synthesizers that block.
@Suite struct SpeechWorkersTests {
    /// Tasks would otherwise wait for threads that wait for tasks.
    @Test func requestsThatWaitLeaveTasksTheirThreads() async throws {
        let count = 100
        let workers = SpeechWorkers(name: "waiting", limit: count)
        let gate = DispatchSemaphore(value: 0)
        let streams = (0..<count).map { _ in
            workers.speak { feed in
                // In vain if the tasks below wait for the threads that wait here.
                guard gate.wait(timeout: .now() + 20) == .success else { return }
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
}
