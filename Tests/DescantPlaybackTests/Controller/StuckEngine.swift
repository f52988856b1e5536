import DescantCore
import DescantTesting
import Dispatch
import Foundation
import Synchronization

@testable import DescantPlayback

/// An engine of which calls can hang until it is released, as one of a bundle.
final class StuckEngine: MediaEngine {
    /// How a call hangs.
    enum Kind: CaseIterable {
        /// It waits for something that does not come.
        case suspended
        /// It blocks its thread.
        case blocked
    }

    /// A call that can hang.
    enum Call { case load, play, pause, stop, seek, setRate, state, progress }

    let base = ScriptedEngine("alpha")
    /// Resolved when a call hangs.
    let isHanging = Promise<Void>()
    private let end = Promise<Void>()
    private let endOfBlocks = DispatchSemaphore(value: 0)
    private let hanging = Mutex((kind: Kind.suspended, calls: Set<Call>(), once: false))

    /// What an opening throws that was ended while it hung.
    let cancellation = Mutex<any Error>(CancellationError())

    private struct OpeningEnd {
        var action: @Sendable () async -> Void = {}
    }

    private let openingEnd = Mutex(OpeningEnd())

    /// Runs an action at the end of every opening, before the engine answers.
    func afterOpenings(_ action: @escaping @Sendable () async -> Void) { openingEnd.withLock { $0.action = action } }

    /// Lets calls hang from now on, or each of them once.
    func hang(_ kind: Kind, _ calls: Set<Call>, once: Bool = false) { hanging.withLock { $0 = (kind, calls, once) } }

    /// Ends the calls that hang, and lets none hang any more.
    func release() {
        hanging.withLock { $0.calls = [] }
        end.resolve(())
        endOfBlocks.signal()
    }

    /// Hangs if this call is to.
    private func enter(_ call: Call) async {
        let kind: Kind? = hanging.withLock { hanging in
            guard hanging.calls.contains(call) else { return nil }
            if hanging.once { hanging.calls.remove(call) }
            return hanging.kind
        }
        if let kind { await hang(kind) }
    }

    func hang(_ kind: Kind) async {
        isHanging.resolve(())
        switch kind {
        case .suspended: await end.value
        case .blocked: block()
        }
    }

    private func block() {
        endOfBlocks.wait()
        // For the next one that is blocked.
        endOfBlocks.signal()
    }

    var identifier: String { base.identifier }
    var capabilities: EngineCapabilities { base.capabilities }
    var stateUpdates: EventStream<EngineState> { base.stateUpdates }
    var duration: TimeInterval? { base.duration }
    var engineState: EngineState {
        get async {
            await enter(.state)
            return base.engineState
        }
    }
    var currentTime: TimeInterval {
        get async {
            await enter(.progress)
            return base.currentTime
        }
    }

    func loadContent(_ content: MediaContent) async throws {
        await enter(.load)
        // An opening that was ended while it hung opens nothing.
        if Task.isCancelled { throw cancellation.withLock { $0 } }
        try await base.loadContent(content)
        let end = openingEnd.withLock { $0 }
        await end.action()
    }
    func play() async throws {
        await enter(.play)
        try await base.play()
    }
    func pause() async {
        await enter(.pause)
        await base.pause()
    }
    func stop() async {
        await enter(.stop)
        await base.stop()
    }
    func seek(to position: MediaPosition) async throws {
        await enter(.seek)
        try Task.checkCancellation()
        try await base.seek(to: position)
    }
    func setRate(_ rate: Double) async throws {
        await enter(.setRate)
        try Task.checkCancellation()
        try await base.setRate(rate)
    }
}

/// A scripted engine that is called without limits, so that a busy machine does not end it.
final class DirectEngine: SelfLimitingEngine {
    let base: ScriptedEngine

    init(_ identifier: String) { base = ScriptedEngine(identifier) }

    var identifier: String { base.identifier }
    var capabilities: EngineCapabilities { base.capabilities }
    var engineState: EngineState { base.engineState }
    var currentTime: TimeInterval { base.currentTime }
    var duration: TimeInterval? { base.duration }
    var stateUpdates: EventStream<EngineState> { base.stateUpdates }
    func loadContent(_ content: MediaContent) async throws { try await base.loadContent(content) }
    func play() async throws { try await base.play() }
    func pause() async { await base.pause() }
    func stop() async { await base.stop() }
    func seek(to position: MediaPosition) async throws { try await base.seek(to: position) }
    func setRate(_ rate: Double) async throws { try await base.setRate(rate) }
}

/// Two engines, of which the making of the first one can hang.
struct StuckEngines: EngineCatalog {
    let alpha = StuckEngine()
    let beta = DirectEngine("beta")
    /// How the making of the first one hangs; `nil` when it does not.
    var making: StuckEngine.Kind?

    var engines: [String] { ["alpha", "beta"] }
    func refusal(of identifier: String) -> String? { nil }
    func makeEngine(_ identifier: String) async throws -> any MediaEngine {
        guard identifier == "alpha" else { return beta }
        if let making { await alpha.hang(making) }
        return alpha
    }
}
