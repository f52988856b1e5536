import DescantCore
import Synchronization
import Testing

struct AsyncSemaphoreTests {
    /// The numbers of the operations that have started.
    private final class Starts: Sendable {
        private let numbers = Mutex<[Int]>([])
        var started: [Int] { numbers.withLock { $0 } }

        func acquire(_ number: Int, _ semaphore: AsyncSemaphore) {
            semaphore.acquire { [self] in numbers.withLock { $0.append(number) } }
        }
    }

    @Test func operationsBeyondTheLimitWaitInTheOrderOfArrival() {
        let semaphore = AsyncSemaphore(limit: 2)
        let starts = Starts()
        for number in 0..<5 { starts.acquire(number, semaphore) }
        #expect(starts.started == [0, 1])
        semaphore.release()
        #expect(starts.started == [0, 1, 2])
        semaphore.release()
        semaphore.release()
        #expect(starts.started == [0, 1, 2, 3, 4])
    }

    @Test func releaseWithoutWaitersAddsAPermit() {
        let semaphore = AsyncSemaphore(limit: 1)
        let starts = Starts()
        for number in 0..<3 {
            starts.acquire(number, semaphore)
            #expect(starts.started.count == number + 1)
            semaphore.release()
        }
        starts.acquire(3, semaphore)
        starts.acquire(4, semaphore)
        #expect(starts.started == [0, 1, 2, 3])
    }

    @Test func operationMayReleaseDuringItsStart() {
        let semaphore = AsyncSemaphore(limit: 1)
        let total = Mutex(0)
        for _ in 0..<10 {
            semaphore.acquire {
                total.withLock { $0 += 1 }
                semaphore.release()
            }
        }
        #expect(total.withLock { $0 } == 10)
    }

    /// Operations that were cancelled end as soon as they start.
    @Test func operationsThatEndAtOnceDoNotNest() {
        let semaphore = AsyncSemaphore(limit: 1)
        let ended = Mutex(0)
        semaphore.acquire {}
        for _ in 0..<200_000 {
            semaphore.acquire {
                ended.withLock { $0 += 1 }
                semaphore.release()
            }
        }
        semaphore.release()
        #expect(ended.withLock { $0 } == 200_000)
        let starts = Starts()
        starts.acquire(1, semaphore)
        #expect(starts.started == [1])
    }
}
