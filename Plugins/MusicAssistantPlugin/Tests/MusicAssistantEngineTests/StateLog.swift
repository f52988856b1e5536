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
}
