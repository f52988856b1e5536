import DescantCore
import Synchronization
import Testing

struct PromiseTests {
    @Test func firstValueIsKept() async {
        let promise = Promise<Int>()
        #expect(promise.present == nil)
        #expect(promise.resolve(1))
        #expect(!promise.resolve(2))
        #expect(promise.present == 1)
        #expect(await promise.value == 1)
        #expect(await promise.value(within: 0) == 1)
    }

    @Test func oneOfManyConcurrentValuesIsKept() async {
        let promise = Promise<Int>()
        let winners = await withTaskGroup(of: Int?.self) { group in
            for number in 0..<100 { group.addTask { promise.resolve(number) ? number : nil } }
            return await group.reduce(into: [Int]()) { winners, number in
                if let number { winners.append(number) }
            }
        }
        #expect(winners == [promise.present])
    }

    @Test func handlerIsCalledOnceAndReleased() {
        final class Witness: Sendable {}
        let values = Mutex<[Int]>([])
        weak var witness: Witness?
        let promise: Promise<Int>
        do {
            let held = Witness()
            witness = held
            promise = Promise { value in withExtendedLifetime(held) { values.withLock { $0.append(value) } } }
        }
        #expect(witness != nil)
        promise.resolve(1)
        promise.resolve(2)
        #expect(values.withLock { $0 } == [1])
        #expect(witness == nil)
    }

    @Test func everyWaiterReceivesTheValue() async {
        let promise = Promise<Int>()
        let values = await withTaskGroup(of: Int?.self) { group in
            for _ in 0..<50 {
                group.addTask { await promise.value }
                group.addTask { await promise.value(within: 3_600) }
            }
            group.addTask { promise.resolve(7) ? 7 : nil }
            return await group.reduce(into: [Int?]()) { $0.append($1) }
        }
        #expect(values == Array(repeating: 7, count: 101))
    }

    @Test func limitEndsOnlyItsWait() async {
        let promise = Promise<Int>()
        async let unlimited = promise.value
        #expect(await promise.value(within: 0.01) == nil)
        #expect(promise.resolve(3))
        #expect(await unlimited == 3)
    }
}
