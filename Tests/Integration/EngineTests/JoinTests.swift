import Descant
import DescantTesting
import Foundation
import Testing

/// Joins with a crossfade of 0: no missing and no extra frame, no step.
@Suite(.timeLimit(.minutes(5))) struct JoinTests {
    @Test(arguments: [FixtureFormat.wav(.int24), .wav(.float32), .flac(bits: 24)])
    func losslessJoinIsExactToTheSample(format: FixtureFormat) async throws {
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
    func losslessJoinAt44100HzIsSeamless(format: FixtureFormat) async throws {
        let found = try await join(format, sampleRate: 44_100)
        #expect(found.residual <= -85)
        #expect(abs(found.shift) < 0.01)
        #expect(found.excessFrames == 0)
    }

    /// The join is where the first frame of the next file sounds, not where the converter has taken the last one in.
    @Test(arguments: [44_100, 96_000])
    func joinOfResampledFilesIsReportedAtItsFrame(sampleRate: Int) async throws {
        let offline = try OfflineEngine()
        let recording = offline.record()
        let tone = TestSignal.sine(441.3, amplitude: 0.5, seconds: 3, sampleRate: sampleRate).samples()
        let cuts = [0, sampleRate + 7, 2 * sampleRate + 1_111, 3 * sampleRate]
        var decks: [DeckID] = []
        for (start, end) in zip(cuts, cuts.dropFirst()) {
            decks.append(try await offline.open(try offline.file(tone.slice(start..<end), .wav(.float32))))
        }
        try await offline.renderPlaylist(decks, join: .gapless)
        let events = await offline.collect(recording)
        let starts = events.filter { if case .deckStarted = $0.kind { true } else { false } }.map(\.frame)
        let ends = events.filter { $0.deckEnd != nil }.map(\.frame)
        let exact = cuts.map { Int64(($0 * 48_000 + sampleRate - 1) / sampleRate) }
        #expect(starts == Array(exact.dropLast()))
        #expect(ends == Array(exact.dropFirst()))
    }

    @Test(
        arguments: [
            (FixtureFormat.mp3(kilobitsPerSecond: 192), 44_100), (.mp3(kilobitsPerSecond: 192), 48_000),
            (.vorbis(quality: 6), 44_100), (.vorbis(quality: 6), 48_000), (.opus(kilobitsPerSecond: 128), 48_000),
            (.infoMP3(kilobitsPerSecond: 192), 44_100), (.infoMP3(kilobitsPerSecond: 192), 48_000),
            (.aac(kilobitsPerSecond: 192), 44_100), (.aac(kilobitsPerSecond: 192), 48_000), (.alac, 44_100),
        ], OfflineEngine.Decoders.allCases)
    func lossyJoinHasNoMissingOrExtraFrame(
        file: (format: FixtureFormat, sampleRate: Int), decoders: OfflineEngine.Decoders
    ) async throws {
        let found = try await join(file.format, sampleRate: file.sampleRate, decoders: decoders)
        #expect(found.excessFrames == 0)
        #expect(abs(found.shift) < 0.05)
        #expect(found.longestSilence < 5)
        #expect(found.residual <= -20, "codecs blur their edges, but no more than that")
    }

    /// The codec may change the edges of a file; the join must add no step.
    @Test(
        arguments: [
            FixtureFormat.mp3(kilobitsPerSecond: 192), .vorbis(quality: 6), .opus(kilobitsPerSecond: 128),
            .infoMP3(kilobitsPerSecond: 192), .aac(kilobitsPerSecond: 192),
        ], OfflineEngine.Decoders.allCases)
    func lossyJoinHasNoStep(format: FixtureFormat, decoders: OfflineEngine.Decoders) async throws {
        let tone = TestSignal.sine(441.3, amplitude: 0.5, seconds: 2, depth: .int16).samples()
        let parts = [tone.slice(0..<50_001), tone.slice(50_001..<96_000)]
        let joined = try OfflineEngine(decoders: decoders)
        let files = try parts.map { try joined.file($0, format) }
        var decks: [DeckID] = []
        for file in files { decks.append(try await joined.open(file)) }
        try await joined.renderPlaylist(decks, join: .gapless)
        var single: [SampleBuffer] = []
        for file in files {
            let offline = try OfflineEngine(decoders: decoders)
            try await offline.start(try await offline.open(file))
            try await offline.renderToIdle()
            single.append(try await offline.rendered())
        }
        #expect(single.map(\.frameCount) == [50_001, 45_999])
        #expect(try await joined.rendered().samples == single[0].samples + single[1].samples)
    }

    /// Cuts a tone in two, encodes both parts, and plays one after the other.
    private func join(
        _ format: FixtureFormat, sampleRate: Int, decoders: OfflineEngine.Decoders = .gstreamer
    ) async throws -> JoinAnalysis.Measurement {
        let offline = try OfflineEngine(decoders: decoders)
        let tone = TestSignal.sine(441.3, amplitude: 0.5, seconds: 6, sampleRate: sampleRate, depth: .int16).samples()
        // Not when the padding is longer than a block of MP3: libavformat's tag then has a smaller value.
        let split = sampleRate * 3 + 119
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
