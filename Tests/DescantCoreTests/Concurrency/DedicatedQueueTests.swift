import DescantCore
import Dispatch
import Synchronization
import Testing

/// Dedicated threads while all shared threads are blocked, for example by synthesizers that wait for their readers.
struct DedicatedQueueTests {
    @Test func dedicatedQueueRunsWhileSharedThreadsAreBlocked() async {
        let isOver = DispatchSemaphore(value: 0)
        // Not the threads of the default class, on which this test's task runs.
        let blocked = 64
        for _ in 0..<blocked { DispatchQueue.global(qos: .userInitiated).async { isOver.wait() } }
        let sharedHasRun = Mutex(false)
        DispatchQueue.global(qos: .userInitiated).async { sharedHasRun.withLock { $0 = true } }
        let (atOnce, later) = (Promise<Bool>(), Promise<Bool>())
        DedicatedQueue.run("test") { atOnce.resolve(sharedHasRun.withLock { $0 }) }
        DedicatedQueue.run(after: 0.01) { later.resolve(sharedHasRun.withLock { $0 }) }
        // The shared pool of this class grows by one thread a second; the last of its work runs after many.
        #expect(await atOnce.value(within: 60) == false)
        #expect(await later.value(within: 60) == false)
        for _ in 0..<blocked { isOver.signal() }
    }
}
