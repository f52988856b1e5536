import DescantCore
import Dispatch
import Synchronization
import Testing

/// Threads while the shared ones are all blocked, as by synthesizers that wait for their listeners.
struct DedicatedQueueTests {
    @Test func nothingWaitsForThreadsThatAreShared() async {
        let isOver = DispatchSemaphore(value: 0)
        // Not those of the default class, which this test's task runs on as well.
        let blocked = 16
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
