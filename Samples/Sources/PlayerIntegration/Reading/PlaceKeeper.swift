internal import Descant
internal import Foundation
internal import Synchronization

/// Keeps the place in a book while it is read.
final class PlaceKeeper: Sendable {
    private struct State {
        var position: ReadingPosition
        var hasSaved = false
        var hasFailed = false
    }

    private let request: ReadRequest
    private let positions: ReadingPositions
    /// Receives the reason, once, when places cannot be stored.
    private let onFailure: @Sendable (String) -> Void
    private let state: Mutex<State>

    init(_ request: ReadRequest, in positions: ReadingPositions, onFailure: @escaping @Sendable (String) -> Void) {
        self.request = request
        self.positions = positions
        self.onFailure = onFailure
        state = Mutex(
            State(
                position: ReadingPosition(
                    offset: request.start, in: request.book, identity: ReadingPosition.identity(of: request.book),
                    source: request.source, engine: request.engine, voice: request.settings.voice,
                    rate: request.settings.rate)))
    }

    /// Sets the engine and voice that are stored with the next place.
    func note(engine: String, voice: String?) {
        state.withLock {
            $0.position.engine = engine
            $0.position.voice = voice
        }
    }

    /// Sets the speed that is stored with the next place.
    func note(rate: Double) { state.withLock { $0.position.rate = rate } }

    /// Keeps a place. The file is small, and places are kept in the order of the calls.
    func keep(_ place: Int) {
        let problem = state.withLock { state -> String? in
            let old = state.position
            state.position = ReadingPosition(
                offset: place, in: request.book, identity: old.identity, source: request.source, engine: old.engine,
                voice: old.voice, rate: old.rate)
            do {
                try positions.save(state.position)
                if !state.hasSaved { positions.forgetOthers(than: state.position, in: request.book) }
                state.hasSaved = true
                return nil
            } catch {
                defer { state.hasFailed = true }
                return state.hasFailed ? nil : "the place is not kept: \(error)"
            }
        }
        if let problem { onFailure(problem) }
    }
}
