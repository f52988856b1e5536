public import DescantCore
public import DescantPlayback
internal import Synchronization

/// A catalog of engines that a test created. It records which engines are requested.
///
/// Callable from any thread.
public final class ScriptedEngines: EngineCatalog {
    private struct State {
        var engines: [any MediaEngine]
        var refusals: [String: String] = [:]
        var made: [String] = []
    }

    private let state: Mutex<State>

    /// Creates a catalog.
    ///
    /// - Parameter engines: The engines, the preferred one first.
    public init(_ engines: [any MediaEngine]) { state = Mutex(State(engines: engines)) }

    /// The identifiers of the requested engines, in order.
    public var made: [String] { state.withLock { $0.made } }

    /// Makes an engine unavailable, as when its bundle was removed.
    ///
    /// - Parameters:
    ///   - identifier: The engine's identifier.
    ///   - reason: The reason to report; `nil` makes the engine available again.
    public func refuse(_ identifier: String, because reason: String?) {
        state.withLock { $0.refusals[identifier] = reason }
    }

    /// The identifiers of the available engines.
    public var engines: [String] {
        state.withLock { state in state.engines.map(\.identifier).filter { state.refusals[$0] == nil } }
    }

    /// The reason why an engine is unavailable.
    ///
    /// - Parameter identifier: The engine's identifier.
    public func refusal(of identifier: String) -> String? {
        state.withLock { state in
            let isKnown = state.engines.contains { $0.identifier == identifier }
            return isKnown ? state.refusals[identifier] : "there is no \(identifier)"
        }
    }

    /// Returns an engine.
    ///
    /// - Parameter identifier: The engine's identifier.
    /// - Throws: `CoreError.notFound` for an unknown engine.
    public func makeEngine(_ identifier: String) async throws -> any MediaEngine {
        try state.withLock { state in
            state.made.append(identifier)
            guard let engine = state.engines.first(where: { $0.identifier == identifier }) else {
                throw CoreError.notFound("there is no \(identifier)")
            }
            return engine
        }
    }
}
