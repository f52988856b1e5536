import DescantTestSupport
import DescantTesting
import Foundation
import Testing

extension PlayerSuite {
    /// What is heard of a book when keys are pressed: one recording of a private sound server, beside the sound of each sentence alone.
    @Suite(.timeLimit(.minutes(5))) struct ReadSoundTests {
        private let shop: Workshop
        private let server: PrivatePulseServer
        private let environment: [String: String]
        private let sentences = [
            "The first boat leaves the harbour at seven in the morning and passes under nine old bridges.",
            "Behind the second lock there is a garden where apples, plums and cherries grow all summer long.",
            "A third of the travellers walk up to the castle, while everyone else waits for the evening train.",
        ]

        init() throws {
            shop = try Workshop()
            server = try PrivatePulseServer()
            environment = try shop.bundles("FliteSpeech").merging([
                "PULSE_SERVER": server.address, "XDG_STATE_HOME": shop.path("state"),
                "DBUS_SESSION_BUS_ADDRESS": "unix:path=/nonexistent",
            ]) { $1 }
        }

        /// The second and third second of a sentence's own sound.
        private func excerpt(_ sentence: String) async throws -> [Float] {
            let program = try await Program.run(
                "descant", ["speak", "--engine", "flite", "--to", shop.path("sentence.wav"), sentence],
                environment: environment)
            #expect(program.status == 0, "\(program.errors)")
            return Array(try shop.samples("sentence.wav").dropFirst(48_000).prefix(96_000))
        }

        private func left(_ samples: [Float]) -> [Float] {
            stride(from: 0, to: samples.count, by: 2).map { samples[$0] }
        }

        /// Waits until the newest quarter of a second is silent, or is not.
        private func wait(_ what: String, in recording: MonitorRecording, silent: Bool) async throws {
            let end = recording.frameCount + 48_000 * 30
            while recording.frameCount < end {
                try await recording.wait(frames: recording.frameCount + 2_400)
                let peak = recording.newest(frames: 12_000).map(abs).max() ?? 0
                if silent ? peak < 0.0005 : peak > 0.02 { return }
            }
            throw TerminalProgram.Failure(description: "\(what) was never heard")
        }

        @Test func keysAreHeard() async throws {
            let own = try await [excerpt(sentences[1]), excerpt(sentences[2])]
            let book = try shop.file("boat.txt", sentences.joined(separator: " "))
            let recording = try await MonitorRecording(of: PrivatePulseServer.defaultSink, on: server)
            let reader = try TerminalProgram(
                "descant", ["read", "--engine", "flite", book], width: 100, height: 24, environment: environment)
            func press(_ keys: String, _ text: String) throws {
                reader.type(keys)
                try reader.wait("\(text) after \(keys)", until: shows(text))
            }
            /// Moves to the next sentence. Its excerpt was heard when four seconds have passed since it is marked.
            func hear(_ word: String) async throws {
                reader.type("n")
                try reader.wait("the sentence of \(word)") { $0.bold.contains(word) }
                try await recording.wait(frames: recording.frameCount + 192_000)
            }
            try reader.wait("the page", until: shows("▶ playing"))
            try await wait("the first sentence", in: recording, silent: false)
            try press(" ", "⏸ paused")
            try await wait("silence of the paused reader", in: recording, silent: true)
            try await recording.wait(frames: recording.frameCount + 24_000)
            try await wait("silence that lasts", in: recording, silent: true)
            try press(" ", "▶ playing")
            try await wait("the sound after the pause", in: recording, silent: false)
            try await hear("garden")
            try press("----------", "vol 50%")
            try await hear("castle")
            reader.type("q")
            #expect(try reader.finish() == 0)
            try await wait("silence at the end", in: recording, silent: true)

            let heard = left(await recording.stop())
            let found = own.map { Alignment(of: $0, in: heard) }
            // A busy server may drop about 20 ms, behind which the rest of an excerpt does not match.
            #expect((0.6...1.05).contains(found[0].correlation), "\(found[0])")
            #expect((1.2...2.1).contains(found[1].correlation), "\(found[1])")
            #expect(found[0].frame + 96_000 < found[1].frame, "\(found)")
        }
    }
}
