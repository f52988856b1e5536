import Descant
import DescantTesting
import Foundation
import Testing

/// Volume steps anywhere are ramped.
@Suite(.timeLimit(.minutes(5))) struct VolumeTests {
    @Test(arguments: [true, false])
    func volumeStepsHaveNoSlopeBeyondTheTone(master: Bool) async throws {
        let offline = try OfflineEngine()
        try await offline.start(try await offline.open(try offline.file(TestSignal.sine(440, seconds: 4).samples())))
        var random = SeededGenerator(seed: 11)
        for gain in [0.2, 1, 0, 0.7, 0.1, 1, 0.5, 0.9, 0, 1] {
            try await offline.render(Int.random(in: 3_000...9_000, using: &random))
            if master {
                await offline.engine.setMasterVolume(gain)
            } else {
                await offline.engine.setGain(gain, of: offline.main, ramp: 0)
            }
        }
        try await offline.render(9_000)
        let rendered = try await offline.rendered()
        #expect(SlopeAnalysis.ratio(in: rendered, frequency: 440, amplitude: 0.25) <= 1.1)
        #expect(abs(LevelAnalysis.peak(Array(rendered.samples.suffix(4_000))) - 0.25) < 1e-3)
    }
}
