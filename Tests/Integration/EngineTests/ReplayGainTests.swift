import Descant
import DescantTesting
import Foundation
import Testing

/// Tagged files through player and engine, measured in what was rendered.
@Suite(.timeLimit(.minutes(5))) struct ReplayGainTests {
    private func level(
        _ format: FixtureFormat, _ comments: [String: String], _ settings: ReplayGainSettings,
        _ decoders: OfflineEngine.Decoders
    ) async throws -> Double {
        let offline = try OfflineEngine(decoders: decoders)
        let tone = TestSignal.sine(1_000, amplitude: 0.25, seconds: 2).samples()
        let file = try FixtureEncoder().encode(
            tone, as: format, comments: comments, to: offline.directory.file("tone.\(format.fileExtension)"))
        let player = AudioPlayerService(engine: offline.engine)
        await player.setReplayGain(settings)
        // It would lower peaks of 0 dBFS by 0.1 dB.
        await player.setLimiter(enabled: false)
        try await player.loadPlaylist([file], configuration: PlayerConfiguration(crossfadeDuration: 0))
        // On a busy machine the tags are read after the start, which does not wait for them.
        for await track in player.trackUpdates where track?.replayGain != nil { break }
        try await offline.renderToIdle()
        let samples = try await offline.rendered().channel(0)
        let fit = ToneFit(frequency: 1_000, in: samples, frames: 24_000..<72_000, sampleRate: 48_000)
        return Decibels.of(fit.amplitude / 0.25)
    }

    private static let comments = [
        "REPLAYGAIN_TRACK_GAIN": "-6.00 dB", "REPLAYGAIN_TRACK_PEAK": "0.25", "REPLAYGAIN_ALBUM_GAIN": "+14.00 dB",
        "REPLAYGAIN_ALBUM_PEAK": "0.25",
    ]

    @Test(
        arguments: [FixtureFormat.flac(bits: 24), .vorbis(quality: 8), .mp3(kilobitsPerSecond: 256)],
        OfflineEngine.Decoders.allCases)
    func taggedGainIsHeard(format: FixtureFormat, decoders: OfflineEngine.Decoders) async throws {
        let off = try await level(format, Self.comments, ReplayGainSettings(), decoders)
        // The loss of the codec.
        #expect(abs(off) < 0.15)
        let track = try await level(format, Self.comments, ReplayGainSettings(mode: .track), decoders)
        #expect(abs(track - off + 6) < 0.001)
        // 14 dB would be a gain of 5; a peak of 0.25 allows 4.
        let guarded = try await level(format, Self.comments, ReplayGainSettings(mode: .album), decoders)
        #expect(abs(guarded - off - Decibels.of(4)) < 0.001)
    }

    @Test(arguments: OfflineEngine.Decoders.allCases)
    func r128GainOfOpusIsHeard(decoders: OfflineEngine.Decoders) async throws {
        let found = try await level(
            .opus(kilobitsPerSecond: 160), ["R128_TRACK_GAIN": "-2560"], ReplayGainSettings(mode: .track, preamp: 2),
            decoders)
        #expect(abs(found + 3) < 0.05)
    }
}
