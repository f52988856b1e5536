import DescantCore
import DescantMixing
import DescantTesting
import Dispatch
import Foundation
import Synchronization
import Testing

@testable import DescantGStreamer

/// A source that delivers no more data ends with an error, unless there is a reason to wait.
@Suite struct StarvationTests {
    private let second: UInt64 = 1_000_000_000

    @Test func limitCountsFromTheFirstStarvedRead() {
        var watch = StarvationWatch(limit: 5)
        #expect(watch.deadline == nil)
        for tenth in 0..<50 { #expect(watch.noteStarvedRead(now: 7 * second + UInt64(tenth) * second / 10) == false) }
        #expect(watch.deadline == 12 * second)
        #expect(watch.noteStarvedRead(now: 12 * second) == true)
    }

    @Test func arrivalRestartsTheLimit() {
        var watch = StarvationWatch(limit: 5)
        #expect(watch.noteStarvedRead(now: second) == false)
        watch.reset()
        #expect(watch.deadline == nil)
        #expect(watch.noteStarvedRead(now: 7 * second) == false)
    }

    @Test func pauseOfTheReaderDoesNotCount() {
        var watch = StarvationWatch(limit: 5)
        #expect(watch.noteStarvedRead(now: second) == false)
        #expect(watch.noteStarvedRead(now: 60 * second) == false)
        watch.noteWait(now: 64 * second)
        #expect(watch.noteStarvedRead(now: 65 * second) == true)
    }

    /// A disk that was asleep may take longer than 5 s for its first answer.
    @Test func aFileMayTakeAsLongAsItsOpening() throws {
        try GStreamerRuntime.start()
        let resolved = try ResolvedSource(.data(wave, name: "slow.wav"), access: NetworkAccess())
        let deck = PlaybinDeck(
            name: resolved.name, pipeline: try PlaybinPipeline(resolved, channels: 2), sampleRate: 48_000,
            length: .unknown, extent: nil, isPadded: false, reconnectLimit: 0)
        defer { deck.close() }
        #expect(deck.reading.withLock { $0.starvation.limit } == GStreamerDecks.localTimeLimit)
    }

    private let wave: Data = {
        let signal = TestSignal.noise(seconds: 4, sampleRate: 48_000).samples()
        return WAVFile(signal, encoding: .int16).data()
    }()

    private func deck(_ resolved: ResolvedSource) async throws -> PlaybinDeck {
        let pipeline = try PlaybinPipeline(resolved, channels: 2)
        pipeline.queue.async { pipeline.start() }
        let limit = ContinuousClock.now + .seconds(30)
        while !pipeline.monitor.hasSample, ContinuousClock.now < limit { await Task.yield() }
        try #require(pipeline.monitor.hasSample)
        return PlaybinDeck(
            name: resolved.name, pipeline: pipeline, sampleRate: 48_000, length: .unknown, extent: nil, isPadded: false,
            reconnectLimit: 0)
    }

    /// Sets a short limit where the source gives nothing more. Before that, a busy machine may take as long to decode a
    /// block.
    private func shortenLimit(of deck: PlaybinDeck) {
        deck.reading.withLock { $0.starvation = StarvationWatch(limit: 0.3) }
    }

    @Test func stuckDecoderEndsTheDeckWithNameAndPosition() async throws {
        var resolved = try ResolvedSource(.data(wave, name: "stuck.wav"), access: NetworkAccess())
        let feed = StuckFeed(wave, stopsAt: 400_000)
        resolved.makeStream = { _ in feed }
        let deck = try await deck(resolved)
        defer { deck.close() }
        // 4 bytes per frame; the frames before the end are played.
        let before = try DeckDrain.read(deck, channels: 2, atMost: 80_000)
        #expect(before.failure == nil && before.samples.frameCount == 80_000)
        shortenLimit(of: deck)
        let outcome = try DeckDrain.read(deck, channels: 2)
        #expect(outcome.samples.frameCount <= 40_000)
        let failure = try #require(outcome.failure)
        // The file may be whole, on a disk that does not answer.
        #expect(failure.code == "ioError")
        #expect(failure.message.hasPrefix("stuck.wav at "))
        #expect(failure.message.contains("gave nothing for") && !failure.message.contains("damaged"))
    }

    @Test func slowHostIsWaitedFor() async throws {
        let bytes = HostBytes(wave, isSeekable: false, hangsAt: 400_000)
        let deck = try await deck(ResolvedSource(.bytes(bytes), access: NetworkAccess()))
        defer { deck.close() }
        let before = try DeckDrain.read(deck, channels: 2, atMost: 80_000)
        #expect(before.failure == nil)
        await bytes.untilHanging()
        shortenLimit(of: deck)
        var memory = [Float](repeating: 0, count: 2 * 48_000)
        var isOver = false
        // Three times the limit, with continuous reads.
        let end = MonotonicClock().now() + second
        while MonotonicClock().now() < end {
            let read = memory.withUnsafeMutableBufferPointer { buffer in
                buffer.baseAddress.map { deck.read(into: $0, frames: 480) }
            }
            if case .failed = read?.condition { isOver = true }
            _ = deck.waitUntilReadable(deadline: min(end, MonotonicClock().now() + second / 20))
        }
        #expect(!isOver)
        bytes.release()
    }
}

/// Local bytes that stop until the deck is closed.
private final class StuckFeed: ByteStream {
    // Read from the beginning on, so that opening does not ask for the end.
    let isSeekable = false
    private let data: Data
    private let stop: Int
    private let offset = Mutex(0)
    private let gate = DispatchSemaphore(value: 0)

    init(_ data: Data, stopsAt stop: Int) {
        self.data = data
        self.stop = stop
    }

    var size: Int64? { Int64(data.count) }

    func move(to offset: Int64) { self.offset.withLock { $0 = Int(offset) } }

    func next(_ count: Int) -> [UInt8] {
        let start = offset.withLock { $0 }
        if start >= stop {
            gate.wait()
            gate.signal()
            return []
        }
        let end = min(start + count, data.count)
        offset.withLock { $0 = end }
        return [UInt8](data[start..<end])
    }

    func cancel() { gate.signal() }
}
