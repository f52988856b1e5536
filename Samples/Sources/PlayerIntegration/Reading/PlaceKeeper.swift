internal import Descant
internal import Dispatch
internal import Foundation
internal import Synchronization

/// Keeps the place in a book while it is read. It writes on a queue of its own: neither the reader nor a view waits for the disk.
final class PlaceKeeper: Sendable {
    private struct State {
        var position: ReadingPosition
        /// Whether a write waits for the one before. It will write the latest place.
        var isWriteWaiting = false
        var hasSaved = false
        var hasFailed = false
    }

    private let request: ReadRequest
    private let positions: ReadingPositions
    /// Receives the reason, once, when places cannot be stored.
    private let onFailure: @Sendable (String) -> Void
    private let state: Mutex<State>
    private let queue = DispatchQueue(label: "descant.reader.place", qos: .utility)

    init(_ request: ReadRequest, in positions: ReadingPositions, onFailure: @escaping @Sendable (String) -> Void) {
        self.request = request
        self.positions = positions
        self.onFailure = onFailure
        state = Mutex(
            State(
                position: ReadingPosition(
                    offset: request.start, in: request.book, identity: ReadingPosition.identity(of: request.book),
                    source: request.source, engine: request.engine, voice: request.settings.voice,
                    rate: request.settings.rate,
                    // A reading that begins muted is kept like one that was muted.
                    volume: request.volume == 0 ? nil : request.volume)))
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

    /// Sets the volume that is stored with the next place. A muted reader is stored with the volume before.
    func note(volume: Double) { if volume > 0 { state.withLock { $0.position.volume = volume } } }

    /// Keeps a place, which is written soon. Of the places that come while the disk is slow, the latest one is written.
    func keep(_ place: Int) {
        let mustWrite = state.withLock { state in
            let old = state.position
            state.position = ReadingPosition(
                offset: place, in: request.book, identity: old.identity, source: request.source, engine: old.engine,
                voice: old.voice, rate: old.rate, volume: old.volume)
            defer { state.isWriteWaiting = true }
            return !state.isWriteWaiting
        }
        if mustWrite { queue.async { [self] in write() } }
    }

    /// Waits for the places that were kept.
    ///
    /// - Parameter limit: How long a disk that hangs is waited for, in seconds.
    func finish(limit: TimeInterval = 1) async { await queue.drain(atMost: limit) }

    private func write() {
        let (position, hasSaved) = state.withLock { state in
            state.isWriteWaiting = false
            return (state.position, state.hasSaved)
        }
        do {
            try positions.save(position)
            if !hasSaved { positions.forgetOthers(than: position, in: request.book) }
            state.withLock { $0.hasSaved = true }
        } catch {
            let isFirst = state.withLock { state in
                defer { state.hasFailed = true }
                return !state.hasFailed
            }
            if isFirst { onFailure("the place is not kept: \(error)") }
        }
    }
}
