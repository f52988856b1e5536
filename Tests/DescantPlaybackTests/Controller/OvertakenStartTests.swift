import DescantCore
import DescantTesting
import Foundation
import Testing

@testable import DescantPlayback

/// Commands of a controller while an engine opens slow content: they end the opening, and every start that waits behind it.
@Suite(.timeLimit(.minutes(2)))
struct OvertakenStartTests {
    private let alpha = StuckEngine()
    private let beta = ScriptedEngine("beta")
    private let controller: MediaPlaybackController

    init() { controller = MediaPlaybackController(catalog: ScriptedEngines([alpha, beta]), session: nil) }

    /// Begins to open the content, and gives the engine the following commands while it does.
    private func duringTheOpening(
        _ commands: [@Sendable (isolated MediaPlaybackController) async throws -> Void]
    ) async throws -> (opening: Task<Void, any Error>, commands: [Task<Void, any Error>]) {
        try await controller.prepareSettings()
        alpha.hang(.suspended, [.load])
        let opening = Task { try await controller.loadContent(ControllerBench.song) }
        await alpha.isHanging.value
        let tasks = await controller.queue(commands)
        while await controller.commands.waiting == 0 { await Task.yield() }
        alpha.release()
        return (opening, tasks)
    }

    /// An engine may tell of the end of its opening in words of its own.
    @Test(arguments: [CancellationError(), CoreError.ioError("the connection was closed")] as [any Error])
    func stopEndsTheOpeningAndAPlayThatWaits(_ cancellation: any Error) async throws {
        alpha.cancellation.withLock { $0 = cancellation }
        let (opening, tasks) = try await duringTheOpening([{ try await $0.play() }, { await $0.stop() }])
        await #expect(throws: CancellationError.self) { try await opening.value }
        await #expect(throws: CancellationError.self) { try await tasks[0].value }
        try await tasks[1].value
        let state = await controller.state
        #expect(state.activity == .idle && state.lastErrorMessage == nil && state.content == ControllerBench.song)
        #expect(!alpha.base.calls.contains("play"))
        // The next play opens the content.
        try await controller.play()
        #expect(alpha.base.calls.suffix(2) == ["load", "play"])
    }

    @Test func theNextContentEndsTheOpening() async throws {
        let (opening, tasks) = try await duringTheOpening([{ try await $0.loadContent(ControllerBench.text) }])
        await #expect(throws: CancellationError.self) { try await opening.value }
        try await tasks[0].value
        let state = await controller.state
        #expect(state.activity == .idle && state.lastErrorMessage == nil && state.content == ControllerBench.text)
        #expect(alpha.base.content == ControllerBench.text)
    }

    @Test func pauseEndsAPlayThatWaitsAndIsPaused() async throws {
        let (_, tasks) = try await duringTheOpening([{ try await $0.play() }, { await $0.pause() }])
        await #expect(throws: CancellationError.self) { try await tasks[0].value }
        try await tasks[1].value
        #expect(await controller.state.activity == .paused)
        #expect(!alpha.base.calls.contains("play"))
    }

    /// Who has just pressed play wants the new engine to play.
    @Test func anEngineThatIsSelectedPlaysInPlaceOfAPlayThatWaits() async throws {
        let (_, tasks) = try await duringTheOpening([{ try await $0.play() }, { try await $0.selectEngine("beta") }])
        await #expect(throws: CancellationError.self) { try await tasks[0].value }
        try await tasks[1].value
        #expect(await controller.state.activity == .playing)
        #expect(!alpha.base.calls.contains("play"))
        #expect(beta.calls == ["load", "play"])
    }

    /// The call ends the start as every command does, and who has pressed play still wants to hear it.
    @Test func theEngineThatStartsPlaysWhenItIsSelectedAgain() async throws {
        let (_, tasks) = try await duringTheOpening([{ try await $0.play() }, { try await $0.selectEngine("alpha") }])
        await #expect(throws: CancellationError.self) { try await tasks[0].value }
        try await tasks[1].value
        #expect(await controller.state.activity == .playing)
    }

    @Test func unloadingAnotherEngineEndsNoStart() async throws {
        try await controller.prepareSettings()
        alpha.hang(.suspended, [.load])
        let opening = Task { try await controller.loadContent(ControllerBench.song) }
        await alpha.isHanging.value
        let tasks = await controller.queue([{ try await $0.play() }, { await $0.unloadEngine("beta") }])
        // Both calls come meanwhile. If they do not, the test does not see what it looks for.
        for _ in 0..<1_000 { await Task.yield() }
        alpha.release()
        try await opening.value
        for task in tasks { try await task.value }
        #expect(await controller.state.activity == .playing)
    }

    /// Whose task is cancelled wants no other engine, and what played goes on.
    @Test func aCancelledSwitchLeavesEverythingAsItWas() async throws {
        try await controller.selectEngine("beta")
        try await controller.loadContent(ControllerBench.song)
        try await controller.play()
        beta.pass(10)
        alpha.hang(.suspended, [.load])
        let switching = Task { try await controller.selectEngine("alpha") }
        await alpha.isHanging.value
        switching.cancel()
        alpha.release()
        await #expect(throws: CancellationError.self) { try await switching.value }
        let state = await controller.state
        #expect(state.engine == "beta" && state.activity == .playing && state.lastErrorMessage == nil)
        #expect(state.progress.position == 10 && beta.engineState == .playing)
    }

    /// An engine that heeds the cancellation does not move, or change its speed. The next start does.
    @Test(arguments: [StuckEngine.Call.seek, .setRate])
    func aCancelledStartKeepsPlaceAndSpeed(_ call: StuckEngine.Call) async throws {
        try await controller.loadContent(ControllerBench.song)
        try await controller.seek(to: .time(30))
        try await controller.setRate(2)
        alpha.hang(.suspended, [call])
        let start = Task { try await controller.play() }
        await alpha.isHanging.value
        start.cancel()
        alpha.release()
        await #expect(throws: CancellationError.self) { try await start.value }
        #expect(await controller.state.rate == 2)
        #expect(await controller.progress.position == 30)
        try await controller.play()
        #expect(alpha.base.rate == 2 && alpha.base.currentTime == 30)
    }

    @Test func theLastOfTwoSelectedEnginesPlays() async throws {
        try await controller.loadContent(ControllerBench.song)
        try await controller.play()
        let tasks = await controller.queue([
            { try await $0.selectEngine("beta") }, { try await $0.selectEngine("alpha") },
        ])
        // The first one is carried out, or ended by the second one.
        try? await tasks[0].value
        try await tasks[1].value
        let state = await controller.state
        #expect(state.engine == "alpha" && state.activity == .playing)
        #expect(beta.engineState != .playing)
    }
}

extension MediaPlaybackController {
    /// Begins commands in this order, and does not wait for them.
    fileprivate func queue(
        _ commands: [@Sendable (isolated MediaPlaybackController) async throws -> Void]
    ) -> [Task<Void, any Error>] {
        commands.map { command in Task { try await command(self) } }
    }
}
