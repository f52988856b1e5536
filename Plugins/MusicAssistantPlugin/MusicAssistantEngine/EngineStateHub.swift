internal import Descant

/// The host's hub of states; the client library has a type of the same name.
typealias EngineStateHub = EventHub<EngineState>
