import AudioMeasurement
import DemoMusic
import DescantTestSupport
import Foundation
import Testing

extension RenderingSuite {
    /// The demo as `make play` renders it on a machine without a sound server.
    @Suite struct DemoTests {
        private let shop: Workshop

        init() throws { shop = try Workshop() }

        /// The demo's left channel, and the output of the program.
        private func demo(_ environment: [String: String] = [:]) async throws -> (sound: [Float], program: Program) {
            let environment = environment.merging(["TMPDIR": shop.folder.path]) { $1 }
            let program = try await Program.descant("play", "--demo", environment: environment, folder: shop.folder)
            #expect(program.status == 0, "\(program.errors)")
            return (left(of: try shop.samples("descant-demo-\(getuid()).wav")), program)
        }

        private func left(of samples: [Float]) -> [Float] {
            stride(from: 0, to: samples.count, by: 2).map { samples[$0] }
        }

        /// How much of the music is left in a span, and the level of all else, for the spans of a quarter of a second in the first
        /// eight seconds, when nothing but the first track is heard.
        private func compare(_ sound: [Float], with music: [Float]) -> [(gain: Double, rest: Double)] {
            stride(from: 0, to: 8 * 44_100, by: 11_025).map { start in
                var (both, square) = (0.0, 0.0)
                for frame in start..<start + 11_025 {
                    both += Double(sound[frame]) * Double(music[frame])
                    square += Double(music[frame]) * Double(music[frame])
                }
                let gain = both / square
                let rest = (start..<start + 11_025).reduce(0.0) { sum, frame in
                    let difference = Double(sound[frame]) - gain * Double(music[frame])
                    return sum + difference * difference
                }
                return (gain, (rest / 11_025).squareRoot())
            }
        }

        @Test func demoRendersWithAndWithoutVoice() async throws {
            let alone = try await demo()
            let lines = alone.program.errors.split(separator: "\n")
            #expect(lines.count { $0.contains("without its spoken line: no voice is installed") } == 1, "\(lines)")
            #expect(alone.program.errors.contains("no sound server") && alone.program.errors.contains("descant-demo"))
            try checkMusic(alone.sound)
            let seconds = Double(alone.sound.count) / 44_100
            let meters = alone.program.output.split(separator: "\n")
            #expect(meters.count == Int(seconds.rounded(.up)))
            #expect(meters.prefix(10).allSatisfy { $0.contains("█") && $0.contains("dB") })

            let flite = try await demo(shop.bundles("FliteSpeech"))
            #expect(!flite.program.errors.contains("spoken line:"), "\(flite.program.errors)")
            try checkLine(flite.sound, over: alone.sound)

            // The preferred voice is damaged; the next one speaks.
            let environment = try shop.bundles("EspeakSpeech")
            let bundle = URL(fileURLWithPath: environment["DESCANT_PLUGIN_PATH"] ?? "")
                .appendingPathComponent("FliteSpeech.descantplugin")
            try FileManager.default.copyItem(
                at: Bundles.folder().appendingPathComponent("FliteSpeech.descantplugin"), to: bundle)
            let library = bundle.appendingPathComponent("libFliteSpeech.so")
            try Data(contentsOf: library).prefix(5_000).write(to: library)
            let espeak = try await demo(environment)
            #expect(!espeak.program.errors.contains("spoken line:"), "\(espeak.program.errors)")
            #expect(espeak.sound != flite.sound)
            try checkLine(espeak.sound, over: alone.sound)
        }

        @Test func demoRendersWhereTheServerHasNoDevice() async throws {
            let server = try await PrivatePulseServer.withoutDevice()
            let (_, program) = try await demo(["PULSE_SERVER": server.address])
            #expect(program.errors.contains("the sound server has no device"), "\(program.errors)")
            #expect(program.errors.contains("descant-demo") && program.output.contains("dB"))
            let file = try shop.tone("a.wav", seconds: 0.2)
            let play = try await Program.descant("play", file, environment: ["PULSE_SERVER": server.address])
            #expect(play.status == 1 && play.errors.contains("the sound server has no device"), "\(play.errors)")
            #expect(play.errors.contains("--output null"))
        }

        /// Voices are in bundles, so the program starts without their libraries.
        @Test func programIsNotLinkedWithSpeechLibraries() async throws {
            let program = Program.products.appendingPathComponent("descant").path
            let libraries = try await Program.run("ldd", [program])
            #expect(libraries.status == 0 && libraries.output.contains("libDescant.so"), "\(libraries.errors)")
            for name in ["flite", "espeak", "sherpa", "onnx"] { #expect(!libraries.output.contains(name)) }
        }

        /// The tracks overlap for 4 s, and the ambience lies beneath them.
        private func checkMusic(_ sound: [Float]) throws {
            let set = try DemoSet(writingTo: shop.folder)
            let tracks = try set.tracks.map { left(of: try WaveFileReader(url: $0).readAll()) }
            let length = Double(tracks[0].count + tracks[1].count) / 44_100 - 4
            #expect(abs(Double(sound.count) / 44_100 - length) < 0.1, "\(sound.count) frames instead of \(length) s")
            // What is left of the mix without the first track is the ambience, which fades in for 2 s.
            let rest = zip(sound, tracks[0]).map { $0 - $1 }
            let ambience = compare(rest, with: left(of: try WaveFileReader(url: set.ambience).readAll()))
            #expect(ambience[0].gain < 0.1, "\(ambience[0])")
            #expect(ambience.dropFirst(8).allSatisfy { abs($0.gain - 0.3) < 0.01 && $0.rest < 0.001 }, "\(ambience)")
        }

        /// A voice announces the tracks, and the music is ducked.
        private func checkLine(_ sound: [Float], over music: [Float]) throws {
            try #require(sound.count == music.count, "the line lengthens nothing")
            #expect(sound.allSatisfy { abs($0) < 0.99 })
            let spans = compare(sound, with: music)
            // No sample differs before the line begins and after the level of the music is restored.
            #expect(sound.prefix(66_150) == music.prefix(66_150))
            let end = try #require(spans.lastIndex { $0.rest > 0.02 })
            #expect((12...24).contains(end), "the line ends at \(Double(end) / 4) s")
            #expect(sound.dropFirst((end + 8) * 11_025) == music.dropFirst((end + 8) * 11_025))
            // In between there is a voice in most spans, and the music is 12 dB lower: both are told apart by what they have
            // in common with the music alone.
            let spoken = spans[7...end]
            #expect(spoken.count { $0.rest > 0.02 } >= spoken.count / 2, "\(spoken)")
            let gains = spoken.map(\.gain).sorted()
            #expect(abs(gains[gains.count / 2] - 0.251) < 0.04, "\(spoken)")
            let pause = try #require(spoken.min { $0.rest < $1.rest })
            #expect(abs(pause.gain - 0.251) < 0.03, "tracks and ambience make way alike: \(pause)")
        }
    }
}
