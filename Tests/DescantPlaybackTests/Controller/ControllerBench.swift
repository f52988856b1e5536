import DescantCore
import DescantPlayback
import DescantTesting
import Foundation

/// A controller with two engines and a scripted audio session.
struct ControllerBench {
    let desktop = ScriptedAudioSession()
    let clock = ManualClock()
    let log = RecordingLogger()
    let alpha: ScriptedEngine
    let beta: ScriptedEngine
    let catalog: ScriptedEngines
    let selection: MemoryEngineSelection
    let coordinator: AudioSessionCoordinator
    let controller: MediaPlaybackController

    static let song = MediaContent.url(URL(fileURLWithPath: "/music/song.flac"))
    static let text = MediaContent.text(String(repeating: "word ", count: 400), language: "en")

    init(
        _ engines: [ScriptedEngine]? = nil, policy: EngineInitializationPolicy = .onDemand, selected: String? = nil,
        session: AudioSessionPolicy = AudioSessionPolicy(), others: (any OtherPlayersPort)? = nil
    ) {
        alpha = engines?.first ?? ScriptedEngine("alpha")
        beta = engines?.last ?? ScriptedEngine("beta")
        catalog = ScriptedEngines([alpha, beta])
        selection = MemoryEngineSelection(selected)
        coordinator = AudioSessionCoordinator(
            port: desktop, others: others, policy: session, clock: clock, logger: log)
        controller = MediaPlaybackController(
            catalog: catalog, session: coordinator, selection: selection, policy: policy, clock: clock, logger: log)
    }

    /// Plays a song for ten seconds.
    func playing(_ content: MediaContent = song) async throws -> Self {
        try await controller.loadContent(content)
        try await controller.play()
        alpha.pass(10)
        return self
    }

    /// Advances the clock until a change of route is accepted.
    func settleRoute() async {
        await clock.waitForSleepers()
        clock.advance(seconds: 0.05)
    }

    /// Waits until the session has handled all events so far.
    func settleSession() async {
        // Events are handled one after another.
        let stream = desktop.beginStream(.music, application: "last")
        for await status in coordinator.updates where status.situation.foreignStreams.contains(stream) { break }
        desktop.endStream(stream)
    }

    /// Waits until the controller is in a state.
    func wait(_ fits: (MediaPlaybackState) -> Bool) async {
        for await state in controller.updates where fits(state) { return }
    }
}
