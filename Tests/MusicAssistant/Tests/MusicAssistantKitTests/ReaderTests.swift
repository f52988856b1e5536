import Foundation
internal import Synchronization
import Testing

@testable import MusicAssistantKit

/// Readers that end while something is sent to them.
@Suite(.timeLimit(.minutes(10))) struct ReaderTests {
    private struct Counted: MissCounting {
        var missed = 0
    }

    @Test func aReaderEndsWhileItsSenderHoldsTheLock() {
        let readers = Mutex(Readers<Int>())
        let (stays, ends) = readers.withLock { ($0.add(1), $0.add(2)) }
        let hasEnded = DispatchSemaphore(value: 0)
        readers.withLock { readers in
            Thread.detachNewThread {
                ends()
                hasEnded.signal()
            }
            #expect(hasEnded.wait(timeout: .now() + 60) == .success)
            var seen: [Int] = []
            readers.forEach { seen.append($0) }
            #expect(seen == [1])
        }
        stays()
        #expect(readers.withLock { $0.count } == 0)
    }

    /// Cancels many readers while another thread sends: a thread, because a task that never suspends would block others.
    private func cancelReaders<Sequence: AsyncSequence & Sendable>(
        of sequence: @Sendable () -> Sequence, while send: @escaping @Sendable (Int) -> Void
    ) async where Sequence.Failure == Never {
        await withTaskGroup(of: Void.self) { group in
            let state = Over()
            group.addTask {
                await withCheckedContinuation { continuation in
                    Thread.detachNewThread {
                        var number = 0
                        while !state.isOver.load(ordering: .relaxed) {
                            number += 1
                            send(number)
                        }
                        continuation.resume()
                    }
                }
            }
            for _ in 0..<2_000 {
                let read = sequence()
                let (begun, begin) = AsyncStream<Void>.makeStream()
                let reader = Task.detached {
                    for await _ in read { begin.finish() }
                }
                // It waits for the next event, or is given one, when it is cancelled.
                for await _ in begun {}
                reader.cancel()
                await reader.value
            }
            state.isOver.store(true, ordering: .relaxed)
        }
    }

    private final class Over: Sendable { let isOver = Atomic(false) }

    @Test func readersOfEventsAreCancelledBetweenEvents() async {
        let hub = EventHub<Counted>(limit: 1)
        await cancelReaders(of: { hub.subscribe() }, while: { _ in hub.post(Counted()) })
        #expect(hub.subscriberCount == 0)
    }

    @Test func readersOfValuesAreCancelledBetweenChanges() async {
        let players = LiveCollection<MusicAssistantPlayer>()
        await cancelReaders(of: { players.snapshots }, while: { _ in players.lose() })
    }
}
