import Testing

@testable import DescantGStreamer

/// The effect of time stamps on the frame count.
@Suite struct SourceClockTests {
    private func stamp(_ frame: Double, isDiscontinuous: Bool = false, segment: UInt64 = 0) -> SourceClock.Stamp {
        SourceClock.Stamp(time: frame / 48_000 * 1e9, isDiscontinuous: isDiscontinuous, segment: segment)
    }

    private func started(lead: Int64 = 0, firstStamp: Double = 0) -> SourceClock {
        var clock = SourceClock(sampleRate: 48_000)
        clock.lead = lead
        clock.begin(stamp(firstStamp), length: nil)
        return clock
    }

    @Test func wrongStampsAreIgnored() {
        for factor in [0.1, 0.5, 2, 10] {
            var clock = started()
            for block in 1...100 {
                clock.advance(1_000)
                clock.begin(stamp(Double(block) * 1_000 * factor), length: 200_000)
            }
            #expect(clock.position == 100_000)
            #expect(!clock.hasGap)
        }
    }

    @Test func streamThatBeginsAtAnotherTimeBeginsAtItsFirstFrame() {
        #expect(started(firstStamp: 12_000).position == 0)
        #expect(started(firstStamp: 9e9).position == 0)
    }

    @Test func decoderThatDropsAPacketOfTheDelayIsAccountedFor() {
        #expect(started(lead: 1_024, firstStamp: 0).surplus == 1_024)
        #expect(started(lead: 1_024, firstStamp: 1_024).surplus == 0)
        #expect(started(lead: 2_112, firstStamp: 1_024).surplus == 1_088)
        #expect(started(lead: 1_024, firstStamp: 40_000).surplus == 1_024)
    }

    @Test func gapCountsWhenTheDecoderMarksIt() {
        var clock = started()
        clock.advance(1_000)
        clock.begin(stamp(9_000, isDiscontinuous: true), length: 100_000)
        #expect(clock.position == 9_000)
        #expect(clock.hasGap)
        // Not behind the end.
        clock.advance(1_000)
        clock.begin(stamp(200_000, isDiscontinuous: true), length: 100_000)
        #expect(clock.position == 10_000)
    }

    @Test func linkOfAChainContinuesTheCount() {
        var clock = started()
        clock.advance(48_000)
        clock.begin(stamp(0, isDiscontinuous: true, segment: 1_000_000_000), length: nil)
        #expect(clock.position == 48_000)
        #expect(!clock.hasGap)
    }

    @Test func seekLandsAtItsStamp() {
        var clock = started()
        clock.restart(at: 30_000, rate: 1)
        clock.begin(stamp(29_999), length: nil)
        #expect(clock.surplus == 1)
        clock.restart(at: 30_000, rate: 1)
        clock.begin(stamp(900_000), length: nil)
        #expect(clock.surplus == 0 && clock.position == 30_000)
    }

    @Test func seekTimesStayWithinThoseOfGStreamer() {
        let clock = SourceClock(sampleRate: 8)
        #expect(clock.seekTime(for: 1 << 40, rate: 1) > 0)
        #expect(clock.seekTime(for: 8, rate: 1) == 968_750_000)
    }
}
