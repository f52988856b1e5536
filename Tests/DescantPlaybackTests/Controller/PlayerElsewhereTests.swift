import DescantCore
import DescantPlayback
import DescantTesting
import Foundation
import Testing

/// A controller of a remote player with its own volume and queue.
@Suite(.timeLimit(.minutes(2)))
struct PlayerElsewhereTests {
    @Test func remoteControlReachesTheRemotePlayersVolumeAndQueue() async throws {
        let kitchen = Kitchen()
        let controller = MediaPlaybackController(catalog: ScriptedEngines([kitchen]), session: nil)
        try await controller.loadContent(ControllerBench.song)
        try await controller.play()
        let shown = await controller.nowPlaying()
        #expect(shown.abilities.isSuperset(of: [.next, .previous, .adjust, .pause]))
        #expect(shown.volume == 0.3)
        try await controller.perform(.setVolume(7))
        try await controller.perform(.next)
        try await controller.perform(.previous)
        #expect(await kitchen.asked == ["volume 1.0", "next", "previous"])
    }

    @Test func localEnginesHaveNoVolumeAndQueueOfTheirOwn() async throws {
        let bench = try await ControllerBench().playing()
        await #expect(throws: CoreError.self) { try await bench.controller.perform(.setVolume(0.5)) }
        await #expect(throws: CoreError.self) { try await bench.controller.perform(.next) }
        #expect(await bench.controller.nowPlaying().abilities.isDisjoint(with: [.next, .previous]))
    }
}

private actor Kitchen: RemotePlayerEngine {
    nonisolated let base = ScriptedEngine("kitchen", capabilities: [.playsURLs, .seeks, .remote])
    private(set) var asked: [String] = []

    nonisolated var identifier: String { base.identifier }
    nonisolated var capabilities: EngineCapabilities { base.capabilities }
    nonisolated var stateUpdates: EventStream<EngineState> { base.stateUpdates }
    var engineState: EngineState { base.engineState }
    var currentTime: TimeInterval { base.currentTime }
    var duration: TimeInterval? { base.duration }
    var volume: Double? { 0.3 }

    func loadContent(_ content: MediaContent) async throws { try await base.loadContent(content) }
    func play() async throws { try await base.play() }
    func pause() async { await base.pause() }
    func stop() async { await base.stop() }
    func seek(to position: MediaPosition) async throws { try await base.seek(to: position) }
    func setRate(_ rate: Double) async throws { try await base.setRate(rate) }
    func setVolume(_ volume: Double) async throws { asked.append("volume \(volume)") }
    func next() async throws { asked.append("next") }
    func previous() async throws { asked.append("previous") }
}
