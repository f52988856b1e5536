internal import Descant
internal import Dispatch
internal import Foundation
internal import PlayerApp
internal import Synchronization

/// Keeps the queue and the place in it: the place twice a second while it is played, the queue when it changes, also before it is played.
/// While another player keeps its own, nothing is kept.
final class PlaceRecorder: Sendable {
    private struct State {
        var place: SavedPlace
        var queue: [PlaylistEntry]
        /// The order of playing; `nil` while the queue is not shuffled.
        var order: [Int]?
        /// Whether the order was written.
        var isOrderWritten = false
        /// Whether the queue was written.
        var isQueueWritten = false
        var written: SavedPlace?
        var lastWrite: ContinuousClock.Instant?
        var hasFailed = false
        /// Whether the last write has failed.
        var isFailing = false
        /// Whether the player is where it was asked to begin.
        var hasBegun = false
        /// Whether the queue was changed and had tracks then.
        var isQueueChanged = false
        var isFinished = false

        /// Whether there is a place or a queue to keep. An empty player leaves what was stored.
        var isWorthKeeping: Bool { place.url != nil || isQueueChanged || written != nil }
    }

    private let store: PlayerStateStore
    /// Receives the reason, once, when the state cannot be stored.
    private let onFailure: @Sendable (String) -> Void
    private let state: Mutex<State>
    private let queue = DispatchQueue(label: "descant.player.state", qos: .utility)
    /// The claim to the stored state, from the first write on.
    private let claim = Mutex<StateClaim?>(nil)

    /// The minimum time between two writes of the place. It is shorter than the half second between two positions: one
    /// that follows a late one is written as well.
    private static let interval = Duration.milliseconds(400)
    /// The minimum time between two attempts to write the place to a disk that takes nothing.
    private static let pause = Duration.seconds(30)

    init(
        store: PlayerStateStore, entries: [PlaylistEntry], options: PlayOptions, position: Double,
        onFailure: @escaping @Sendable (String) -> Void
    ) {
        self.store = store
        self.onFailure = onFailure
        var place = SavedPlace(volume: Double(options.configuration.volumeFloat))
        place.position = position
        place.note(options.modes)
        place.repeatCount = options.configuration.repeatCount
        place.preamp = options.replayGain.preamp
        place.curve = options.configuration.fadeCurve.rawValue
        state = Mutex(State(place: place, queue: entries))
    }

    /// The player is where it was asked to begin; from now on its position is stored.
    func begin() { change(isUrgent: true) { $0.hasBegun = true } }

    /// A track has begun, or is the one that the player will begin with.
    ///
    /// - Parameters:
    ///   - url: The track.
    ///   - index: Its place in the queue.
    ///   - position: Where it begins, in seconds; `nil` for its beginning.
    func note(track url: URL, at index: Int, position: Double? = nil) {
        change(isUrgent: true) { state in
            // The first track has the position that the player was asked to begin at.
            if state.place.url != nil { state.place.position = 0 }
            if let position { state.place.position = position }
            (state.place.url, state.place.index) = (url, index)
        }
    }

    /// The queue has changed.
    func note(_ entries: [PlaylistEntry], current: Int?) {
        change(isUrgent: true) { state in
            (state.queue, state.isQueueWritten) = (entries, false)
            if !entries.isEmpty { state.isQueueChanged = true }
            if let current, entries.indices.contains(current) {
                (state.place.url, state.place.index) = (entries[current].url, current)
            }
        }
    }

    /// More is known of the tracks of the queue.
    func note(described entries: [PlaylistEntry]) {
        change(isUrgent: true) { state in
            (state.queue, state.isQueueWritten) = (entries, false)
        }
    }

    /// The queue is played in another order.
    ///
    /// - Parameter order: Its indices in the order of playing; `nil` while it is not shuffled.
    func note(order: [Int]?) {
        guard state.withLock({ $0.order != order }) else { return }
        change(isUrgent: true) { state in (state.order, state.isOrderWritten) = (order, false) }
    }

    /// The present track is at a position, in seconds.
    func note(position: Double) {
        change { state in if state.hasBegun { state.place.position = position } }
    }

    /// The volume has changed. A muted player is stored with the volume before.
    func note(volume: Double) { if volume > 0 { change(isUrgent: true) { $0.place.volume = volume } } }

    /// The queue is played in another way.
    func note(_ modes: PlaybackModes) { change(isUrgent: true) { $0.place.note(modes) } }

    /// Crossfades have another curve.
    func note(_ curve: FadeCurve) { change(isUrgent: true) { $0.place.curve = curve.rawValue } }

    /// Everything was played: the next time begins at the first track.
    func noteEnd() {
        change(isUrgent: true) { state in (state.place.url, state.place.index, state.place.position) = (nil, 0, 0) }
    }

    /// Writes what has changed, and nothing afterwards.
    ///
    /// - Parameter limit: How long a disk that hangs is waited for, in seconds.
    func finish(limit: TimeInterval = 1) async {
        write()
        queue.async { [self] in
            state.withLock { $0.isFinished = true }
            claim.withLock { $0 = nil }
        }
        await queue.drain(atMost: limit)
        state.withLock { $0.isFinished = true }
    }

    /// Claims the stored state before the first write.
    ///
    /// - Returns: Whether this player has it.
    private func claimState() throws -> Bool {
        try claim.withLock { claim in
            if claim == nil { claim = try store.claim() }
            return claim != nil
        }
    }

    private func change(isUrgent: Bool = false, _ change: (inout State) -> Void) {
        let now = ContinuousClock.now
        let mustWrite = state.withLock { state in
            let wasWorthKeeping = state.isWorthKeeping
            change(&state)
            // A player that never began leaves what was stored.
            guard state.hasBegun, wasWorthKeeping || state.isWorthKeeping, !state.isFinished else { return false }
            let interval = state.isFailing ? Self.pause : Self.interval
            guard isUrgent || state.lastWrite.map({ now - $0 >= interval }) ?? true else { return false }
            state.lastWrite = now
            return true
        }
        if mustWrite { write() }
    }

    /// Writes on a queue of its own: neither the player nor a view waits for the disk.
    private func write() {
        queue.async { [self] in
            let before = state.withLock { state -> State? in
                guard state.hasBegun, state.isWorthKeeping, !state.isFinished else { return nil }
                defer { (state.isQueueWritten, state.isOrderWritten, state.written) = (true, true, state.place) }
                return state
            }
            guard let before else { return }
            var (isQueueWritten, isOrderWritten) = (before.isQueueWritten, before.isOrderWritten)
            do {
                guard try claimState() else {
                    state.withLock { $0.isFinished = true }
                    return onFailure("the place is not kept: another player, which began before, keeps its own")
                }
                // The place matters less than what is played now.
                if before.written == nil { try? store.keepPrevious(before: before.queue) }
                if !isQueueWritten { try store.save(before.queue) }
                isQueueWritten = true
                if !before.isOrderWritten { try store.save(order: before.order) }
                isOrderWritten = true
                if before.place != before.written { try store.save(before.place) }
                state.withLock { $0.isFailing = false }
            } catch {
                let isFirst = state.withLock { state in
                    defer { (state.hasFailed, state.isFailing) = (true, true) }
                    // The next attempt writes what this one has not.
                    if !isQueueWritten { state.isQueueWritten = false }
                    if !isOrderWritten { state.isOrderWritten = false }
                    state.written = before.written
                    return !state.hasFailed
                }
                if isFirst { onFailure("the place is not kept: \(error)") }
            }
        }
    }
}

extension DispatchQueue {
    /// Waits until the work that was queued before has ended.
    ///
    /// - Parameter limit: How long work is waited for that a disk holds up, in seconds.
    func drain(atMost limit: TimeInterval) async {
        let (ended, end) = AsyncStream<Void>.makeStream()
        self.async { end.finish() }
        await waiting(atMost: limit) { for await _ in ended {} }
    }
}

extension SavedPlace {
    fileprivate mutating func note(_ modes: PlaybackModes) {
        // The count was that of the mode before.
        if repeats != modes.repeats.rawValue { repeatCount = nil }
        (repeats, isShuffled, rate) = (modes.repeats.rawValue, modes.isShuffled, modes.rate)
        (crossfade, loudness) = (modes.crossfade, modes.loudness.rawValue)
        equalizer = modes.equalizer.isEnabled ? modes.equalizer : nil
        gaplessAlbums = modes.gaplessAlbums
    }
}
