import DescantCore
import DescantGStreamer
import DescantMixing
import DescantTesting
import Foundation
import Testing

/// Loudness tags of every format.
@Suite(.timeLimit(.minutes(2))) struct ReplayGainTagsTests {
    private func tags(_ format: FixtureFormat, _ comments: [String: String]) async throws -> ReplayGainTags? {
        let directory = try TemporaryDirectory()
        let file = try FixtureEncoder().encode(
            TestSignal.sine(440, seconds: 0.5).samples(), as: format, comments: comments,
            to: directory.file("tagged.\(format.fileExtension)"))
        let opened = try await GStreamerDecks().open(.url(file), mix: PCMFormat(sampleRate: 48_000, channels: 2)) { _ in
        }
        opened.deck.close()
        return opened.info.track.replayGain
    }

    private let comments = [
        "REPLAYGAIN_TRACK_GAIN": "-6.50 dB", "REPLAYGAIN_TRACK_PEAK": "0.75", "REPLAYGAIN_ALBUM_GAIN": "+3.25 dB",
        "REPLAYGAIN_ALBUM_PEAK": "0.875",
    ]

    @Test(arguments: [FixtureFormat.flac(bits: 16), .vorbis(quality: 4), .mp3(kilobitsPerSecond: 128)])
    func gainsAndPeaks(format: FixtureFormat) async throws {
        let found = try #require(try await tags(format, comments))
        #expect(found == ReplayGainTags(trackGain: -6.5, trackPeak: 0.75, albumGain: 3.25, albumPeak: 0.875))
    }

    /// A plugin decodes the file, and GStreamer reads its tags.
    @Test func describedFileHasItsLoudness() async throws {
        let directory = try TemporaryDirectory()
        let file = try FixtureEncoder().encode(
            TestSignal.sine(440, seconds: 0.5).samples(), as: .flac(bits: 16), comments: comments,
            to: directory.file("described.flac"))
        let track = try await GStreamerDecks().describe(.url(file))
        #expect(track.replayGain?.trackGain == -6.5)
    }

    @Test func otherReferenceLevelIsConverted() async throws {
        let found = try await tags(
            .flac(bits: 16),
            ["REPLAYGAIN_TRACK_GAIN": "-6.50 dB", "REPLAYGAIN_REFERENCE_LOUDNESS": "83.0 dB"])
        #expect(found == ReplayGainTags(trackGain: -0.5))
    }

    /// In 1/256 dB, relative to -23 LUFS; ReplayGain refers to -18 LUFS.
    @Test func r128GainsOfOpus() async throws {
        let found = try await tags(
            .opus(kilobitsPerSecond: 96), ["R128_TRACK_GAIN": "-1664", "R128_ALBUM_GAIN": "256"])
        #expect(found == ReplayGainTags(trackGain: -1.5, albumGain: 6))
        #expect(try await tags(.opus(kilobitsPerSecond: 96), ["R128_TRACK_GAIN": "loud"]) == nil)
    }

    /// The smallest integer has no absolute value.
    @Test(arguments: ["-9223372036854775808", "9223372036854775807", "-32769"])
    func r128GainsOutOfRangeAreLeftOut(gain: String) async throws {
        let found = try await tags(
            .opus(kilobitsPerSecond: 96), ["R128_TRACK_GAIN": gain, "R128_ALBUM_GAIN": "-32768"])
        #expect(found == ReplayGainTags(albumGain: -123))
    }

    @Test func filesWithoutLoudnessHaveNone() async throws {
        #expect(try await tags(.flac(bits: 16), ["TITLE": "plain"]) == nil)
    }
}
