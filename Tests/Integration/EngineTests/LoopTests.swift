import Descant
import DescantTesting
import Foundation
import Testing

/// Overlay loops without a delay: no wrong sample at the seam.
@Suite(.timeLimit(.minutes(5))) struct LoopTests {
    @Test(arguments: [FixtureFormat.wav(.int16), .flac(bits: 16)], [10_007, 31 * 48_000])
    func loopSeamHasNoWrongSample(format: FixtureFormat, length: Int) async throws {
        // The longer clip is not held in memory but played by two decks in turn.
        let offline = try OfflineEngine()
        let overlay = await offline.engine.addLayer(.overlay)
        let file = try offline.file(TestSignal.ramp(frames: length).samples(), format)
        let deck = try await offline.open(file, isClip: true)
        try await offline.start(deck, on: overlay, loop: LoopPlan(passes: nil))
        try await offline.render(length * 2 + 5_000)
        let runs = RampAnalysis.runs(in: try await offline.rendered())
        #expect(
            runs == [
                RampRun(.source(0), at: 0, length: length), RampRun(.source(0), at: length, length: length),
                RampRun(.source(0), at: 2 * length, length: 5_000),
            ])
    }

    @Test(arguments: [
        FixtureFormat.mp3(kilobitsPerSecond: 192), .vorbis(quality: 6), .opus(kilobitsPerSecond: 128),
    ])
    func loopOfLossyClipsRepeatsEverySample(format: FixtureFormat) async throws {
        let offline = try OfflineEngine()
        let overlay = await offline.engine.addLayer(.overlay)
        let noise = TestSignal.noise(seed: 4, seconds: 1).samples()
        let deck = try await offline.open(try offline.file(noise, format), isClip: true)
        try await offline.start(deck, on: overlay, loop: LoopPlan(passes: 3))
        #expect(try await offline.engine.advance(frames: 500_000, untilIdle: overlay) == 3 * 48_000)
        let rendered = try await offline.rendered()
        let first = rendered.slice(0..<48_000)
        #expect(rendered.slice(48_000..<96_000) == first)
        #expect(rendered.slice(96_000..<144_000) == first)
    }
}
