import Descant
import DescantTesting
import Foundation
import Testing

/// Joins with a crossfade of 0: nothing missing, nothing extra, no step.
@Suite(.timeLimit(.minutes(5))) struct Row02JoinTests {
    @Test(arguments: [FixtureFormat.wav(.int24), .wav(.float32), .flac(bits: 24)])
    func row02LosslessJoinIsExactToTheSample(format: FixtureFormat) async throws {
        let offline = try OfflineEngine()
        let whole = TestSignal.ramp(frames: 100_000).samples()
        var decks: [DeckID] = []
        for part in [0..<40_007, 40_007..<61_000, 61_000..<100_000] {
            decks.append(try await offline.open(try offline.file(whole.slice(part), format)))
        }
        #expect(try await offline.renderPlaylist(decks, join: .gapless) == 100_000)
        let runs = RampAnalysis.runs(in: try await offline.rendered())
        #expect(runs == [RampRun(.source(0), at: 0, length: 100_000)])
    }

    @Test(arguments: [FixtureFormat.wav(.int24), .flac(bits: 24)])
    func row02LosslessJoinAt44100HzIsSeamless(format: FixtureFormat) async throws {
        let found = try await join(format, sampleRate: 44_100)
        #expect(found.residual <= -85)
        #expect(abs(found.shift) < 0.01)
        #expect(found.excessFrames == 0)
    }

    @Test(arguments: [
        (FixtureFormat.mp3(kilobitsPerSecond: 192), 44_100), (.mp3(kilobitsPerSecond: 192), 48_000),
        (.vorbis(quality: 6), 44_100), (.vorbis(quality: 6), 48_000), (.opus(kilobitsPerSecond: 128), 48_000),
    ])
    func row02LossyJoinMissesAndAddsNothing(format: FixtureFormat, sampleRate: Int) async throws {
        let found = try await join(format, sampleRate: sampleRate)
        #expect(found.excessFrames == 0)
        #expect(abs(found.shift) < 0.05)
        #expect(found.longestSilence < 5)
        #expect(found.residual <= -20, "codecs blur their edges, but no more than that")
    }

    /// What a codec makes of a file's edges is its own; the join must add no step to it.
    @Test(arguments: [
        FixtureFormat.mp3(kilobitsPerSecond: 192), .vorbis(quality: 6), .opus(kilobitsPerSecond: 128),
    ])
    func row02LossyJoinIsBothPartsSideBySide(format: FixtureFormat) async throws {
        let tone = TestSignal.sine(441.3, amplitude: 0.5, seconds: 2, depth: .int16).samples()
        let parts = [tone.slice(0..<50_001), tone.slice(50_001..<96_000)]
        let joined = try OfflineEngine()
        let files = try parts.map { try joined.file($0, format) }
        var decks: [DeckID] = []
        for file in files { decks.append(try await joined.open(file)) }
        try await joined.renderPlaylist(decks, join: .gapless)
        var single: [SampleBuffer] = []
        for file in files {
            let offline = try OfflineEngine()
            try await offline.start(try await offline.open(file))
            try await offline.renderToIdle()
            single.append(try await offline.rendered())
        }
        #expect(single.map(\.frameCount) == [50_001, 45_999])
        #expect(try await joined.rendered().samples == single[0].samples + single[1].samples)
    }

    /// Cuts a tone in two, encodes both parts, and plays one after the other.
    private func join(_ format: FixtureFormat, sampleRate: Int) async throws -> JoinAnalysis.Measurement {
        let offline = try OfflineEngine()
        let tone = TestSignal.sine(441.3, amplitude: 0.5, seconds: 6, sampleRate: sampleRate, depth: .int16).samples()
        let split = sampleRate * 3 + 18
        let decks = [
            try await offline.open(try offline.file(tone.slice(0..<split), format)),
            try await offline.open(try offline.file(tone.slice(split..<tone.frameCount), format)),
        ]
        try await offline.renderPlaylist(decks, join: .gapless)
        let analysis = JoinAnalysis(
            frequency: 441.3, split: split * 48_000 / sampleRate, expectedFrames: 48_000 * 6)
        return analysis.measure(try await offline.rendered())
    }
}
