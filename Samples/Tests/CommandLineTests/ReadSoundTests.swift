import DescantTestSupport
import DescantTesting
import Foundation
import Testing

extension PlayingSuite {
    /// What is heard of a book when keys are pressed: one recording of a private sound server, beside the sound of each sentence alone.
    @Suite(.timeLimit(.minutes(5))) struct ReadSoundTests {
        private let shop: Workshop
        private let server: PrivatePulseServer
        private let environment: [String: String]
        /// The first one is long: a test that is held up still finds it when it pauses the reader.
        private let sentences = [
            String(repeating: "The first boat leaves the harbour at seven, passes under nine old bridges, ", count: 8)
                + "and comes back.",
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

        /// The second and third second of a sentence's own sound, in four pieces.
        private func pieces(_ sentence: String) async throws -> [[Float]] {
            let program = try await Program.run(
                "descant", ["speak", "--engine", "flite", "--to", shop.path("sentence.wav"), sentence],
                environment: environment)
            #expect(program.status == 0, "\(program.errors)")
            let samples = try shop.samples("sentence.wav")
            return (2..<6).map { Array(samples[$0 * 24_000..<($0 + 1) * 24_000]) }
        }

        /// How loud pieces are heard: the second smallest number of four. A busy server may drop about 20 ms, behind which the rest of a piece
        /// does not match, so that it seems louder.
        private func gain(of pieces: [[Float]], in heard: ArraySlice<Float>) -> Double {
            pieces.map { 1 / Alignment(of: $0, in: Array(heard)).correlation }.sorted()[1]
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
            let own = try await [pieces(sentences[1]), pieces(sentences[2])]
            // The last one comes again and again: the text does not end before the commands do.
            let text = sentences + Array(repeating: sentences[2], count: 6)
            let book = try shop.file("boat.txt", text.joined(separator: " "))
            let recording = try await MonitorRecording(of: PrivatePulseServer.defaultSink, on: server)
            let reader = try TerminalProgram(
                "descant", ["read", "--engine", "flite", book], width: 100, height: 24, environment: environment)
            func press(_ keys: String, _ text: String) throws {
                reader.type(keys)
                try reader.wait("\(text) after \(keys)", until: shows(text))
            }
            /// Moves the paused reader to the next sentence, which has a word, and reads for longer than its pieces.
            ///
            /// - Returns: The frame before.
            func hear(_ word: String) async throws -> Int {
                let start = recording.frameCount
                reader.type("n")
                try reader.wait("the sentence with \(word)") { $0.bold.contains(word) }
                try press(" ", "▶ playing")
                try await wait("the sentence with \(word)", in: recording, silent: false)
                try await recording.wait(frames: recording.frameCount + 48_000 * 4)
                try press(" ", "⏸ paused")
                try await wait("silence behind \(word)", in: recording, silent: true)
                return start
            }
            try reader.wait("the page", until: shows("▶ playing"))
            try await wait("the first sentence", in: recording, silent: false)
            try press(" ", "⏸ paused")
            try await wait("silence of the paused reader", in: recording, silent: true)
            try await recording.wait(frames: recording.frameCount + 24_000)
            try await wait("silence that lasts", in: recording, silent: true)
            try press(" ", "▶ playing")
            try await wait("the sound after the pause", in: recording, silent: false)
            try press(" ", "⏸ paused")
            try await wait("silence before the next sentence", in: recording, silent: true)
            let second = try await hear("lock")
            try press("----------", "vol 50%")
            let third = try await hear("travellers")
            reader.type("q")
            #expect(try reader.finish() == 0)
            try await wait("silence at the end", in: recording, silent: true)

            let heard = left(await recording.stop())
            #expect(abs(gain(of: own[0], in: heard[second..<third]) - 1) < 0.1)
            #expect(abs(gain(of: own[1], in: heard[third...]) - 0.5) < 0.05)
        }
    }
}
