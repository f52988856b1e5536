import DescantCore
import DescantMixing
import DescantTesting
import Testing

/// A clip at other speeds than its own.
struct ClipDeckTests {
    private static let frames = 20_001
    private let format = PCMFormat(sampleRate: 48_000, channels: 2)

    /// Each frame has its number as its value, negative on the right.
    private func makeClip(tempo: (any TempoChangerFactory)? = SkippingTempo()) -> ClipDeck {
        let samples = (0..<Self.frames).flatMap { [Float($0), -Float($0)] }
        return ClipDeck(samples: samples, format: format, tempo: tempo)
    }

    private func expectFrames(
        _ outcome: Drain.Outcome, from start: Int, step: Int, to end: Int = Self.frames,
        sourceLocation: SourceLocation = #_sourceLocation
    ) {
        let expected = stride(from: start, to: end, by: step).flatMap { [Float($0), -Float($0)] }
        #expect(outcome.samples.samples == expected, sourceLocation: sourceLocation)
        #expect(outcome.firstPosition == Int64(start), sourceLocation: sourceLocation)
        #expect(outcome.failure == nil, sourceLocation: sourceLocation)
    }

    @Test func otherSpeedReadsTheWholeClipAndRewindsAtOnce() throws {
        let clip = makeClip()
        defer { clip.close() }
        clip.setRate(3, fromFrame: 0)
        #expect(clip.rate == 3)
        expectFrames(try Drain.read(clip, channels: 2), from: 0, step: 3)
        #expect(clip.rewindsInstantly)
        clip.seek(toFrame: 0)
        expectFrames(try Drain.read(clip, channels: 2), from: 0, step: 3)
    }

    @Test func speedChangesOnTheWay() throws {
        let clip = makeClip()
        defer { clip.close() }
        expectFrames(try Drain.read(clip, channels: 2, atMost: 1_000), from: 0, step: 1, to: 1_000)
        clip.setRate(2, fromFrame: 1_000)
        expectFrames(try Drain.read(clip, channels: 2, atMost: 2_000), from: 1_000, step: 2, to: 5_000)
        clip.setRate(3, fromFrame: 6_000)
        expectFrames(try Drain.read(clip, channels: 2, atMost: 100), from: 6_000, step: 3, to: 6_300)
        clip.seek(toFrame: 300)
        expectFrames(try Drain.read(clip, channels: 2, atMost: 100), from: 300, step: 3, to: 600)
        clip.setRate(1, fromFrame: 19_000)
        expectFrames(try Drain.read(clip, channels: 2), from: 19_000, step: 1)
    }

    @Test func copyBeginsAtNormalSpeed() throws {
        let clip = makeClip()
        clip.setRate(2, fromFrame: 400)
        let copy = clip.copy()
        clip.close()
        defer { copy.close() }
        #expect(copy.rate == 1)
        expectFrames(try Drain.read(copy, channels: 2), from: 0, step: 1)
        copy.setRate(2, fromFrame: 400)
        expectFrames(try Drain.read(copy, channels: 2), from: 400, step: 2)
    }

    @Test func clipWithoutTempoChangerKeepsItsSpeed() throws {
        let clip = makeClip(tempo: nil)
        clip.setRate(2, fromFrame: 400)
        #expect(clip.rate == 1)
        expectFrames(try Drain.read(clip, channels: 2), from: 400, step: 1)
    }

    @Test func refusedSpeedEndsWithItsError() throws {
        struct Refusing: TempoChangerFactory {
            func makeTempoChanger(format: PCMFormat, rate: Double) throws -> any TempoChanger {
                throw CoreError.unsupported("no tempo changer")
            }
        }
        let clip = makeClip(tempo: Refusing())
        defer { clip.close() }
        clip.setRate(2, fromFrame: 0)
        #expect(try Drain.read(clip, channels: 2).failure == .unsupported("no tempo changer"))
        clip.setRate(1, fromFrame: 20_000)
        expectFrames(try Drain.read(clip, channels: 2), from: 20_000, step: 1)
    }

    @Test func closedClipDoesNotWait() {
        let clip = makeClip()
        clip.close()
        clip.setRate(2, fromFrame: 0)
        #expect(clip.waitUntilReadable(deadline: 0))
    }
}
