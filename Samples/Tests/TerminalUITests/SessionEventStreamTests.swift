import Testing

@testable import TerminalUI

/// The queue of events while the program is busy.
struct SessionEventStreamTests {
    @Test func ticksDoNotDisplaceOtherEvents() async {
        let stream = SessionEventStream()
        stream.post(.interrupted(2))
        for _ in 0..<10_000 { stream.post(.tick) }
        stream.post(.key(.character("q")))
        for _ in 0..<10_000 { stream.post(.tick) }
        stream.finish()
        var events: [SessionEvent] = []
        for await event in stream { events.append(event) }
        #expect(events == [.interrupted(2), .tick, .key(.character("q"))])
    }

    @Test func tickIsQueuedAgainAfterItWasRead() async {
        let stream = SessionEventStream()
        var events = stream.makeAsyncIterator()
        for _ in 0..<3 {
            stream.post(.tick)
            #expect(await events.next() == .tick)
        }
        // Enough keys to displace the tick.
        stream.post(.tick)
        for _ in 0..<10_000 { stream.post(.resized) }
        stream.post(.tick)
        stream.finish()
        var last: SessionEvent?
        while let event = await events.next() { last = event }
        #expect(last == .tick)
    }
}
