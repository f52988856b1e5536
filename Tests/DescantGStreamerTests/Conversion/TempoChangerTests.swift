import DescantCore
import DescantGStreamer
import DescantTesting
import Testing

struct TempoChangerTests {
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
    }
}
