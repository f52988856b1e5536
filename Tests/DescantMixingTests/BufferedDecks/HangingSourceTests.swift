import DescantCore
import DescantMixing
import DescantTesting
import Dispatch
import Synchronization
import Testing

/// PCM of the host whose calls do not come back.
@Suite(.timeLimit(.minutes(1))) struct HangingSourceTests {
    /// Two full reads, then a call that waits until it is released.
    private final class Source: PCMSource, Sendable {
        enum Place: String, Sendable { case read, seek }

        static let chunk = 4_096

        let name = "made here"
        let format = PCMFormat(sampleRate: 48_000, channels: 2)
        let frameCount: Int64? = nil
        private let place: Place
        private let reads = Mutex(0)
        private let gate = DispatchSemaphore(value: 0)

        init(at place: Place) { self.place = place }

        /// The number of reads that have begun.
        var readCount: Int { reads.withLock { $0 } }

        func release() { gate.signal() }

        func read(into buffer: UnsafeMutablePointer<Float>, maxFrames: Int) throws -> Int {
            let number = reads.withLock { reads in
                reads += 1
                return reads
            }
            if number == 3, place == .read { gate.wait() }
            guard number < 4 else { return 0 }
            for index in 0..<maxFrames * 2 { buffer[index] = 0.25 }
            return maxFrames
        }

        func seek(toFrame frame: Int64) throws { if place == .seek { gate.wait() } }
    }

    /// The same, as a source that may wait.
    private final class LiveSource: LivePCMSource {
        let source = Source(at: .read)
        var name: String { source.name }
        var format: PCMFormat { source.format }
        var frameCount: Int64? { source.frameCount }

        func read(into buffer: UnsafeMutablePointer<Float>, maxFrames: Int) throws -> Int {
            try source.read(into: buffer, maxFrames: maxFrames)
        }

        func seek(toFrame frame: Int64) throws { try source.seek(toFrame: frame) }
    }

    /// Only the calls that hang have a short limit, which others may exceed on a busy machine.
    private func open(
        _ source: any PCMSource, hangingAt place: Source.Place = .read
    ) async throws -> (OpenedDeck, ChainFixture) {
        let fixture = ChainFixture([], limits: .with { if place == .read { $0.read = 0.1 } else { $0.seek = 0.1 } })
        return (try await fixture.open(.pcm(source)), fixture)
    }

    @Test func aReadThatHangsFailsTheDeckBehindItsFrames() async throws {
        let source = Source(at: .read)
        defer { source.release() }
        let (opened, fixture) = try await open(source)
        let outcome = try Drain.read(opened.deck, channels: 2)
        // On a busy machine a read before the one that hangs may be given up, and its frames may still come.
        let chunks = outcome.samples.frameCount / Source.chunk
        #expect(chunks == source.readCount - 1 || chunks == source.readCount && chunks < 3)
        #expect(outcome.failure?.code == "ioError")
        #expect(outcome.failure?.message == "made here: its read did not come back within 0.1 s")
        guard case .overdue("made here", "read", _)? = fixture.events.all.first else {
            Issue.record("\(fixture.events.all)")
            return
        }
        // The deck stays failed and does not wait for the call.
        opened.deck.seek(toFrame: 0)
        #expect(try Drain.read(opened.deck, channels: 2).failure == outcome.failure)
        opened.deck.close()
    }

    @Test func aSeekThatHangsFailsTheDeck() async throws {
        let source = Source(at: .seek)
        defer { source.release() }
        let (opened, _) = try await open(source, hangingAt: .seek)
        opened.deck.seek(toFrame: 10)
        let failure = try Drain.read(opened.deck, channels: 2).failure
        #expect(failure?.message == "made here: its seek did not come back within 0.1 s")
        opened.deck.close()
    }

    @Test func aSourceThatWaitsForItsSoundIsReportedAndGoesOn() async throws {
        let source = LiveSource()
        let (opened, fixture) = try await open(source)
        guard case .overdue("made here", "read", _) = try await fixture.events.first({ $0 }) else {
            Issue.record("\(fixture.events.all)")
            return
        }
        source.source.release()
        let outcome = try Drain.read(opened.deck, channels: 2)
        #expect(outcome.samples.frameCount == 3 * Source.chunk && outcome.failure == nil)
        opened.deck.close()
    }
}
