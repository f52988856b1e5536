import AudioMeasurement
import DescantTestSupport
import DescantTesting
import Foundation
import Testing

extension PlayingSuite {
    /// What is heard when keys are pressed: one recording of a private sound server, and tones that tell tracks and halves of tracks apart.
    @Suite(.timeLimit(.minutes(5))) struct TerminalSoundTests {
        private let shop: Workshop
        private let server: PrivatePulseServer

        init() throws {
            shop = try Workshop()
            server = try PrivatePulseServer()
        }

        /// The tones of the first track's halves, and of the second track, in Hz. A tenth of a second has whole periods of each of them.
        private static let tones = (first: 500.0, second: 700.0, next: 1_000.0)
        /// The amplitude of each tone in its file.
        private static let level = 0.25

        private func tracks() throws -> [String] {
            var halves: [Float] = []
            for frequency in [Self.tones.first, Self.tones.second] {
                let step = 2 * Double.pi * frequency / 48_000
                let tenth = (0..<4_800).map { Float(Self.level * sin(step * Double($0))) }
                for _ in 0..<400 { halves += tenth }
            }
            let first = shop.folder.appendingPathComponent("a.wav")
            try WaveFile.write(halves, sampleRate: 48_000, channels: 1, format: .integer(bits: 16), to: first)
            let next = try shop.tone(
                "b.wav", frequency: Self.tones.next, seconds: 120, rate: 48_000, channels: 1, level: Self.level)
            return [first.path, next]
        }

        /// The amplitudes of the three tones, and the peak of everything, in the newest tenth of a second.
        private struct Heard {
            var first = 0.0
            var second = 0.0
            var next = 0.0
            var peak: Float = 0

            var isSilent: Bool { peak < 0.0005 }

            init(_ samples: [Float]) {
                let left = stride(from: 0, to: samples.count, by: 2).map { samples[$0] }
                func amplitude(_ frequency: Double) -> Double {
                    ToneFit(frequency: frequency, in: left, frames: 0..<left.count, sampleRate: 48_000).amplitude
                }
                first = amplitude(tones.first)
                second = amplitude(tones.second)
                next = amplitude(tones.next)
                peak = left.map(abs).max() ?? 0
            }
        }

        /// Waits until a tenth of a second is heard as a condition wants it.
        private func wait(
            _ what: String, in recording: MonitorRecording, until isReached: (Heard) -> Bool
        ) async throws {
            let end = recording.frameCount + 48_000 * 30
            var heard = Heard([])
            while recording.frameCount < end {
                try await recording.wait(frames: recording.frameCount + 2_400)
                heard = Heard(recording.newest(frames: 4_800))
                if isReached(heard) { return }
            }
            throw TerminalProgram.Failure(description: "\(what) was never heard, but \(heard)")
        }

        /// Whether a tone has the amplitude of a volume.
        private func near(_ amplitude: Double, _ volume: Double) -> Bool {
            abs(amplitude - volume * Self.level) < 0.01 * Self.level
        }

        @Test func keysAreHeard() async throws {
            let files = try tracks()
            let recording = try await MonitorRecording(of: PrivatePulseServer.defaultSink, on: server)
            let shell = try TerminalProgram.shell(environment: ["PULSE_SERVER": server.address])
            let program = Program.products.appendingPathComponent("descant").path
            shell.type("\(program) play \(files.joined(separator: " "))\n")
            func press(_ keys: String, _ text: String) throws {
                shell.type(keys)
                try shell.wait("\(text) after \(keys)", until: shows(text))
            }
            try shell.wait("the view", until: shows("▶ playing"))
            try await wait("the first half", in: recording) { near($0.first, 1) && $0.second < 0.001 }

            try press("------", "70%")
            try await wait("a lower volume", in: recording) { near($0.first, 0.7) }
            try press("m", "muted")
            try await wait("silence of the muted player", in: recording) { $0.isSilent }
            try press("m", "70%")
            try await wait("the sound again", in: recording) { near($0.first, 0.7) }
            try press(" ", "⏸ paused")
            try await wait("silence of the paused player", in: recording) { $0.isSilent }
            try press(" ", "▶ playing")
            try await wait("the sound after the pause", in: recording) { near($0.first, 0.7) }
            try press("v", "■ stopped")
            try await wait("silence of the stopped player", in: recording) { $0.isSilent }
            try press(" ", "▶ playing")
            try await wait("the beginning", in: recording) { near($0.first, 0.7) && $0.second < 0.001 }

            shell.type("5")
            try shell.wait("the middle") { (shownPosition($0) ?? 0) >= 39 }
            try await wait("the second half", in: recording) { near($0.second, 0.7) && $0.first < 0.001 }
            try press("]]]]]", "1.5×")
            // A tone of another pitch would be at 1,050 Hz.
            try await wait("the same pitch", in: recording) { $0.second > 0.9 * 0.7 * Self.level && $0.next < 0.01 }
            try press("\u{7f}x", "crossfade 2 s")
            let before = recording.frameCount
            shell.type("9")
            try await wait("the next track", in: recording) { near($0.next, 0.7) && $0.second < 0.001 }
            // The recording is searched afterwards: the two seconds of both tracks may pass while the test is held up.
            let join = recording.newest(frames: recording.frameCount - before)
            let tenths = stride(from: 0, to: join.count - 9_600, by: 4_800).map { Heard(Array(join[$0..<$0 + 9_600])) }
            // At a hard cut, two overlapping tenths would have both tones.
            #expect(tenths.count { $0.second > 0.02 && $0.next > 0.02 } > 4, "the tracks were not heard together")
            try shell.wait("the next track's name", until: shows("▶ b"))

            try await hearJobControl(shell, recording)

            try await interrupt(shell, recording, number: 0)
            // A busy server may drop about 20 ms, which would be a step: a fade that has one is heard again.
            var ends = [recording.frameCount]
            for number in 1...2 {
                shell.type("\(program) play --volume 70 \(files[1])\n")
                try shell.wait("the view") { $0.isAlternateScreen && shows("▶ playing")($0) }
                try await wait("the next track again", in: recording) { near($0.next, 0.7) }
                try await interrupt(shell, recording, number: number)
                ends.append(recording.frameCount)
            }
            let heard = await recording.stop()
            let left = stride(from: 0, to: heard.count, by: 2).map { heard[$0] }
            let fades = ends.map { Fade(in: left[..<$0]) }
            #expect(fades.contains { $0.isSmooth }, "\(fades)")
        }

        /// A low and a high tone together, whose levels tell the presets of the equaliser apart.
        @Test func theEqualizerIsHeard() async throws {
            let (low, high) = (60.0, 8_000.0)
            let tones = (0..<48_000 * 120).map { frame in
                let angle = 2 * Double.pi * Double(frame) / 48_000
                return Float(Self.level * (sin(low * angle) + sin(high * angle)))
            }
            let file = shop.folder.appendingPathComponent("two.wav")
            try WaveFile.write(tones, sampleRate: 48_000, channels: 1, format: .integer(bits: 16), to: file)
            let recording = try await MonitorRecording(of: PrivatePulseServer.defaultSink, on: server)
            let gains = "0,0,0,0,0,0,0,0,-12,0"
            let player = try TerminalProgram(
                "descant", ["play", "--eq", gains, file.path], width: 80, height: 24,
                environment: ["PULSE_SERVER": server.address])
            /// Waits until both tones are heard with gains in decibels.
            func hear(_ what: String, _ expected: (low: Double, high: Double)) async throws {
                func gain(_ frequency: Double, _ left: [Float]) -> Double {
                    let fit = ToneFit(frequency: frequency, in: left, frames: 0..<left.count, sampleRate: 48_000)
                    return 20 * log10(fit.amplitude / Self.level)
                }
                var heard: (low: Double, high: Double) = (-99, -99)
                let end = recording.frameCount + 48_000 * 30
                while abs(heard.low - expected.low) > 0.5 || abs(heard.high - expected.high) > 0.5 {
                    guard recording.frameCount < end else {
                        throw TerminalProgram.Failure(description: "\(what) was never heard, but \(heard)")
                    }
                    try await recording.wait(frames: recording.frameCount + 2_400)
                    let samples = recording.newest(frames: 4_800)
                    let left = stride(from: 0, to: samples.count, by: 2).map { samples[$0] }
                    heard = (gain(low, left), gain(high, left))
                }
            }
            try player.wait("the gains of the command line", until: shows("eq custom"))
            try await hear("the gains of the command line", (0, -12))
            for (name, expected) in [
                ("bass", (-0.3, -6)), ("treble", (-6, -1.4)), ("loudness", (-0.4, -3.1)), ("voice", (-17.3, -6)),
            ] {
                player.type("e")
                try player.wait(name, until: shows("eq \(name)"))
                try await hear(name, expected)
            }
            player.type("e")
            try player.wait("no equaliser") { !shows("eq ")($0) }
            try await hear("the tones as they are", (0, 0))
            player.type("e")
            try player.wait("the gains of the command line again", until: shows("eq custom"))
            try await hear("the gains of the command line again", (0, -12))
            player.type("q")
            #expect(try player.finish() == 0)
        }

        /// Stops the program with Ctrl-Z, lets it play on in the background, and brings it to the foreground again.
        private func hearJobControl(_ shell: TerminalProgram, _ recording: MonitorRecording) async throws {
            shell.type("\u{1a}")
            try shell.wait("the shell") { !$0.isAlternateScreen && shows("ready>")($0) }
            try await wait("silence of the stopped program", in: recording) { $0.isSilent }
            shell.type("bg\n")
            try await wait("the sound in the background", in: recording) { near($0.next, 0.7) }
            shell.type("fg\n")
            try shell.wait("the view again") { $0.isAlternateScreen && shows("▶ playing")($0) }
            try await wait("the sound in the foreground", in: recording) { near($0.next, 0.7) }
        }

        private func interrupt(_ shell: TerminalProgram, _ recording: MonitorRecording, number: Int) async throws {
            shell.type("\u{3}")
            try shell.wait("the shell at the end") { !$0.isAlternateScreen && shows("ready>")($0) }
            try await wait("silence at the end", in: recording) { $0.isSilent }
            shell.type("echo \"sta\"\"tus \(number): $?\"\n")
            try shell.wait("the status", until: shows("status \(number): 130"))
        }

        /// The end of a sound: neither does a sample jump, nor is the level gone at once.
        private struct Fade {
            /// How many frames it takes from 90 to 10 % of the level.
            let length: Int
            /// The largest step between two neighbouring samples, as a multiple of the largest one in the tone itself; more than 1 is a click.
            let jump: Float

            var isSmooth: Bool { length > 4_800 && jump < 1.1 }

            init(in sound: ArraySlice<Float>) {
                let level = Float(0.7 * TerminalSoundTests.level)
                let slope = level * Float(2 * Double.pi * tones.next / 48_000)
                let loud = sound.lastIndex { abs($0) > 0.9 * level } ?? sound.startIndex
                let quiet = sound.lastIndex { abs($0) > 0.1 * level } ?? sound.startIndex
                length = quiet - loud
                let end = sound[loud...]
                jump = (zip(end, end.dropFirst()).map { abs($1 - $0) }.max() ?? 0) / slope
            }
        }
    }
}
