import DescantCore
import Dispatch
import Synchronization
import Testing

@Suite struct SpeechFeedTests {
    private static func chunk(_ number: Int) -> SpeechChunk { SpeechChunk(samples: [Float(number)], sampleRate: 8_000) }

    @Test func everyChunkArrivesInOrderWithASmallCapacity() async throws {
        let (stream, feed) = SpeechFeed.make(capacity: 2)
        DispatchQueue.global().async {
            for number in 0..<1_000 where !feed.send(Self.chunk(number)) { return }
            feed.finish(throwing: CoreError.ioError("the end"))
        }
        var numbers: [Int] = []
        await #expect(throws: CoreError.ioError("the end")) {
            for try await chunk in stream { numbers.append(Int(chunk.samples[0])) }
        }
        #expect(numbers == Array(0..<1_000))
    }

    /// The stream is dropped unread, left after one chunk, cancelled, and finished by another task.
    @Test(arguments: [0, 1, 2, 3])
    func cancelledReaderStopsTheSender(way: Int) async throws {
        let cancelled = Mutex(0)
        let stopped = DispatchSemaphore(value: 0)
        let workers = SpeechWorkers(name: "test", limit: 1)
        do {
            let made = SpeechFeed.make(capacity: 1, onCancel: { cancelled.withLock { $0 += 1 } })
            let feed = made.feed
            DispatchQueue.global().async {
                var number = 0
                while feed.send(Self.chunk(number)) { number += 1 }
                // An engine may call back once more.
                for _ in 0..<3 where feed.send(Self.chunk(number)) { return }
                stopped.signal()
            }
            switch way {
            case 0: break
            case 1: for try await _ in made.stream { break }
            case 2:
                let stream = made.stream
                let listening = Task { for try await _ in stream {} }
                listening.cancel()
                _ = await listening.result
            default: feed.finish()
            }
        }
        let hasStopped = try await workers.call { stopped.wait(timeout: .now() + 60) == .success }
        #expect(hasStopped)
        #expect(cancelled.withLock { $0 } == (way == 3 ? 0 : 1))
    }

    @Test func requestsBeyondTheLimitWaitAndEndAtShutdown() async throws {
        let workers = SpeechWorkers(name: "test", limit: 2)
        let running = Mutex((now: 0, most: 0))
        let streams = (0..<20).map { number in
            workers.speak { feed in
                running.withLock { $0 = ($0.now + 1, max($0.most, $0.now + 1)) }
                defer { running.withLock { $0.now -= 1 } }
                for _ in 0..<20 where !feed.send(Self.chunk(number)) { return }
            }
        }
        let counts = try await withThrowingTaskGroup(of: Int.self) { group in
            for stream in streams { group.addTask { try await stream.reduce(into: 0) { count, _ in count += 1 } } }
            return try await group.reduce(into: [Int]()) { $0.append($1) }
        }
        #expect(counts == Array(repeating: 20, count: 20))
        #expect(running.withLock { $0.most } <= 2)

        let endless = workers.speak { feed in while feed.send(Self.chunk(0)) {} }
        let waiting = [workers.speak { _ in }, workers.speak { feed in while feed.send(Self.chunk(0)) {} }]
        await workers.shutdown()
        for stream in [endless] + waiting + [workers.speak { _ in }] {
            do { for try await _ in stream {} } catch { #expect((error as? CoreError)?.code == "invalidState") }
        }
        await #expect(throws: CoreError.self) { try await workers.call {} }
    }
}
