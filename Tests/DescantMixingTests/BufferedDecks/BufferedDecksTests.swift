import DescantCore
import DescantMixing
import DescantTesting
import Foundation
import Testing

@Suite(.timeLimit(.minutes(1))) struct BufferedDecksTests {
    private let ramp = TestSignal.ramp(frames: 200_003, sampleRate: 44_100).samples()

    private func fixture(_ content: SampleBuffer? = nil, fault: MemoryDecoder.Fault = .init()) -> (
        ChainFixture, MemoryDecoder
    ) {
        let decoder = MemoryDecoder()
        let fixture = ChainFixture([("memory", decoder)])
        decoder.register(content ?? ramp, for: fixture.url, bitDepth: 16, fault: fault)
        return (fixture, decoder)
    }

    @Test(arguments: [1, 480, 4_096, 100_000])
    func deliversEveryFrame(block: Int) async throws {
        let content = block == 1 ? ramp.slice(0..<20_000) : ramp
        let (fixture, _) = fixture(content)
        let opened = try await fixture.open()
        defer { opened.deck.close() }
        #expect(opened.info.decoder == "memory")
        #expect(opened.info.decoderReason == "memory, built in (score 20, priority 0)")
        #expect(opened.deck.sampleRate == 44_100)
        #expect(opened.deck.frameCount == Int64(content.frameCount))
        #expect(opened.deck.isFrameCountExact)
        #expect(opened.info.track.title == "ramp")
        #expect(opened.info.track.format.bitDepth == 16)
        let outcome = try Drain.read(opened.deck, channels: 2, block: block)
        #expect((outcome.samples == content) == true)
        #expect(outcome.failure == nil)
    }

    /// Yields when nobody refers to it any more.
    private final class Token: Sendable {
        let released = AsyncStream<Void>.makeStream()

        deinit { released.continuation.yield() }
    }

    /// A deck that was closed is gone before the limits of its calls, and its memory with it.
    @Test func closedDeckIsReleasedBeforeTheLimits() async throws {
        var limits = CallLimits()
        (limits.open, limits.read, limits.seek, limits.close) = (3_600, 3_600, 3_600, 3_600)
        let decoder = MemoryDecoder()
        let fixture = ChainFixture([("memory", decoder)], limits: limits)
        decoder.register(ramp, for: fixture.url, bitDepth: 16)
        let released = try await { () async throws -> AsyncStream<Void> in
            let token = Token()
            let mix = PCMFormat(sampleRate: 48_000, channels: 2)
            let opened = try await fixture.chain.open(.url(fixture.url), mix: mix) { _ in withExtendedLifetime(token) {}
            }
            defer { opened.deck.close() }
            _ = try Drain.read(opened.deck, channels: 2)
            return token.released.stream
        }()
        for await _ in released { return }
    }

    @Test func seeksAreExactAlsoAfterTheEnd() async throws {
        let (fixture, _) = fixture()
        let opened = try await fixture.open()
        defer { opened.deck.close() }
        _ = try Drain.read(opened.deck, channels: 2)
        for target in [150_001, 0, 199_999, 1] {
            opened.deck.seek(toFrame: Int64(target))
            let outcome = try Drain.read(opened.deck, channels: 2)
            #expect(outcome.firstPosition == Int64(target))
            #expect((outcome.samples == ramp.slice(target..<200_003)) == true)
        }
    }

    @Test func lastOfSeveralSeeksIsCarriedOut() async throws {
        let (fixture, _) = fixture()
        let opened = try await fixture.open()
        defer { opened.deck.close() }
        for target in stride(from: 0, to: 200_000, by: 1_000) { opened.deck.seek(toFrame: Int64(target)) }
        opened.deck.seek(toFrame: 77_777)
        let outcome = try Drain.read(opened.deck, channels: 2, atMost: 1_000)
        #expect(outcome.firstPosition == 77_777)
        #expect((outcome.samples == ramp.slice(77_777..<78_777)) == true)
    }

    @Test func seekToTheEndEndsAtOnce() async throws {
        let (fixture, _) = fixture()
        let opened = try await fixture.open()
        defer { opened.deck.close() }
        opened.deck.seek(toFrame: 200_003)
        var memory = [Float](repeating: 0, count: 960)
        let read = opened.deck.read(into: &memory, frames: 480)
        #expect(read.frames == 0)
        guard case .ended = read.condition else {
            Issue.record("\(read.condition)")
            return
        }
    }

    @Test func convertsChannelsToThoseOfTheMix() async throws {
        let mono = TestSignal.noise(seconds: 1, sampleRate: 48_000, channels: 1).samples()
        let (fixture, _) = fixture(mono)
        let opened = try await fixture.open()
        defer { opened.deck.close() }
        let outcome = try Drain.read(opened.deck, channels: 2)
        #expect(outcome.samples.channel(0) == mono.samples)
        #expect(outcome.samples.channel(1) == mono.samples)
        #expect(opened.info.sourceFormat.channels == 1)
    }

    @Test func errorCarriesNameAndPosition() async throws {
        var fault = MemoryDecoder.Fault()
        fault.failure = (88_200, .decodeError("bad block"))
        let (fixture, _) = fixture(fault: fault)
        let opened = try await fixture.open()
        defer { opened.deck.close() }
        let outcome = try Drain.read(opened.deck, channels: 2)
        #expect(outcome.samples.frameCount == 88_200)
        #expect(outcome.failure == .decodeError("\(fixture.url.path) at 2.0 s: bad block"))
        opened.deck.seek(toFrame: 80_000)
        #expect(try Drain.read(opened.deck, channels: 2, atMost: 100).firstPosition == 80_000)
    }

    @Test func otherSpeedKeepsPositionsRight() async throws {
        let (fixture, _) = fixture()
        let opened = try await fixture.open()
        defer { opened.deck.close() }
        _ = try Drain.read(opened.deck, channels: 2, atMost: 10_000)
        opened.deck.setRate(2, fromFrame: 10_000)
        let first = try Drain.read(opened.deck, channels: 2, atMost: 5_000)
        #expect(first.firstPosition == 10_000)
        #expect(opened.deck.rate == 2)
        #expect((first.samples.slice(0..<1) == ramp.slice(10_000..<10_001)) == true)
        let second = try Drain.read(opened.deck, channels: 2, atMost: 1)
        #expect(second.firstPosition == 20_000)
        opened.deck.seek(toFrame: 50_000)
        let rest = try Drain.read(opened.deck, channels: 2)
        #expect(rest.samples.frameCount == (200_003 - 50_000 + 1) / 2)
    }

    @Test func closingReleasesTheHandle() async throws {
        let (fixture, decoder) = fixture()
        for _ in 0..<50 {
            let opened = try await fixture.open()
            opened.deck.close()
        }
        while decoder.openHandleCount > 0 { await Task.yield() }
    }
}
