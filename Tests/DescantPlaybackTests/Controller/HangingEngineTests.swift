import DescantCore
import DescantTesting
import Foundation
import Testing

@testable import DescantPlayback

/// A controller with an engine that hangs: the controller answers, names the engine, and plays with another one.
///
/// Limits are short for the calls that hang alone: a busy machine delays all others.
@Suite(.timeLimit(.minutes(2)))
struct HangingEngineTests {
    private typealias Hang = StuckEngine.Kind

    /// A call of a host, and what hangs in it.
    struct Case: Sendable, CustomTestStringConvertible {
        let name: String
        let hangs: StuckEngine.Call
        /// The call in the error.
        var told: String?
        /// Where another engine goes on, in seconds.
        var position = 10.0
        let call: @Sendable (StuckEngines, MediaPlaybackController) async throws -> Void

        var testDescription: String { name }
    }

    /// Calls while the engine plays.
    static let whilePlaying = [
        Case(name: "pause", hangs: .pause) { await $1.pause() },
        Case(name: "seek", hangs: .seek, position: 42) { try await $1.seek(to: .time(42)) },
        Case(name: "setRate", hangs: .setRate) { try await $1.setRate(1.5) },
        Case(name: "state", hangs: .state, told: "engineState") { engines, _ in engines.alpha.base.set(.paused) },
        Case(name: "progress", hangs: .progress) { _ = await $1.progress },
    ]

    private let engines: StuckEngines
    private let controller: MediaPlaybackController
    private let log = RecordingLogger()

    init() { (engines, controller) = Self.make(StuckEngines(), log) }

    private static func make(
        _ engines: StuckEngines, _ log: RecordingLogger
    ) -> (StuckEngines, MediaPlaybackController) {
        (engines, MediaPlaybackController(catalog: engines, session: nil, policy: .onDemand, logger: log))
    }

    /// Plays ten seconds with the engine that hangs later.
    private func play() async throws {
        try await controller.makeEngines(engines.engines)
        try await controller.loadContent(ControllerBench.song)
        try await controller.play()
        engines.alpha.base.pass(10)
        #expect(await controller.progress.position == 10)
    }

    /// Lets calls of the first engine hang, within limits that are set at the same moment.
    private func hang(
        _ kind: StuckEngine.Kind, _ calls: Set<StuckEngine.Call>, _ limits: @Sendable (inout EngineLimits) -> Void
    ) async {
        await controller.limit {
            limits(&$0)
            engines.alpha.hang(kind, calls)
        }
    }

    private func wait(for activity: MediaPlaybackState.Activity) async {
        for await state in controller.updates where state.activity == activity { return }
    }

    /// Expects that the first engine is used no more, and commands are carried out by the second one.
    private func expectGivenUp(_ controller: MediaPlaybackController, _ call: String) async throws {
        #expect(!controller.canUseEngine("alpha") && controller.availableEngines == ["beta"])
        #expect(await controller.madeEngines == ["beta"])
        await #expect {
            try await controller.selectEngine("alpha")
        } throws: { error in
            "\(error)".hasPrefix("the engine alpha cannot be used: it has not answered `\(call)` within")
                && "\(error)".hasSuffix("; restart the program to use it again")
        }
        try await controller.play()
        await controller.pause()
        #expect(await controller.state.activity == .paused)
        try await controller.play()
        let state = await controller.state
        #expect(state.engine == "beta" && state.activity == .playing && state.lastErrorMessage == nil)
        await controller.stop()
        #expect(await controller.state.activity == .idle)
    }

    // MARK: Starts

    @Test(arguments: [StuckEngine.Call.load, .play], StuckEngine.Kind.allCases)
    func aStartGoesOnWithTheNextEngine(_ call: StuckEngine.Call, _ kind: StuckEngine.Kind) async throws {
        defer { engines.alpha.release() }
        try await controller.loadContent(ControllerBench.song)
        try await controller.makeEngines(engines.engines)
        try await controller.seek(to: .time(30))
        if call == .play { try await controller.preload() }
        await hang(kind, [call]) { $0.opening = 0.2 }
        let events = controller.events.numbered
        try await controller.play()
        #expect(engines.beta.base.calls == ["load", "seek 30.0", "play"])
        for await event in events {
            guard case .engineFellBack("alpha", "beta", let reason) = event.event else { continue }
            #expect(reason.hasPrefix("the engine alpha cannot be used: it has not answered `\(call)`"))
            break
        }
        #expect(await controller.state.lastErrorMessage == nil)
        try await expectGivenUp(controller, "\(call)")
    }

    @Test(arguments: StuckEngine.Kind.allCases)
    func theNextEngineIsMadeWhenMakingHangs(_ kind: StuckEngine.Kind) async throws {
        let (engines, controller) = Self.make(StuckEngines(making: kind), log)
        defer { engines.alpha.release() }
        try await controller.makeEngines(["beta"])
        try await controller.loadContent(ControllerBench.song)
        await controller.limit { $0.opening = 0.2 }
        try await controller.play()
        #expect(engines.beta.base.calls == ["load", "play"])
        #expect(log.events.contains { $0.name == "controller.fallback" })
        try await expectGivenUp(controller, "make")
    }

    @Test(arguments: StuckEngine.Kind.allCases)
    func theLastEngineGoesOnWhenANewOneHangs(_ kind: StuckEngine.Kind) async throws {
        defer { engines.alpha.release() }
        try await controller.makeEngines(["alpha", "beta"])
        try await controller.selectEngine("beta")
        try await controller.loadContent(ControllerBench.song)
        try await controller.play()
        engines.beta.base.pass(10)
        engines.alpha.hang(kind, [.play])
        // The opening has the same limit as the start, and does not hang.
        engines.alpha.afterOpenings { [weak controller = controller] in await controller?.limit { $0.opening = 0.2 } }
        await #expect(throws: MediaPlaybackError.self) { try await controller.selectEngine("alpha") }
        let state = await controller.state
        #expect(state.engine == "beta" && state.activity == .playing && state.progress.position == 10)
        #expect(state.lastErrorMessage?.contains("alpha") == true)
        try await expectGivenUp(controller, "play")
    }

    @Test(arguments: StuckEngine.Kind.allCases)
    func contentThatHangsIsPlayedByAnotherEngine(_ kind: StuckEngine.Kind) async throws {
        defer { engines.alpha.release() }
        try await controller.makeEngines(engines.engines)
        await hang(kind, [.load]) { $0.opening = 0.2 }
        await #expect(throws: MediaPlaybackError.self) { try await controller.loadContent(ControllerBench.song) }
        let state = await controller.state
        #expect(state.activity == .failed && state.offeredEngine == "beta")
        try await expectGivenUp(controller, "load")
    }

    // MARK: Playing

    @Test(arguments: whilePlaying, StuckEngine.Kind.allCases)
    func anotherEngineGoesOnAfterAHang(_ call: Case, _ kind: StuckEngine.Kind) async throws {
        defer { engines.alpha.release() }
        try await play()
        await hang(kind, [call.hangs]) { limits in
            if call.hangs == .state || call.hangs == .progress { limits.read = 1 } else { limits.command = 0.2 }
        }
        // A call that throws names the engine, as the state does.
        do { try await call.call(engines, controller) } catch { #expect("\(error)".contains("alpha")) }
        await wait(for: .failed)
        let state = await controller.state
        let told = call.told ?? call.name
        #expect(state.lastErrorMessage?.contains("alpha cannot be used: it has not answered `\(told)`") == true)
        #expect(state.offeredEngine == "beta" && state.progress.position == call.position)
        try await controller.play()
        #expect(engines.beta.base.calls == ["load", "seek \(call.position)", "play"])
        try await expectGivenUp(controller, told)
    }

    @Test(arguments: [false, true], StuckEngine.Kind.allCases)
    func aStopThatHangsIsAStop(_ stopsAll: Bool, _ kind: StuckEngine.Kind) async throws {
        defer { engines.alpha.release() }
        try await play()
        await hang(kind, [.stop]) { $0.command = 0.2 }
        if stopsAll { await controller.stopAll() } else { await controller.stop() }
        let state = await controller.state
        #expect(state.activity == .idle && state.progress.position == 0 && state.lastErrorMessage == nil)
        try await controller.play()
        #expect(engines.beta.base.calls.suffix(2) == ["load", "play"])
        try await expectGivenUp(controller, "stop")
    }

    /// More reads than the machine has cores.
    @Test(arguments: StuckEngine.Kind.allCases)
    func manyReadsHangAtOnce(_ kind: StuckEngine.Kind) async throws {
        defer { engines.alpha.release() }
        try await play()
        await hang(kind, [.progress]) { $0.read = 1 }
        await withTaskGroup { group in
            for _ in 0..<32 { group.addTask { _ = await controller.progress } }
        }
        await wait(for: .failed)
        try await expectGivenUp(controller, "progress")
    }

    @Test(arguments: StuckEngine.Kind.allCases)
    func aReadThatWaitsForACommandEndsNoEngine(_ kind: StuckEngine.Kind) async throws {
        defer { engines.alpha.release() }
        try await play()
        await hang(kind, [.pause, .progress]) { $0.read = 1 }
        let pausing = Task { await controller.pause() }
        await engines.alpha.isHanging.value
        #expect(await controller.progress.position == 10)
        await controller.limit { $0 = EngineLimits() }
        engines.alpha.release()
        await pausing.value
        let state = await controller.state
        #expect(state.engine == "alpha" && state.activity == .paused && state.lastErrorMessage == nil)
        #expect(controller.canUseEngine("alpha") && !log.events.contains { $0.name == "engine.hang" })
    }
}

extension MediaPlaybackController {
    /// Makes engines, so that none is made within a short limit; the first one of the catalog stays selected.
    fileprivate func makeEngines(_ identifiers: [String]) async throws {
        if engines.selected == nil { engines.selected = catalog.engines.first }
        for identifier in identifiers { _ = try await make(identifier) }
    }

    fileprivate func limit(_ change: (inout EngineLimits) -> Void) { change(&limits) }
}
