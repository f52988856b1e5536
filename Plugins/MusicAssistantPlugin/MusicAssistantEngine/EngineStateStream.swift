internal import Descant

/// The host's stream of states; the client library has a type of the same name.
typealias EngineStateStream = EventStream<EngineState>
