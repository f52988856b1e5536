import DescantCore
import Testing

@testable import DescantGStreamer

/// The queue of a sound device.
@Suite struct SessionPlanTests {
    private func queue(_ destination: OutputDestination, rate: Int, channels: Int) -> Double {
        SessionPlan(
            format: PCMFormat(sampleRate: rate, channels: channels), destination: destination, blockFrames: 512,
            epochFrame: 0,
            applicationName: "test"
        ).queue
    }

    @Test func theQueueIsNoLongerThanPulseAudioTakes() {
        let longest = OutputDestination.pulse(latency: 2)
        #expect(queue(longest, rate: 48_000, channels: 2) == 2)
        let wide = queue(longest, rate: 96_000, channels: 8)
        #expect(wide * 96_000 * 8 * 4 <= 4 * 1_048_576 && wide > 1.2)
        // ALSA's devices have limits of their own.
        #expect(queue(.alsa(latency: 2), rate: 96_000, channels: 8) == 2)
    }
}
