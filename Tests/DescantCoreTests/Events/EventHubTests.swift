import DescantCore
import Foundation
import Synchronization
import Testing

@Suite struct EventHubTests {
    @Test func everySubscriberGetsEveryEvent() async {
        let hub = EventHub<Int>()
        let streams = (0..<5).map { _ in hub.stream().numbered }
        #expect(hub.subscriberCount == 5)
        for event in 1...50 { hub.post(event) }
        hub.finish()
        for stream in streams {
            var events: [Numbered<Int>] = []
            for await event in stream { events.append(event) }
            #expect(events.map(\.event) == Array(1...50))
            #expect(events.map(\.number) == Array(1...50))
            #expect(events.allSatisfy { !$0.isSnapshot })
        }
    }

    @Test("cancelling readers while events are posted does not deadlock")
    func cancellationDuringPosts() async {
        let hub = EventHub<Int>(initial: 0)
        // A separate thread, because a task that never suspends would block others.
        let isOver = Flag()
        let ended = hub.stream(buffer: .newest)
        Thread.detachNewThread {
            var event = 0
            while !isOver.value {
                event += 1
                hub.post(event)
            }
            hub.finish()
        }
        for _ in 0..<2000 {
            let stream = hub.stream(buffer: .newest)
            let reader = Task.detached { for await _ in stream {} }
            await Task.yield()
            reader.cancel()
            await reader.value
        }
        isOver.raise()
        for await _ in ended {}
        #expect(hub.subscriberCount == 0)
    }

    @Test func slowReaderLosesOldestEventsAndSeesTheirNumber() async {
        let hub = EventHub<Int>()
        let slow = hub.stream(buffer: .bounded(8)).numbered
        let patient = hub.stream(buffer: .bounded(2000)).numbered
        for event in 1...1000 { hub.post(event) }
        hub.finish()
        var seen: [UInt64] = []
        for await event in slow { seen.append(event.number) }
        #expect(seen == Array(993...1000))
        var count = 0
        for await _ in patient { count += 1 }
        #expect(count == 1000)
    }

    @Test func stateStreamBeginsWithTheCurrentState() async {
        let hub = EventHub(initial: "idle")
        hub.post("loading")
        hub.post("playing")
        #expect(hub.snapshot == "playing")
        var reader = hub.stream(buffer: .newest).numbered.makeAsyncIterator()
        let first = await reader.next()
        #expect(first?.event == "playing")
        #expect(first?.isSnapshot == true)
        #expect(first?.number == 2)
        hub.post("paused")
        hub.post("stopped")
        let second = await reader.next()
        #expect(second?.event == "stopped")
        #expect(second?.number == 4)
    }

    @Test func everyLoopIsASeparateSubscription() async {
        let hub = EventHub<Int>()
        let stream = hub.stream()
        var one = stream.makeAsyncIterator()
        hub.post(1)
        var two = stream.makeAsyncIterator()
        hub.post(2)
        #expect(await one.next() == 1)
        #expect(await one.next() == 2)
        #expect(await two.next() == 2)
    }

    @Test func streamsBeginWhenTheyAreMade() async {
        let hub = EventHub<Int>()
        let stream = hub.stream()
        let numbered = hub.stream()
        #expect(hub.subscriberCount == 2)
        hub.post(1)
        hub.post(2)
        var reader = stream.makeAsyncIterator()
        #expect(await reader.next() == 1)
        #expect(await reader.next() == 2)
        var numbers = numbered.numbered.makeAsyncIterator()
        #expect(await numbers.next()?.number == 1)
        // A second loop begins with the loop.
        var late = stream.makeAsyncIterator()
        hub.post(3)
        #expect(await late.next() == 3)
    }

    @Test func streamsThatNobodyReadsAreForgotten() {
        let hub = EventHub<Int>()
        do {
            let stream = hub.stream(buffer: .newest)
            hub.post(1)
            withExtendedLifetime(stream) { #expect(hub.subscriberCount == 1) }
        }
        #expect(hub.subscriberCount == 0)
    }

    @Test func finishingEndsPresentAndFutureSubscriptions() async {
        let hub = EventHub(initial: 7)
        var early = hub.stream().makeAsyncIterator()
        hub.finish()
        hub.post(8)
        #expect(await early.next() == 7)
        #expect(await early.next() == nil)
        var late = hub.stream().makeAsyncIterator()
        #expect(await late.next() == 7)
        #expect(await late.next() == nil)
        #expect(hub.subscriberCount == 0)
    }

    @Test func releasedHubEndsItsStreams() async {
        var hub: EventHub<Int>? = EventHub()
        let stream = hub?.stream().numbered
        hub?.post(3)
        hub = nil
        var events: [Int] = []
        if let stream { for await event in stream { events.append(event.event) } }
        #expect(events == [3])
    }

    @Test func cancellingTheReaderUnsubscribes() async {
        let hub = EventHub<Int>()
        let reader = Task {
            for await _ in hub.stream() {}
        }
        while hub.subscriberCount == 0 { await Task.yield() }
        reader.cancel()
        await reader.value
        #expect(hub.subscriberCount == 0)
    }

    @Test func postingFromManyThreadsKeepsTheNumbersInOrder() async {
        let hub = EventHub<Int>()
        let stream = hub.stream(buffer: .bounded(10_000)).numbered
        DispatchQueue.concurrentPerform(iterations: 8) { thread in
            for event in 0..<1000 { hub.post(thread * 1000 + event) }
        }
        hub.finish()
        var numbers: [UInt64] = []
        var events: Set<Int> = []
        for await event in stream {
            numbers.append(event.number)
            events.insert(event.event)
        }
        #expect(numbers == Array(1...8000))
        #expect(events.count == 8000)
    }
}

/// A flag that any thread can set once.
private final class Flag: Sendable {
    private let flag = Atomic(false)
    var value: Bool { flag.load(ordering: .acquiring) }
    func raise() { flag.store(true, ordering: .releasing) }
}
