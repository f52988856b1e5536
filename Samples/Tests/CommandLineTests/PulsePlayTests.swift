import AudioMeasurement
import DescantTestSupport
import DescantTesting
import Foundation
import Testing

extension PlayingSuite {
    /// The audible sound of `play`, recorded from the monitor of a private sound server.
    @Suite struct PulsePlayTests {
        private let shop: Workshop
        private let server: PrivatePulseServer

        init() throws {
            shop = try Workshop()
            server = try PrivatePulseServer()
        }

        private func noise(_ name: String, seconds: Double, seed: UInt64) throws -> String {
            var state = seed
            let samples = (0..<Int(seconds * 48_000) * 2).map { _ -> Float in
                state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
                return Float(Int32(truncatingIfNeeded: state >> 32)) / Float(Int32.max) * 0.3
            }
            let url = shop.folder.appendingPathComponent(name)
            try WaveFile.write(samples, sampleRate: 48_000, channels: 2, format: .integer(bits: 16), to: url)
            return url.path
        }

        /// Plays while the monitor is recorded.
        ///
        /// - Returns: How many samples differ from the file, and how many frames of the file were found.
        private func listen(
            to file: [Float], arguments: [String], environment: [String: String]? = nil,
            meanwhile: (MonitorRecording) async throws -> Void = { _ in }
        ) async throws -> (wrong: Int, frames: Int) {
            let recording = try await MonitorRecording(of: PrivatePulseServer.defaultSink, on: server)
            let environment = environment ?? ["PULSE_SERVER": server.address]
            async let run = Program.run("descant", ["play", "--headless"] + arguments, environment: environment)
            try await meanwhile(recording)
            let player = try await run
            #expect(player.status == 0, "\(player.errors)")
            // All heard frames have passed the monitor when this many more frames are recorded.
            try await recording.wait(frames: recording.frameCount + 24_000)
            let heard = SampleBuffer(stereo: await recording.stop())
            func left(_ samples: [Float]) -> [Float] { stride(from: 0, to: samples.count, by: 2).map { samples[$0] } }
            let start = Alignment(of: Array(left(file).prefix(8192)), in: left(heard.samples)).frame
            guard start >= 0 else { return (file.count, 0) }
            let part = heard.samples.dropFirst(start * 2).prefix(file.count)
            return (zip(part, file).count { $0 != $1 }, part.count / 2)
        }

        @Test func recordingMatchesTheFile() async throws {
            let tracks = [try noise("a.wav", seconds: 2.5, seed: 1), try noise("b.wav", seconds: 2.5, seed: 2)]
            let render = try await Program.run(
                "descant", ["render", "--crossfade", "1", "--output", shop.path("file.wav")] + tracks)
            #expect(render.status == 0, "\(render.errors)")
            let file = try shop.samples("file.wav")
            #expect(file.count == 4 * 48_000 * 2)
            // A busy server may drop about 20 ms, so the test tries several times.
            var heard = (wrong: 1, frames: 0)
            for _ in 0..<5 where heard.wrong > 0 {
                heard = try await listen(to: file, arguments: ["--crossfade", "1"] + tracks)
            }
            #expect(heard.frames == 4 * 48_000)
            #expect(heard.wrong == 0)
        }

        /// Media controls go with the session bus, and the sound goes on.
        @Test(arguments: [true, false]) func whatHappensToTheBusIsNotHeard(isKilled: Bool) async throws {
            let track = try noise("a.wav", seconds: 4, seed: 5)
            let file = try WaveFileReader(url: URL(fileURLWithPath: track)).readAll()
            var heard = (wrong: 1, frames: 0)
            for _ in 0..<5 where heard.wrong > 0 {
                let bus = try PrivateBus()
                let environment = ["PULSE_SERVER": server.address, "DBUS_SESSION_BUS_ADDRESS": bus.address]
                heard = try await listen(to: file, arguments: [track], environment: environment) { recording in
                    var isHeard = false
                    while !isHeard {
                        try await recording.wait(frames: recording.frameCount + 4_800)
                        isHeard = recording.newest(frames: 4_800).contains { $0 != 0 }
                    }
                    try await recording.wait(frames: recording.frameCount + 24_000)
                    if isKilled { bus.kill() } else { bus.freeze() }
                }
            }
            #expect(heard.frames == 4 * 48_000)
            #expect(heard.wrong == 0)
        }

        @Test func effectsSoundOutAfterTheLastTrack() async throws {
            let track = try shop.tone("a.wav", seconds: 1, rate: 48_000)
            let environment = try shop.bundles("STKReverb").merging(["PULSE_SERVER": server.address]) { $1 }
            let effect = ["--insert", "reverb:mix=0.5"]
            let render = try await Program.run(
                "descant", ["render", "--output", shop.path("file.wav")] + effect + [track], environment: environment)
            #expect(render.status == 0, "\(render.errors)")
            let audible = { (samples: [Float]) in
                let loud = samples.indices.filter { abs(samples[$0]) > 0.001 }
                return ((loud.last ?? 0) - (loud.first ?? 0)) / 2
            }
            let expected = audible(try shop.samples("file.wav"))
            // A busy machine may put silence into the sound, so the test tries several times.
            var heard = 0
            for _ in 0..<5 where abs(heard - expected) >= 4_800 {
                let recording = try await MonitorRecording(of: PrivatePulseServer.defaultSink, on: server)
                let player = try await Program.run(
                    "descant", ["play", "--headless"] + effect + [track], environment: environment)
                #expect(player.status == 0, "\(player.errors)")
                try await recording.wait(frames: recording.frameCount + 24_000)
                heard = audible(await recording.stop())
            }
            // The reverb is heard longer than the tone, and as long as it is rendered.
            #expect(expected > 48_000 + 12_000)
            #expect(abs(heard - expected) < 4_800, "\(heard) of \(expected) frames")
        }

        @Test func tracksOfACUESheetAreHeardAsTheirFile() async throws {
            let album = try noise("album.wav", seconds: 4, seed: 4)
            let file = try WaveFileReader(url: URL(fileURLWithPath: album)).readAll()
            // The next track is opened while one is heard, so none is shorter than that takes.
            let starts = ["00:00:00", "00:01:37", "00:02:70"].enumerated()
            let sheet = try shop.file(
                "album.cue",
                "FILE album.wav WAVE\n" + starts.map { "TRACK \($0 + 1) AUDIO\nINDEX 01 \($1)\n" }.joined())
            var heard = (wrong: 1, frames: 0)
            for _ in 0..<5 where heard.wrong > 0 { heard = try await listen(to: file, arguments: [sheet]) }
            #expect(heard.frames == 4 * 48_000)
            #expect(heard.wrong == 0)
        }

        /// No sound card is needed: an ALSA device in the user's settings leads to the private server.
        @Test func alsaRecordingMatchesTheFile() async throws {
            let track = try noise("a.wav", seconds: 3, seed: 3)
            let file = try WaveFileReader(url: URL(fileURLWithPath: track)).readAll()
            try shop.file(".asoundrc", "pcm.stage { type pulse\n server \"\(server.address)\" }\n")
            let environment = ["HOME": shop.folder.path, "ALSA_CONFIG_PATH": "/usr/share/alsa/alsa.conf"]
            var heard = (wrong: 1, frames: 0)
            for _ in 0..<5 where heard.wrong > 0 {
                heard = try await listen(
                    to: file, arguments: ["--output", "alsa:stage", track], environment: environment)
            }
            #expect(heard.frames == 3 * 48_000)
            #expect(heard.wrong == 0)
        }

        @Test func missingALSADeviceIsNamedInTheError() async throws {
            let result = try await Program.descant(
                "play", "--headless", "--output", "alsa:moon", try noise("a.wav", seconds: 1, seed: 4))
            #expect(result.status != 0)
            #expect(result.errors.contains("moon") && result.errors.contains("aplay -L"), "\(result.errors)")
        }
    }
}
