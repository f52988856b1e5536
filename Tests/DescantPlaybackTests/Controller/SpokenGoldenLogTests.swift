import DescantCore
import DescantPlayback
import DescantTesting
import Testing

/// The log records of spoken texts, field by field: first those of engine, controller and session in order, then for each
/// sentence those of its synthesis, which runs concurrently. Tests with real voices use the same files.
@Suite(.timeLimit(.minutes(2)))
struct SpokenGoldenLogTests {
    private static let text = "Apple river. Stone garden."

    private let log = RecordingLogger()
    private let manual = ManualMixingEngine.offline(
        format: PCMFormat(sampleRate: ToneSynthesizer.sampleRate, channels: 1))
    private let controller: MediaPlaybackController

    init() {
        let engine = SpeechEngine(
            identifier: "tones", synthesizer: ToneSynthesizer(concurrency: 1), mixer: manual.engine, logger: log)
        controller = MediaPlaybackController(
            catalog: ScriptedEngines([engine]),
            session: AudioSessionCoordinator(port: ScriptedAudioSession(), logger: log), policy: .onDemand, logger: log)
    }

    private func begin() async throws {
        try await controller.loadContent(.text(Self.text, language: "en"))
        try await controller.play()
        _ = try await manual.engine.advance(frames: 1_000, untilIdle: nil)
        await log.wait(for: "engine.didStart")
        await log.wait(for: "speech.complete", count: 2)
    }

    @Test func fromStartToFinish() async throws {
        try await begin()
        _ = try await manual.engine.advance(frames: 80_000, untilIdle: nil)
        for await state in controller.updates where state.activity == .finished { break }
        try GoldenLog.check(SpokenLog.ordered(log), "spoken-text")
        #expect(log.entries.allSatisfy { $0.level <= .info })
    }

    @Test func cancelled() async throws {
        try await begin()
        await controller.stop()
        try GoldenLog.check(SpokenLog.ordered(log), "spoken-text-cancelled")
    }
}
