import DescantCore
import DescantGStreamer
import DescantTesting
import Testing

struct TempoChangerTests {
    /// scaletempo does not return at rates at which its strides hold no frame.
    @Test(arguments: [1, 10, 100, 199], [0.5, 1.5, 3])
    func slowSignalsHaveTheRightLength(sampleRate: Int, rate: Double) throws {
        let format = PCMFormat(sampleRate: sampleRate, channels: 2)
        let changer = try GstTempoChangerFactory().makeTempoChanger(format: format, rate: rate)
        var output: [Float] = []
        // A ramp, the second channel negated, in parts of all lengths.
        let input = (0..<1_000).flatMap { [Float($0) / 1_000, -Float($0) / 1_000] }
        var start = 0
        while start < 1_000 {
            let frames = min(start % 7 + 1, 1_000 - start)
            changer.stretch(Array(input[(2 * start)..<(2 * (start + frames))]), frames: frames, appendingTo: &output)
            start += frames
        }
        changer.drain(appendingTo: &output)
        #expect(output.count / 2 == Int((1_000 / rate).rounded(.up)))
        for frame in stride(from: 0, to: output.count / 2, by: 10) {
            let expected = Float(min(999, Double(frame) * rate) / 1_000)
            #expect(abs(output[2 * frame] - expected) < 1e-5 && abs(output[2 * frame + 1] + expected) < 1e-5)
        }
    }

    /// No speakers belong to more than eight channels, and pitch takes no more than 15.
    @Test(arguments: [9, 10, 15, 16, 17, 63], [0.5, 2])
    func manyChannelsKeepTheirSoundAndLength(channels: Int, rate: Double) throws {
        let format = PCMFormat(sampleRate: 48_000, channels: channels)
        let tone = TestSignal.sine(440, seconds: 0.5, channels: 1, depth: .float).samples().samples
        // Each channel has a level of its own.
        let levels = (1...channels).map { Float($0) / Float(channels) }
        let input = tone.flatMap { sample in levels.map { sample * $0 } }
        let changer = try GstTempoChangerFactory().makeTempoChanger(format: format, rate: rate)
        var output: [Float] = []
        changer.stretch(input, frames: tone.count, appendingTo: &output)
        changer.drain(appendingTo: &output)
        let result = SampleBuffer(format: format, samples: output)
        #expect(result.frameCount == Int((Double(tone.count) / rate).rounded(.up)))
        let middle = result.slice(result.frameCount / 4..<result.frameCount * 3 / 4)
        for (channel, level) in levels.enumerated() {
            let peak = middle.channel(channel).map { abs($0) }.max() ?? 0
            #expect(abs(peak - 0.25 * level) < 0.01, "channel \(channel)")
        }
    }

    @Test(arguments: [0.5, 0.8, 1.25, 1.5, 2, 3])
    func tempoKeepsPitchAndScalesLength(rate: Double) throws {
        let format = PCMFormat(sampleRate: 48_000, channels: 2)
        let input = TestSignal.sine(440, seconds: 6, depth: .float).samples()
        let changer = try GstTempoChangerFactory().makeTempoChanger(format: format, rate: rate)
        var output: [Float] = []
        for start in stride(from: 0, to: input.frameCount, by: 4_096) {
            let part = input.slice(start..<start + 4_096)
            changer.stretch(part.samples, frames: part.frameCount, appendingTo: &output)
        }
        changer.drain(appendingTo: &output)
        let result = SampleBuffer(format: format, samples: output)
        #expect(result.frameCount == Int((Double(input.frameCount) / rate).rounded(.up)))
        let half = result.frameCount / 2
        let tone = result.slice(half - 24_000..<half + 24_000).channel(0)
        // Crossings upwards in a second are the frequency.
        let crossings = zip(tone, tone.dropFirst()).filter { $0 < 0 && $1 >= 0 }.count
        #expect((439...441).contains(crossings))
        #expect(tone.map(abs).max() ?? 0 > 0.24)
        // The first stride is that of the input, without a fade from silence.
        let beginning = zip(result.channel(0).prefix(960), input.channel(0)).map { abs($0 - $1) }
        #expect(beginning.max() ?? 1 < 0.001)
        // The tone sounds to its end.
        let tail = Array(result.channel(0).suffix(2_400))
        for part in stride(from: 0, to: 2_400, by: 480) {
            #expect(tail[part..<part + 480].map { abs($0) }.max() ?? 0 > 0.2, "frame \(part) of the last 2,400")
        }
    }
}
