import DescantCore
import Testing

struct AsyncSerialQueueTests {
    private struct Failure: Error, Equatable {
        let number: Int
    }

    @MainActor @Test func operationsRunInTheOrderOfArrival() async {
        let queue = AsyncSerialQueue()
        let gate = Promise<Void>()
        var (arrivals, runs) = ([Int](), [Int]())
        let tasks = (0..<20).map { number in
            Task { @MainActor in
                // Both run on the main actor, so there is no suspension between arrival and enqueueing.
                arrivals.append(number)
                if arrivals.count == 20 { gate.resolve(()) }
                await queue.run {
                    runs.append(number)
                    await gate.value
                }
            }
        }
        for task in tasks { await task.value }
        #expect(arrivals.count == 20)
        #expect(runs == arrivals)
    }

    @MainActor @Test func idleQueueDoesNotSuspendItsCaller() async {
        let queue = AsyncSerialQueue()
        for _ in 0..<3 {
            var otherHasRun = false
            let other = Task { @MainActor in otherHasRun = true }
            await queue.run { #expect(!otherHasRun) }
            await other.value
        }
    }

    @Test func errorsReachTheCallerAndTheQueueContinues() async {
        let queue = AsyncSerialQueue()
        await #expect(throws: Failure(number: 1)) {
            try await queue.run { () async throws(Failure) in throw Failure(number: 1) }
        }
        #expect(await queue.run { 2 } == 2)
    }

    /// Counts the operations that run at a time.
    private actor Counter {
        private var running = 0
        private(set) var maximum = 0
        private(set) var total = 0

        func begin() {
            running += 1
            total += 1
            maximum = max(maximum, running)
        }
        func end() { running -= 1 }
    }

    @Test func thousandOperationsRunOneAtATime() async {
        let queue = AsyncSerialQueue()
        let counter = Counter()
        await withTaskGroup(of: Void.self) { group in
            for _ in 0..<1_000 {
                group.addTask {
                    await queue.run {
                        await counter.begin()
                        await Task.yield()
                        await counter.end()
                    }
                }
            }
        }
        #expect(await counter.maximum == 1)
        #expect(await counter.total == 1_000)
    }
}
