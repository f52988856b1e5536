import DescantCore
import Testing

struct EventCountTests {
    @Test func raiseBeforeTheWaitIsNotLost() {
        let count = EventCount()
        let seen = count.raises
        count.raise()
        #expect(count.raises == seen + 1)
        #expect(count.wait(after: seen))
        #expect(count.wait(after: seen, limit: 0))
    }

    @Test(arguments: [0, -1, .nan, -.infinity, 0.01])
    func waitEndsAtTheLimit(_ seconds: Double) {
        let count = EventCount()
        count.raise()
        #expect(!count.wait(after: count.raises, limit: seconds))
    }

    @Test(arguments: [1e300, .infinity, .greatestFiniteMagnitude])
    func limitsAreClampedTo34Years(_ seconds: Double) {
        let earliest = EventCount.deadline(in: Double(1 << 30))
        let deadline = EventCount.deadline(in: seconds)
        #expect(deadline >= earliest)
        #expect(deadline <= EventCount.deadline(in: Double(1 << 30)))
    }

    @Test func raiseWakesEveryWaitingThread() async {
        let (start, end) = (EventCount(), EventCount())
        let threads = (0..<4).map { _ in
            let woken = Promise<Bool>()
            DedicatedQueue.run("test") {
                let seen = end.raises
                start.raise()
                woken.resolve(end.wait(after: seen, limit: 60))
            }
            return woken
        }
        for raises in 0..<UInt64(threads.count) { while start.raises == raises { start.wait(after: raises) } }
        end.raise()
        for woken in threads { #expect(await woken.value) }
    }
}
