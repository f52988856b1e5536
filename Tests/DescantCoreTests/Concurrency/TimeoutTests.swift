import Dispatch
import Testing

@testable import DescantCore

@Suite(.timeLimit(.minutes(1))) struct TimeoutTests {
    private struct Failure: Error, Equatable {}

    /// Resolves a promise when nobody refers to it any more.
    private final class Token: Sendable {
        private let released: Promise<Bool>

        init(_ released: Promise<Bool>) { self.released = released }

        deinit { released.resolve(true) }
    }

    /// A result is not kept until its limit.
    @Test func resultIsReleasedBeforeTheLimit() async throws {
        let (first, second) = (Promise<Bool>(), Promise<Bool>())
        _ = try await withTimeout(3_600) { Token(first) }
        #expect(await first.value(within: 50) == true)
        _ = try await withTimeout(3_600, on: "test") { Token(second) }
        #expect(await second.value(within: 50) == true)
    }

    // MARK: Asynchronous operations

    @Test func resultWithinTheLimitIsReturned() async throws {
        let late = Promise<Int>()
        #expect(try await withTimeout(3_600, late: { late.resolve($0) }) { 1 } == 1)
        #expect(late.present == nil)
    }

    @Test func errorIsRethrown() async {
        await #expect(throws: Failure()) { try await withTimeout(3_600) { throw Failure() } }
    }

    @Test func lateResultIsDelivered() async {
        let (gate, late) = (Promise<Int>(), Promise<Int>())
        let error = await #expect(throws: TimeoutError.self) {
            _ = try await withTimeout(0.01, late: { late.resolve($0) }) { await gate.value }
        }
        #expect(error?.seconds == 0.01)
        #expect(late.present == nil)
        gate.resolve(5)
        #expect(await late.value(within: 60) == 5)
    }

    // MARK: Blocking calls that a task awaits

    @Test func blockingCallReturnsOrThrows() async throws {
        #expect(try await withTimeout(3_600, on: "test") { 1 } == 1)
        await #expect(throws: Failure()) { try await withTimeout(3_600, on: "test") { throw Failure() } }
    }

    @Test func hangingCallIsAbandonedAtTheLimit() async {
        let gate = DispatchSemaphore(value: 0)
        defer { gate.signal() }
        let error = await #expect(throws: TimeoutError.self) { try await withTimeout(0.01, on: "test") { gate.wait() } }
        #expect(error?.seconds == 0.01)
    }

    // MARK: Blocking calls that a thread waits for

    private let queue = DispatchQueue(label: "test")

    @Test func threadReceivesResultOrError() throws {
        #expect(try blockingWithTimeout(3_600, on: queue) { 1 } == 1)
        #expect(throws: Failure()) { try blockingWithTimeout(3_600, on: queue) { throw Failure() } }
    }

    @Test func threadContinuesAtTheLimitAndLateResultIsDelivered() async {
        let gate = DispatchSemaphore(value: 0)
        let late = Promise<Int>()
        let error = #expect(throws: TimeoutError.self) {
            _ = try blockingWithTimeout(0.01, on: queue, late: { late.resolve($0) }) {
                gate.wait()
                return 5
            }
        }
        #expect(error?.seconds == 0.01)
        #expect(late.present == nil)
        gate.signal()
        #expect(await late.value(within: 60) == 5)
    }
}
