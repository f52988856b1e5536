import AudioMeasurement
import Foundation
import Testing

extension RenderingSuite {
    /// Renders of timelines, whose sound is measured.
    @Suite struct TimelineTests {
        private let shop: Workshop
        private let main: String
        private let other: String

        init() throws {
            shop = try Workshop()
            main = try shop.flac("a.flac", frequency: 440, seconds: 4)
            other = try shop.flac("b.flac", frequency: 1000, seconds: 3)
        }

        private func render(_ arguments: String..., inputs: [String]? = nil) async throws -> RenderOutput {
            let result = try await Program.run(
                "descant",
                ["render", "--json", "--output", shop.path("out.wav")] + arguments + (inputs ?? [main, other]))
            #expect(result.status == 0, "\(result.errors)")
            let report = try result.json(RenderOutput.self)
            #expect(report.events.map(\.frame) == report.events.map(\.frame).sorted(), "events in the order of frames")
            return report
        }

        private func names(_ report: RenderOutput) -> [String] {
            report.tracks.map { URL(string: $0.url)?.lastPathComponent ?? $0.url }
        }

        /// The render without the tracks, which contains overlays and effects.
        private func beside(_ tracks: String) throws -> [Float] {
            zip(try shop.samples("out.wav"), try shop.samples(tracks)).map { $0 - $1 }
        }

        private func level(_ samples: ArraySlice<Float>) -> Double {
            20 * log10(sqrt(samples.reduce(0.0) { $0 + Double($1) * Double($1) } / Double(samples.count)))
        }

        @Test func nextAndPreviousCrossfadeAtTheirFrame() async throws {
            let report = try await render(
                "--crossfade", "1", "--command", "1=next", "--command", "2.5=previous")
            #expect(names(report) == ["a.flac", "b.flac", "a.flac", "b.flac"])
            #expect(report.transitions.map(\.startFrame) == [44_100, 110_250, 110_250 + 3 * 44_100])
            #expect(report.transitions.allSatisfy { $0.kind == "crossfade" && $0.frames == 44_100 })
            #expect(report.frames == 110_250 + 3 * 44_100 + 3 * 44_100)
        }

        @Test func jumpLeadsToTheNamedTrack() async throws {
            let report = try await render("--command", "1=jump:1", "--command", "2=jump:0", "--command", "2.5=jump:1")
            #expect(names(report) == ["a.flac", "b.flac", "a.flac", "b.flac"])
        }

        @Test func pauseInsertsSilenceAndLosesNoFrame() async throws {
            let report = try await render("--command", "1=pause", "--command", "1.5=resume", inputs: [main])
            #expect(report.frames == 4 * 44_100 + 22_050)
            let states = report.events.filter { $0.event == "stateChanged" }
            #expect(states.map(\.state).contains("paused"))
            #expect(states.first { $0.state == "paused" }?.frame == 44_100)
        }

        @Test func renderEndsAtPauseWithoutResume() async throws {
            let report = try await render("--command", "1=pause")
            #expect(report.frames == 44_100)
        }

        @Test func stopFadesOutAndEnds() async throws {
            let long = try shop.flac("long.flac", seconds: 8)
            let report = try await render("--command", "2=stop", inputs: [long])
            #expect(report.frames == 5 * 44_100)
            let samples = try shop.samples("out.wav")
            #expect(abs(samples[samples.count - 1]) < 1e-3)
            #expect(Array(samples[..<(4 * 44_100)]) == Array(try shop.samples("long.flac.wav")[..<(4 * 44_100)]))
        }

        @Test func seekAndSkipMoveThePosition() async throws {
            // A seek fades out for 0.3 s before it moves; the track continues during that time.
            let seek = try await render("--command", "1=seek:3", inputs: [main])
            #expect(seek.frames == 101_430)
            let skip = try await render("--command", "1=skip:2", inputs: [main])
            #expect(abs(skip.frames - 2 * 44_100) <= Int64(0.3 * 44_100))
            #expect(skip.events.contains { $0.event == "positionChanged" })
        }

        @Test func replacedPlaylistStartsWithCrossfade() async throws {
            let report = try await render("--command", "1=replace:\(other)", inputs: [main])
            #expect(names(report) == ["a.flac", "b.flac"] && report.transitions.map(\.kind) == ["crossfade"])
        }

        @Test func masterVolumeChangesAtItsFrame() async throws {
            _ = try await render("--command", "1=volume:50", inputs: [main])
            let (rendered, original) = (try shop.samples("out.wav"), try shop.samples("a.flac.wav"))
            #expect(Array(rendered[..<88_200]) == Array(original[..<88_200]))
            let worst = (2 * 88_200..<rendered.count).map { abs(rendered[$0] - 0.5 * original[$0]) }.max()
            #expect(try #require(worst) < 1e-6)
        }

        @Test func overlayCommandsDoNotAffectTheMainLine() async throws {
            let bell = try shop.flac("bell.flac", frequency: 2000, seconds: 1)
            let report = try await render(
                "--overlay", bell, "--overlay-loop", "infinite", "--command", "0.5=overlay-pause", "--command",
                "1=overlay-resume", "--command", "2=overlay-volume:0.5", inputs: [main])
            #expect(report.frames == 4 * 44_100)
            let overlay = try beside("a.flac.wav")
            let clip = try shop.samples("bell.flac.wav")
            #expect(zip(overlay[..<40_000], clip).allSatisfy { abs($0 - $1) < 1e-6 })
            // Paused from 0.5 s to 1 s, except for the ramps of 10 ms.
            #expect(overlay[50_000..<88_000].allSatisfy { abs($0) < 1e-6 })
            #expect(abs(level(overlay[200_000..<260_000]) - level(clip[..<60_000]) + 6.02) < 0.05)
            #expect(
                report.events.filter { $0.event == "overlayChanged" }.map(\.state).prefix(3) == [
                    "playing", "paused", "playing",
                ])
        }

        @Test func everyOverlayHasItsOwnVolumeAndLoops() async throws {
            let low = try shop.flac("low.flac", frequency: 200, seconds: 0.5)
            let high = try shop.flac("high.flac", frequency: 5000, seconds: 0.5)
            _ = try await render(
                "--overlay", low, "--overlay-volume", "0.5", "--overlay-loop", "2", "--overlay", high,
                "--overlay-volume", "0.25", "--overlay-loop", "1", inputs: [main])
            let overlay = try beside("a.flac.wav")
            let (one, two) = (try shop.samples("low.flac.wav"), try shop.samples("high.flac.wav"))
            let first = one.indices.map { abs(overlay[$0] - 0.5 * one[$0] - 0.25 * two[$0]) }.max()
            let second = one.indices.map { abs(overlay[one.count + $0] - 0.5 * one[$0]) }.max()
            #expect(try #require(first) < 1e-6 && #require(second) < 1e-6)
            #expect(overlay[(2 * one.count)...].allSatisfy { $0 == 0 })
        }

        @Test func effectsSoundAtTheirFrame() async throws {
            let bell = try shop.flac("bell.flac", frequency: 2000, seconds: 0.5)
            let report = try await render("--effect", "\(bell)@1.25", inputs: [main])
            let overlay = try beside("a.flac.wav")
            let clip = try shop.samples("bell.flac.wav")
            let start = 2 * 55_125
            #expect(overlay[..<start].allSatisfy { $0 == 0 })
            let worst = clip.indices.map { abs(overlay[start + $0] - clip[$0]) }.max()
            #expect(try #require(worst) < 1e-6)
            #expect(report.events.first { $0.event == "effectStarted" }?.frame == 55_125)
        }

        @Test func mainLineIsDucked() async throws {
            let bell = try shop.flac("bell.flac", frequency: 2000, seconds: 1)
            _ = try await render("--duck", "12", "--effect", "\(bell)@1", inputs: [main])
            let (rendered, original) = (try shop.samples("out.wav"), try shop.samples("a.flac.wav"))
            let clip = try shop.samples("bell.flac.wav")
            // Half a second into the effect the main layer is 12 dB lower.
            let span = 2 * 66_150..<2 * 79_380
            let ducked = span.map { rendered[$0] - clip[$0 - 88_200] }
            #expect(abs(level(ducked[...]) - level(original[span]) + 12) < 0.05)
        }

        @Test func flatEqualiserIsBitExactAndBandsHaveTheirGain() async throws {
            _ = try await render("--eq", "0,0,0,0,0,0,0,0,0,0", inputs: [other])
            #expect(try shop.samples("out.wav") == shop.samples("b.flac.wav"))
            _ = try await render("--eq", "0,0,0,0,0,-6,0,0,0,0", inputs: [other])
            let (rendered, original) = (try shop.samples("out.wav"), try shop.samples("b.flac.wav"))
            #expect(abs(level(rendered[88_200...]) - level(original[88_200...]) + 6) < 0.05)
        }

        /// A tone at full scale that rises from 20 Hz to 20 kHz is made louder at no frequency, so that the limiter has nothing to do.
        @Test func presetsOfTheEqualizerAmplifyNothing() async throws {
            let (seconds, rate, low, high, level) = (4.0, 44_100.0, 20.0, 20_000.0, 0.97)
            let growth = log(high / low) / seconds
            let sweep = (0..<Int(seconds * rate)).flatMap { frame in
                let phase = 2 * Double.pi * low / growth * (exp(growth * Double(frame) / rate) - 1)
                return [Float](repeating: Float(level * sin(phase)), count: 2)
            }
            let url = shop.folder.appendingPathComponent("sweep.wav")
            try WaveFile.write(sweep, sampleRate: Int(rate), channels: 2, format: .integer(bits: 16), to: url)
            /// The peaks around some frequencies, as gains in decibels.
            func gains(_ equalizer: String, at frequencies: Double...) async throws -> [Double] {
                _ = try await render("--eq", equalizer, inputs: [url.path])
                let samples = try shop.samples("out.wav")
                let peak = samples.map(abs).max() ?? 1
                #expect(Double(peak) < 1.01 * level, "\(equalizer)")
                return frequencies.map { frequency in
                    let frame = Int(log(frequency / low) / growth * rate)
                    let part = samples[2 * (frame - 2_400)..<2 * (frame + 2_400)]
                    return 20 * log10(Double(part.map(abs).max() ?? 0) / level)
                }
            }
            let bass = try await gains("bass", at: 60, 1_000)
            #expect(bass[0] > -1 && bass[0] - bass[1] > 4, "\(bass)")
            let treble = try await gains("treble", at: 1_000, 9_000)
            #expect(treble[1] > -2 && treble[1] - treble[0] > 3, "\(treble)")
            let loudness = try await gains("loudness", at: 60, 1_000, 14_000)
            #expect(loudness[0] - loudness[1] > 5 && loudness[2] - loudness[1] > 4, "\(loudness)")
            let voice = try await gains("voice", at: 60, 1_700, 14_000)
            #expect(voice[1] - voice[0] > 10 && voice[1] - voice[2] > 4, "\(voice)")
            #expect(try await gains("off", at: 60).allSatisfy { abs($0) < 0.1 })
        }

        @Test func replayGainFollowsTheTags() async throws {
            let tagged = try shop.flac(
                "loud.flac", seconds: 1, tags: ["REPLAYGAIN_TRACK_GAIN=-6.00 dB", "REPLAYGAIN_ALBUM_GAIN=-3.00 dB"])
            let original = try shop.samples("loud.flac.wav")
            for (mode, decibels) in [("off", 0.0), ("track", -6), ("album", -3)] {
                _ = try await render("--replaygain", mode, inputs: [tagged])
                let rendered = try shop.samples("out.wav")
                #expect(abs(level(rendered[...]) - level(original[...]) - decibels) < 0.01, "\(mode)")
            }
        }

        @Test func repeatAndShuffleAreApplied() async throws {
            let twice = try await render("--repeat", "playlist", "--repeat-count", "1")
            #expect(names(twice) == ["a.flac", "b.flac", "a.flac", "b.flac"])
            let thrice = try await render("--repeat", "track", "--repeat-count", "2", inputs: [other])
            #expect(names(thrice) == ["b.flac", "b.flac", "b.flac"] && thrice.frames == 9 * 44_100)
            let files = try (1...6).map { try shop.flac("s\($0).flac", seconds: 0.2) }
            let first = try await render("--shuffle-seed", "42", inputs: files)
            let second = try await render("--shuffle-seed", "42", inputs: files)
            #expect(names(first) == names(second) && Set(names(first)).count == 6)
            #expect(names(first) != files.map { URL(fileURLWithPath: $0).lastPathComponent })
            let drawn = try await render("--shuffle", inputs: files)
            #expect(Set(names(drawn)).count == 6)
        }

        @Test func refusedCommandsAreReported() async throws {
            let report = try await render("--command", "1=resume", "--command", "1=jump:7")
            #expect(report.errors.map(\.code) == ["invalidState", "invalidPlaylistIndex"])
            #expect(report.frames == 7 * 44_100)
            // What comes too late is named, too.
            let late = try await render("--command", "8=volume:50", "--command", "9=next")
            #expect(late.errors.map(\.message).allSatisfy { $0.contains("lies behind the end, 7.0 s") })
            #expect(late.errors.count == 2)
        }

        @Test(arguments: [
            ["--command", "next"], ["--command", "1=leap"], ["--command", "-1=next"], ["--command", "1=jump"],
            ["--command", "1=volume:200"], ["--command", "1=pause:3"], ["--effect", "bell.flac"], ["--eq", "1,2,3"],
            ["--eq", "deep"],
            ["--repeat", "playlist"], ["--repeat-count", "2"], ["--duck", "-3"], ["--replaygain", "loud"],
        ])
        func wrongUsageExitsWith2(arguments: [String]) async throws {
            let result = try await Program.run(
                "descant", ["render", "--output", shop.path("out.wav"), main] + arguments)
            #expect(result.status == 2, "\(result.errors)")
        }
    }
}
