import DescantCore
import DescantMixing
import DescantTesting
import Foundation
import Synchronization
import Testing

/// Decoders that announce wrong lengths or formats, or return impossible values.
struct DishonestDecoderTests {
    /// A decoder of constant samples; a closure decides the result of each read.
    private final class Decoder: DecoderPort, Sendable {
        typealias Answer = @Sendable (_ memory: UnsafeMutablePointer<Float>, _ frames: Int) -> Int

        let streamInfo: StreamInfo
        let answer: Answer

        init(_ info: StreamInfo, answer: @escaping Answer = { _, frames in frames }) {
            streamInfo = info
            self.answer = answer
        }

        func open(url: URL) throws -> DecodeHandle { DecodeHandle() }
        func seek(_ handle: DecodeHandle, toSeconds seconds: Double) throws {}
        func info(_ handle: DecodeHandle) throws -> StreamInfo { streamInfo }
        func close(_ handle: DecodeHandle) {}

        func read(_ handle: DecodeHandle, into buffer: UnsafeMutablePointer<Float>, maxFrames: Int) throws -> Int {
            for index in 0..<maxFrames * streamInfo.channels { buffer[index] = 0.25 }
            return answer(buffer, maxFrames)
        }
    }

    /// Delivers a number of frames, then none.
    private final class Supply: Sendable {
        private let left: Mutex<Int>

        init(_ frames: Int) { left = Mutex(frames) }

        func take(_ frames: Int) -> Int {
            left.withLock { left in
                defer { left -= min(left, frames) }
                return min(left, frames)
            }
        }
    }

    private func info(seconds: Double, rate: Double = 48_000, channels: Int = 2) -> StreamInfo {
        StreamInfo(duration: seconds, sampleRate: rate, channels: channels, bitDepth: 16)
    }

    private func drain(
        _ decoder: any DecoderPort & Sendable, limits: CallLimits = CallLimits()
    ) async throws -> Drain.Outcome {
        let fixture = ChainFixture([("rogue", decoder)], limits: limits)
        let opened = try await fixture.open()
        defer { opened.deck.close() }
        return try Drain.read(opened.deck, channels: 2, atMost: 48_000 * 600, block: 4_096)
    }

    // MARK: Lengths

    @Test func endlessStreamIsStoppedShortlyAfterItsAnnouncedLength() async throws {
        let outcome = try await drain(Decoder(info(seconds: 10)))
        #expect((480_000...532_800).contains(outcome.samples.frameCount))
        let message = try #require(outcome.failure?.message)
        #expect(
            message.contains("rogue announced 480000 frames and did not end after 532800"), "\(message)")
    }

    @Test func estimatedLengthMayBeExceededByMore() async throws {
        let outcome = try await drain(Decoder(info(seconds: 10.000_005)))
        #expect((480_000 * 7...3_840_001).contains(outcome.samples.frameCount))
        #expect(outcome.failure != nil)
    }

    @Test(arguments: [0, Double.infinity, 1e300])
    func streamWithoutLengthIsStoppedAtTheHostsLimit(seconds: Double) async throws {
        let fixture = ChainFixture(
            [("rogue", Decoder(info(seconds: seconds)))], limits: .with { $0.unannouncedDuration = 20 })
        let opened = try await fixture.open()
        defer { opened.deck.close() }
        #expect(opened.deck.frameCount == nil)
        #expect(opened.info.track.duration == 0)
        let outcome = try Drain.read(opened.deck, channels: 2, atMost: 48_000 * 600, block: 4_096)
        #expect((48_000 * 19...48_000 * 20).contains(outcome.samples.frameCount))
        #expect(outcome.failure?.message.contains("announced no length and did not end after 960000") == true)
    }

    @Test func missingFramesAreReported() async throws {
        let answers = Supply(30_000)
        let outcome = try await drain(
            Decoder(info(seconds: 1)) { _, frames in
                answers.take(frames)
            })
        #expect(outcome.samples.frameCount == 30_000)
        #expect(
            outcome.failure
                == .decodeError(
                    "\(ChainFixture.file.path) at 0.625 s: rogue announced 48000 frames and ended 18000 before that")
        )
    }

    /// A file without sound would be passed over without a word.
    @Test(arguments: [0, 1]) func aStreamWithoutAFrameIsRefused(seconds: Double) async throws {
        let decoder = Decoder(info(seconds: seconds)) { _, _ in 0 }
        let fixture = ChainFixture([("rogue", decoder)], recognised: ["rogue"])
        await #expect(
            throws: CoreError.decodeError("\(fixture.url.path) has no sound: it ends before its first frame")
        ) { try await fixture.open() }
    }

    // MARK: Answers

    @Test(arguments: [-1, Int.min, 4_097, Int.max])
    func impossibleCountsAreReported(count: Int) async throws {
        let outcome = try await drain(Decoder(info(seconds: 1)) { _, _ in count })
        #expect(outcome.samples.frameCount == 0)
        let message = try #require(outcome.failure?.message)
        #expect(message.contains("rogue gave \(count) frames when asked for up to 4096"), "\(message)")
    }

    @Test func invalidSamplesBecomeSilence() async throws {
        let answers = Supply(48_000)
        let outcome = try await drain(
            Decoder(info(seconds: 1)) { memory, frames in
                (memory[0], memory[1], memory[2], memory[3]) = (.nan, .infinity, -.greatestFiniteMagnitude, 0.5)
                return answers.take(frames)
            })
        #expect(outcome.failure == nil)
        #expect(outcome.samples.samples.prefix(5) == [0, 0, 0, 0.5, 0.25])
        #expect(!outcome.samples.samples.contains { !$0.isFinite })
    }

    // MARK: Shapes

    @Test(arguments: [
        StreamInfo(duration: 1, sampleRate: 4e9, channels: 2, bitDepth: 16),
        StreamInfo(duration: 1, sampleRate: 1e300, channels: 2, bitDepth: 16),
        StreamInfo(duration: 1, sampleRate: 0, channels: 2, bitDepth: 16),
        StreamInfo(duration: 1, sampleRate: .nan, channels: 2, bitDepth: 16),
        StreamInfo(duration: 1, sampleRate: 48_000, channels: 0, bitDepth: 16),
        StreamInfo(duration: 1, sampleRate: 48_000, channels: 9, bitDepth: 16),
        StreamInfo(duration: .nan, sampleRate: 48_000, channels: 2, bitDepth: 16),
        StreamInfo(duration: -1, sampleRate: 48_000, channels: 2, bitDepth: 16),
    ])
    func impossibleFormatsAreRefused(info: StreamInfo) async throws {
        let fixture = ChainFixture([("rogue", Decoder(info))])
        let error = await #expect(throws: CoreError.self) { try await fixture.open() }
        #expect(error?.message.contains("rogue") == true)
    }

    @Test func maximumRateAndChannelsTakeLittleMemory() async throws {
        let answers = Supply(1_000)
        let outcome = try await drain(
            Decoder(info(seconds: 0, rate: 1_536_000, channels: 8)) { _, frames in answers.take(frames) })
        #expect(outcome.samples.frameCount == 1_000)
    }

    // MARK: Hosts

    private final class Source: PCMSource {
        let name = "made here"
        let format: PCMFormat
        let frameCount: Int64?

        init(rate: Int, frames: Int64?) {
            format = PCMFormat(sampleRate: rate, channels: 2)
            frameCount = frames
        }

        func read(into buffer: UnsafeMutablePointer<Float>, maxFrames: Int) throws -> Int { 0 }
        func seek(toFrame frame: Int64) throws {}
    }

    @Test(arguments: [-1, Int64.min, 1 << 41, .max])
    func impossibleLengthCountsAsUnknown(frames: Int64) async throws {
        let opened = try await ChainFixture([]).open(.pcm(Source(rate: 48_000, frames: frames)))
        defer { opened.deck.close() }
        #expect(opened.deck.frameCount == nil)
        #expect(opened.info.track.duration == 0)
    }

    @Test(arguments: [-48_000, 0, 1_536_001, Int.max])
    func impossibleRatesOfHostsAreRefused(rate: Int) async throws {
        let error = await #expect(throws: CoreError.self) {
            _ = try await ChainFixture([]).open(.pcm(Source(rate: rate, frames: 1)))
        }
        #expect(error?.message.contains("made here") == true)
    }

    @Test(arguments: [Int64.max, .min])
    func seekOutOfRangeEndsTheDeck(frame: Int64) async throws {
        let fixture = ChainFixture([("rogue", Decoder(info(seconds: 0)))], limits: .with { $0.unannouncedDuration = 1 })
        let opened = try await fixture.open()
        defer { opened.deck.close() }
        opened.deck.seek(toFrame: frame)
        #expect(try Drain.read(opened.deck, channels: 2).failure != nil)
    }
}
