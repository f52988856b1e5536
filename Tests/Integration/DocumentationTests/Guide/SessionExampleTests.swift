import Descant
import DescantTesting
import Foundation
import Testing

/// The example of the guide "Audio session on Linux", on a scripted audio session.
@Suite(.timeLimit(.minutes(2))) struct SessionExampleTests {
    @Test func sessionExampleKeepsThePolicy() async throws {
        let desktop = ScriptedAudioSession()
        let environment = environmentForRadioPlays(port: desktop)
        let session = environment.session
        #expect(session.policy.interruption == .duck(to: 0.2))
        #expect(environment.session(for: .pulse(server: "unix:/elsewhere")) === session, "the host has one session")
        let format = PCMFormat(sampleRate: 8_000, channels: 1)
        let manual = ManualMixingEngine.offline(format: format)
        let track = URL(fileURLWithPath: "/play.wav")
        manual.decks.register(SampleBuffer(format: format, samples: [Float](repeating: 0.1, count: 8_000)), for: track)
        let player = AudioPlayerService(engine: manual.engine, session: session)
        #expect(await line(of: session) == "silent")
        try await player.loadPlaylist([track])
        #expect(await line(of: session)?.hasPrefix("playing to ") == true)
        await player.stop(fadeDuration: 0)
        #expect(await line(of: session) == "silent")
    }

    private func line(of session: AudioSessionCoordinator) async -> String? {
        for await status in session.updates { return describe(status) }
        return nil
    }
}
