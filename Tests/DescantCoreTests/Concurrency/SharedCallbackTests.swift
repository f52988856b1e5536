import DescantCore
import DescantTestSupport
import Synchronization
import Testing

struct SharedCallbackTests {
    @Test func theLastOneIsCalled() {
        let callback = SharedCallback<Int>()
        let told = Mutex<[Int]>([])
        callback(1)
        callback.set { number in told.withLock { $0.append(number) } }
        callback(2)
        callback.set { number in told.withLock { $0.append(-number) } }
        callback(3)
        callback.set(nil)
        callback(4)
        #expect(told.withLock { $0 } == [2, -3])
    }

    /// With a `Mutex` of the closure each call went 96 bytes deeper into the stack; after days of playing it overflowed.
    @Test func everyCallGoesAsDeepIntoTheStack() {
        let depths = StackDepths()
        let callback = SharedCallback<Int>()
        callback.set { _ in depths.note() }
        for number in 0..<1_000 { callback(number) }
        #expect(depths.count == 1_000)
        #expect(depths.growth < 1_000)
    }
}
