import DescantCore
import Testing

@Suite("Frame counts from untrusted values")
struct FrameCountTests {
    private let limit = FrameCount.limit

    @Test("values out of range are clamped or refused, as requested")
    func range() {
        #expect(FrameCount(clamping: Int64.max).value == limit)
        #expect(FrameCount(clamping: Int64.min).value == -limit)
        #expect(FrameCount(clamping: UInt64.max).value == limit)
        #expect(FrameCount(exactly: UInt64.max) == nil)
        #expect(FrameCount(exactly: Int64.min) == nil)
        #expect(FrameCount(exactly: limit)?.value == limit)
        #expect(FrameCount(exactly: limit + 1) == nil)
        #expect(FrameCount(exactly: -5)?.value == -5)
    }

    @Test("seconds that are infinite, huge or not a number give a frame count")
    func seconds() {
        let mix = PCMFormat(sampleRate: 48_000, channels: 2)
        #expect(mix.frames(in: .infinity) == limit)
        #expect(mix.frames(in: -.infinity) == -limit)
        #expect(mix.frames(in: 1e300) == limit)
        #expect(mix.frames(in: .nan) == 0)
        #expect(mix.frames(in: 0.5) == 24_000)
        #expect(mix.frames(in: -0.5) == -24_000)
    }

    @Test("sums, products and conversions stay in the range")
    func arithmetic() {
        let most = FrameCount(clamping: limit)
        #expect((most + most).value == limit)
        #expect((FrameCount(clamping: -limit) - most).value == -limit)
        #expect((most * .max).value == limit)
        #expect((most * .min).value == -limit)
        #expect(most.converted(from: 1, to: .max).value == limit)
        #expect(FrameCount(clamping: -limit).converted(from: 1, to: .max).value == -limit)
        #expect(FrameCount(clamping: 441).converted(from: 44_100, to: 48_000).value == 480)
        #expect(FrameCount(clamping: 1).converted(from: 44_100, to: 48_000).value == 2)
        #expect(FrameCount(clamping: 0).converted(from: 44_100, to: 48_000).value == 0)
    }

    @Test("a stream with an impossible sample rate is refused", arguments: [0, -1, 4e9, 1e300, .infinity, .nan])
    func rates(rate: Double) {
        #expect(throws: CoreError.self) {
            try StreamInfo(duration: 1, sampleRate: rate, channels: 2, bitDepth: 16).validate()
        }
    }
}
