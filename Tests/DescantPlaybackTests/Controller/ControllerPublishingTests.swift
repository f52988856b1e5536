import DescantCore
import DescantTesting
import Foundation
import Synchronization
import Testing

@testable import DescantPlayback

/// What the controller publishes while an engine is slow to answer.
@Suite(.timeLimit(.minutes(2)))
struct ControllerPublishingTests {
    /// An engine whose position is delayed once.
    private final class HesitantEngine: MediaEngine {
        let base = ScriptedEngine("hesitant")
        let isAsked = Promise<Void>()
        let mayAnswer = Promise<Void>()
        private let hesitations = Mutex(0)

        func hesitate() { hesitations.withLock { $0 = 1 } }

        var identifier: String { base.identifier }
        var capabilities: EngineCapabilities { base.capabilities }
        var engineState: EngineState { base.engineState }
        var duration: TimeInterval? { base.duration }
        var stateUpdates: EventStream<EngineState> { base.stateUpdates }
        var currentTime: TimeInterval {
            get async {
                let hesitates = hesitations.withLock { left in
                    defer { left = 0 }
                    return left > 0
                }
                if hesitates {
                    isAsked.resolve(())
                    _ = await mayAnswer.value(within: 60)
                }
                return base.currentTime
            }
        }
        func loadContent(_ content: MediaContent) async throws { try await base.loadContent(content) }
        func play() async throws { try await base.play() }
        func pause() async { await base.pause() }
        func stop() async { await base.stop() }
        func seek(to position: MediaPosition) async throws { try await base.seek(to: position) }
        func setRate(_ rate: Double) async throws { try await base.setRate(rate) }
    }

    private struct OneEngine: EngineCatalog {
        let engine: HesitantEngine
        var engines: [String] { [engine.identifier] }
        func refusal(of identifier: String) -> String? { nil }
        func makeEngine(_ identifier: String) async throws -> any MediaEngine { engine }
    }

    @Test func olderStateIsNotPublishedAfterANewerOne() async throws {
        let engine = HesitantEngine()
        let controller = MediaPlaybackController(catalog: OneEngine(engine: engine), session: nil)
        try await controller.loadContent(ControllerBench.song)
        try await controller.play()
        engine.hesitate()
        let older = Task { await controller.publish() }
        _ = await engine.isAsked.value(within: 60)
        await controller.pause()
        engine.mayAnswer.resolve(())
        await older.value
        for await state in controller.updates {
            #expect(state.activity == .paused)
            break
        }
    }
}
