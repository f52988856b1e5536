import Descant
import DescantTestSupport
import DescantTesting
import Foundation
import Testing

/// Speech as it is heard on a sound server that has half a second of it queued.
@Suite("Speech on a device", .serialized, .timeLimit(.minutes(5)))
struct SpeechOnADeviceTests {
    /// A voice of tones on a server, and the recording of what is heard.
    private struct Rig {
        let server: PrivateSoundServer
        let mixer: any MixingEngine
        let voice: SpeechEngine
        let recording: any HeardRecording

        init(_ kind: PrivateSoundServer.Kind) async throws {
            server = try PrivateSoundServer(kind)
            mixer = try AudioEnvironment(plugins: PluginRegistry(searchPath: []))
                .makeEngine(output: .pulse(device: Stage.speakers, server: server.address))
            voice = SpeechEngine(identifier: "tones", synthesizer: ToneSynthesizer(), mixer: mixer)
            recording = try await server.record()
        }

        func waitUntilFinished() async {
            for await state in voice.stateUpdates where state == .finished { return }
        }

        /// Ends everything; returns what was heard.
        func end() async throws -> [Float] {
            try await recording.wait(frames: recording.frameCount + 9_600)
            await voice.shutdown()
            await mixer.shutdown()
            return SampleBuffer(stereo: await recording.stop()).channel(0)
        }
    }

    // MARK: Marks

    /// A word that was told.
    private struct Told {
        /// The frame of the output that the event names.
        var frame: Int
        /// How many frames were recorded when the event arrived.
        var recorded: Int
    }

    private static let words = [
        "Alpha", "beta", "gamma", "delta", "epsilon", "zeta", "eta", "theta", "iota", "kappa",
    ]

    @Test("Words are told while they are heard", arguments: PrivateSoundServer.Kind.allCases)
    func marks(server: PrivateSoundServer.Kind) async throws {
        var problems: [String?] = Self.words.map { "\($0): not tried" }
        // A busy machine is late now and then, and its server may drop some milliseconds: each word is in time once.
        for _ in 0..<(server == .pipeWire ? 6 : 4) where problems.contains(where: { $0 != nil }) {
            problems = zip(problems, try await Self.problems(of: server)).map { $0 == nil ? nil : $1 }
        }
        #expect(problems.allSatisfy { $0 == nil }, "\(problems.compactMap(\.self))")
    }

    /// Speaks the words.
    ///
    /// - Returns: For each word what was wrong with it.
    private static func problems(of server: PrivateSoundServer.Kind) async throws -> [String?] {
        let rig = try await Rig(server)
        let events = rig.voice.events
        let reading = Task {
            var told: [Told] = []
            for await event in events {
                if case .word = event.kind, let frame = event.frame {
                    told.append(Told(frame: Int(frame), recorded: rig.recording.frameCount))
                }
                if event.kind == .finished { break }
            }
            return told
        }
        try await rig.voice.loadContent(.text(words.joined(separator: ", ") + ".", language: nil))
        try await rig.voice.play()
        await rig.waitUntilFinished()
        let told = await reading.value
        let onsets = SoundOnsets.frames(in: try await rig.end(), sampleRate: 48_000)
        guard told.count == words.count, onsets.count == told.count else {
            return words.map { "\($0): \(told.count) words were told, \(onsets.count) were heard" }
        }
        // Frames of the output and of the recording begin at different moments.
        let distances = zip(told, onsets).map { $0.frame - $1 }
        let start = distances.sorted()[distances.count / 2]
        return zip(words, zip(distances, zip(told, onsets))).map { word, moments -> String? in
            let (distance, (told, onset)) = moments
            let (error, lateness) = (Double(distance - start) / 48_000, Double(told.recorded - onset) / 48_000)
            // What was heard is recorded up to 60 ms later.
            if abs(error) <= 0.03, (-0.06...0.03).contains(lateness) { return nil }
            return "\(word): \(error) s beside its sound, told \(lateness) s after it"
        }
    }

    // MARK: Speed

    @Test("A change of speed is heard within 200 ms", arguments: PrivateSoundServer.Kind.allCases)
    func speed(server: PrivateSoundServer.Kind) async throws {
        var delay = Double.infinity
        // A busy server may drop some milliseconds, which look like the change.
        for _ in 0..<(server == .pipeWire ? 8 : 4) where !(-0.06...0.2).contains(delay) {
            let plain = try await Self.speak(on: server)
            let changed = try await Self.speak(on: server, rate: 2)
            let first = zip(plain.samples, changed.samples).enumerated().first { abs($1.0 - $1.1) > 0.05 }
            delay = Double((first?.offset ?? .max) - changed.moment) / 48_000
        }
        #expect((-0.06...0.2).contains(delay), "the old speed was heard for \(delay) s")
    }

    /// Speaks a sentence, and after a second of it sets the speed.
    ///
    /// - Returns: What was heard from the first sound on, and the frame of it that was recorded last when the speed was set.
    private static func speak(
        on server: PrivateSoundServer.Kind, rate: Double = 1
    ) async throws -> (samples: ArraySlice<Float>, moment: Int) {
        let rig = try await Rig(server)
        let text = "Alpha beta gamma delta epsilon zeta eta theta iota kappa lambda my ny xi omikron pi rho."
        try await rig.voice.loadContent(.text(text, language: nil))
        try await rig.voice.play()
        for await state in rig.voice.stateUpdates where state == .playing { break }
        try await rig.recording.wait(frames: rig.recording.frameCount + 48_000)
        let moment = rig.recording.frameCount
        try await rig.voice.setRate(rate)
        await rig.waitUntilFinished()
        let heard = try await rig.end()
        let first = try #require(heard.firstIndex { abs($0) > 0.01 })
        return (heard[first...], moment - first)
    }
}
