import AudioMeasurement
import Foundation
import Testing

@testable import descant_bench

extension RenderingSuite {
    /// The output of descant-bench, parsed as a benchmark does. The figures themselves are not tested.
    @Suite struct BenchTests {
        private let shop: Workshop

        init() throws { shop = try Workshop() }

        private func bench(
            _ arguments: String..., environment: [String: String] = [:]
        ) async throws -> [String: [String]] {
            let variables = environment.merging(["RATE": "44100"]) { first, _ in first }
            let result = try await Program.run("descant-bench", arguments, environment: variables)
            #expect(result.status == 0, "\(result.errors)")
            var figures: [String: [String]] = [:]
            for word in result.output.split(whereSeparator: \.isWhitespace) {
                let parts = word.split(separator: "=", maxSplits: 1).map(String.init)
                if parts.count == 2 { figures[parts[0], default: []].append(parts[1]) }
            }
            return figures
        }

        private func number(_ figures: [String: [String]], _ name: String) throws -> Double {
            let text = try #require(figures[name]?.first)
            return try #require(Double(text))
        }

        @Test func decodeReportsFramesAndTime() async throws {
            let figures = try await bench("decode", try shop.flac("a.flac", seconds: 3), "null", "48000")
            #expect(try number(figures, "out_s") == 3)
        }

        @Test func mixWritesRawSamples() async throws {
            let overlay = try shop.flac("o.flac", seconds: 0.5)
            let figures = try await bench(
                "mix", try shop.flac("a.flac", seconds: 4), try shop.flac("b.flac", seconds: 4), overlay, "44100", "1",
                shop.path("out.raw"))
            #expect(try number(figures, "out_s") == 7)
            #expect(try Data(contentsOf: shop.folder.appendingPathComponent("out.raw")).count == 7 * 44_100 * 4)
        }

        @Test func gaplessPlaylistHasNoExtraFrame() async throws {
            let figures = try await bench(
                "gap", shop.path("out.raw"), "44100", try shop.flac("a.flac", seconds: 0.7),
                try shop.flac("b.flac", seconds: 0.7))
            #expect(try number(figures, "samples") == 2 * 30_870)
            #expect(try Data(contentsOf: shop.folder.appendingPathComponent("out.raw")).count == 2 * 30_870 * 4)
        }

        @Test func callsAreTimed() async throws {
            let figures = try await bench("calls", "null", "3", try shop.flac("a.flac", seconds: 30))
            for call in ["pause", "resume_all", "overlay_volume", "seek", "remove"] {
                #expect(try number(figures, "\(call)_ms") <= number(figures, "\(call)_maximum_ms"))
                #expect(try number(figures, "\(call)_ms") <= number(figures, "slowest_ms"))
            }
        }

        @Test func callsReturnWhileTheSoundServerIsFrozen() async throws {
            let figures = try await bench("calls", "frozen", "1", try shop.flac("a.flac", seconds: 30))
            #expect(try number(figures, "slowest_ms") > 0)
        }

        @Test func aCrossfadeIsComparedWithTheIdeal() async throws {
            let file = shop.folder.appendingPathComponent("crossfade.raw")
            _ = try await bench("crossfade", file.path)
            #expect(try CrossfadeBench.error(of: file) < 1e-6)
            // A frame that is louder than it should be.
            var samples = try Data(contentsOf: file)
            samples.replaceSubrange(800_000..<800_004, with: withUnsafeBytes(of: Float(0.9)) { Data($0) })
            try samples.write(to: file)
            #expect(try CrossfadeBench.error(of: file) > 0.1)
        }

        @Test(arguments: ["cached", "uncached"]) func aBundleIsLoaded(files: String) async throws {
            let figures = try await bench("bundle", files, environment: try shop.bundles("FLACDecoder"))
            for name in ["scan_ms", "load_ms", "again_ms", "dlopen_ms"] {
                #expect(try number(figures, name) > 0, "\(name)")
            }
        }

        @Test func tagsAreCounted() async throws {
            let list = try shop.file("files", try shop.flac("a.flac", seconds: 0.1) + "\n")
            let figures = try await bench("scan", list)
            #expect(try number(figures, "files") == 1)
        }

        @Test func startReportsEachRound() async throws {
            let figures = try await bench("start", "null", "3", try shop.flac("a.flac", seconds: 5))
            #expect(figures["t_play_ns"]?.count == 3)
            #expect(try number(figures, "cold_ms") > 0)
            let (exec, cold) = (try number(figures, "exec_ms"), try number(figures, "cold_ms"))
            #expect(exec >= cold)
            #expect(try number(figures, "warm_ms") > 0)
        }

        @Test func seekWritesTheSoundOfTheNewPosition() async throws {
            // The frequency of a rising tone shows the position of the samples.
            let wave = shop.folder.appendingPathComponent("ramp.wav")
            try Ramp.write(to: wave, seconds: 20)
            let figures = try await bench("seek", "null", "accurate", shop.folder.path, wave.path, "12.5", "3.25")
            #expect(try number(figures, "seek_p95_ms") >= number(figures, "seek_ms"))
            #expect(figures["t_seek_ns"]?.count == 2 && figures["latency_ms"]?.count == 2)
            for (index, position) in [12.5, 3.25].enumerated() {
                let data = try Data(contentsOf: shop.folder.appendingPathComponent("seek_\(index).raw"))
                #expect(data.count == 44_100 * 4)
                // After the ramp against clicks, whose first sample is silent.
                let expected = Int(position * 44_100) + 4410
                #expect((expected...expected + 1).contains(Ramp.position(in: data, frame: 4410)))
                // The ramp begins with the first frame of sound: at its 20th frame the gain is one twentieth.
                let full = Int(position * 44_100) % 16_384
                #expect(Ramp.left(in: data, frame: 20) < full / 10)
            }
        }

        /// `make test-long` measures a peer, too.
        private static let players =
            ProcessInfo.processInfo.environment["DESCANT_BENCH_PEERS"] == nil ? ["own"] : ["own", "playbin"]

        @Test(arguments: players) func eachCommandIsHeard(player: String) async throws {
            let rate = 44_100
            let samples = (0..<60 * rate).flatMap { frame in
                let pitch = frame < 30 * rate ? 1_000.0 : 3_000.0
                let sample = Float(sin(2 * .pi * pitch * Double(frame) / Double(rate)) / 4)
                return [sample, sample]
            }
            let tones = shop.folder.appendingPathComponent("tones.wav")
            try WaveFile.write(samples, sampleRate: rate, channels: 2, format: .integer(bits: 16), to: tones)
            let other = try shop.tone("other.wav", frequency: 5_000, seconds: 30)
            var unheard = ["start"]
            // On a busy machine a command may be heard late, or only behind the next one: the test tries several times.
            for _ in 0..<5 where !unheard.isEmpty {
                let figures = try await bench("transport", player, "pulse", tones.path, other)
                unheard = ["start", "pause", "resume", "volume", "seek", "next"].filter { command in
                    // What the command was given too late for would be heard after a second.
                    !(-50...1_000).contains(figures["\(command)_ms"]?.first.flatMap { Double($0) } ?? .infinity)
                }
            }
            #expect(unheard.isEmpty, "\(unheard)")
        }

        @Test func theListOfAFileIsLoaded() async throws {
            let list = try shop.file("list.m3u", (0..<100).map { "/music/\($0).flac\n" }.joined())
            let figures = try await bench("list", list)
            #expect(try number(figures, "entries") == 100)
            for name in ["load_ms", "rss_kb", "op_append_ms", "op_insert_ms", "op_move_ms", "op_remove_ms"] {
                #expect(try number(figures, name) > 0, "\(name)")
            }
        }

        @Test func growthIsMeasured() async throws {
            #expect(try number(try await bench("layers", "3"), "layers_ms") > 0)
            let subscribers = try await bench("subscribers", "10")
            #expect(try number(subscribers, "read_us") >= number(subscribers, "post_us"))
        }

        @Test func busyCountsMissingFrames() async throws {
            let figures = try await bench("busy", "1")
            for name in ["underruns", "silent_ms", "lost_frames", "starved_decks"] {
                #expect(try number(figures, name) >= 0)
            }
            // Without sound the count would be meaningless.
            #expect(try number(figures, "lost_frames") < 48_000)
        }

        @Test func realTimePlaybackEndsAfterItsDuration() async throws {
            let figures = try await bench("rt", "null", "30", try shop.flac("a.flac", seconds: 0.5))
            #expect(figures["t_play_ns"]?.count == 1)
        }

        @Test func speechReportsTimeAndMemory() async throws {
            let bundles = try shop.bundles("EspeakSpeech", "FliteSpeech")
            for engine in ["espeak", "flite"] {
                var figures = try await bench("speech", "first", engine, "2", environment: bundles)
                figures.merge(try await bench("speech", "length", engine, "2", environment: bundles)) { $1 }
                figures.merge(try await bench("speech", "play", engine, "2", environment: bundles)) { $1 }
                let names = [
                    "cold_ms", "warm_ms", "rtf_sentence", "rtf_page", "cpu_page", "memory_mb", "play_cold_ms",
                    "play_ms", "play_slowest_ms",
                ]
                for name in names { #expect(try number(figures, name) > 0, "\(engine) \(name)") }
            }
            let figures = try await bench("speech", "switch", "espeak", "flite", "2", environment: bundles)
            #expect(try number(figures, "switch_cold_ms") > 0 && number(figures, "switch_ms") > 0)
            #expect(try await Program.run("descant-bench", ["speech", "sing", "flite", "1"]).status == 1)
        }

        @Test func wrongUsageExitsWith2() async throws {
            #expect(try await Program.run("descant-bench", ["seek", "null"]).status == 2)
            #expect(try await Program.run("descant-bench", []).status == 2)
        }
    }
}
