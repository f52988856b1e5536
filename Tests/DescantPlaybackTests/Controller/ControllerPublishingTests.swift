import DescantCore
import DescantTesting
import Foundation
import Testing

@testable import DescantPlayback

/// What the controller publishes while an engine is slow to answer.
@Suite(.timeLimit(.minutes(2)))
struct ControllerPublishingTests {
    @Test func olderStateIsNotPublishedAfterANewerOne() async throws {
        let engine = StuckEngine()
        let controller = MediaPlaybackController(catalog: ScriptedEngines([engine]), session: nil)
        try await controller.loadContent(ControllerBench.song)
        try await controller.play()
        await controller.liftReadLimit()
        engine.hang(.suspended, [.progress], once: true)
        let older = Task { await controller.publish() }
        _ = await engine.isHanging.value(within: 60)
        await controller.pause()
        engine.release()
        await older.value
        for await state in controller.updates {
            #expect(state.activity == .paused)
            break
        }
    }
}

extension MediaPlaybackController {
    /// A busy machine may delay the command that ends a read for longer than an engine may take to answer one.
    fileprivate func liftReadLimit() { limits.read = 600 }
}
