import Descant

/// The states of an engine, in order.
final class StateLog {
    private var states: EventStream<EngineState>.Iterator

    init(_ engine: any MediaEngine) { states = engine.stateUpdates.makeAsyncIterator() }

    /// Waits until the engine reports a state.
    func wait(for wanted: EngineState) async {
        while let state = await states.next() {
            if state == wanted { return }
        }
    }

    /// Waits until the engine reports one of some states.
    func first(of wanted: EngineState...) async -> EngineState? {
        while let state = await states.next() {
            if wanted.contains(state) { return state }
        }
        return nil
    }

    /// Waits until the engine reports a failure.
    func failure() async -> CoreError? {
        while let state = await states.next() {
            if case .failed(let error) = state { return error }
        }
        return nil
    }
}
