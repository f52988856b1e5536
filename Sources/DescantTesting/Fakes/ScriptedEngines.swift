public import DescantCore
public import DescantPlayback
internal import Synchronization

/// A catalog of engines that a test has made, which counts how often each is asked for.
///
/// Callable from any thread.
public final class ScriptedEngines: EngineCatalog {
    private struct State {
        var engines: [ScriptedEngine]
        var refusals: [String: String] = [:]
        var made: [String] = []
    }

    private let state: Mutex<State>

    /// Creates a catalog.
    ///
    /// - Parameter engines: The engines, the preferred one first.
    public init(_ engines: [ScriptedEngine]) { state = Mutex(State(engines: engines)) }

    /// The engines that were asked for, in order.
    public var made: [String] { state.withLock { $0.made } }

    /// Makes an engine unusable, as when its bundle is gone.
    ///
    /// - Parameters:
    ///   - identifier: The engine.
    ///   - reason: Why; `nil` makes it usable again.
    public func refuse(_ identifier: String, because reason: String?) {
        state.withLock { $0.refusals[identifier] = reason }
    }

    /// What can be used.
    public var engines: [String] {
        state.withLock { state in state.engines.map(\.identifier).filter { state.refusals[$0] == nil } }
    }

    /// Why an engine cannot be used.
    ///
    /// - Parameter identifier: The engine.
    public func refusal(of identifier: String) -> String? {
        state.withLock { state in
            let isKnown = state.engines.contains { $0.identifier == identifier }
            return isKnown ? state.refusals[identifier] : "there is no \(identifier)"
        }
    }

    /// Gives an engine out.
    ///
    /// - Parameter identifier: The engine.
    /// - Throws: `CoreError.notFound` for one that was never there.
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
