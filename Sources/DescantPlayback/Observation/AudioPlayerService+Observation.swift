public import DescantCore
public import Foundation

extension AudioPlayerService {
    /// What is known of the current track; `nil` when there is none.
    public var currentTrack: TrackInfo? { main.current?.info }

    /// How far the current track was heard; `nil` when there is none. Never goes back except at a seek or a new track.
    public var playbackPosition: PlaybackPosition? { get async { await heardPosition() } }

    // MARK: Sequences

    /// Every change of ``state`` from now on; begins with the present state. A slow reader gets the newest only, unless it
    /// asks for a buffer.
    public nonisolated var stateUpdates: EventStream<PlayerState> { hubs.state.stream(buffer: .newest) }

    /// Every change of the current track or of what is known of it, `nil` when there is none any more; begins with the
    /// present track.
    public nonisolated var trackUpdates: EventStream<TrackInfo?> { hubs.track.stream(buffer: .newest) }

    /// What happens from now on.
    public nonisolated var events: EventStream<PlayerEvent> { hubs.events.stream(buffer: .bounded(64)) }

    /// The position for every interval of the track that is heard, and after every jump; begins with the present position, also while
    /// paused. A slow reader gets the newest only, unless it asks for a buffer.
    ///
    /// - Parameter interval: Seconds of the track between two positions, 1/60 at least.
    /// - Returns: A sequence that ends with the player.
    public nonisolated func positionUpdates(every interval: TimeInterval = 0.5) -> EventStream<PlaybackPosition> {
        let hub = EventHub<PlaybackPosition> { [weak self] hub in
            Task { [weak self] in
                guard let self else { return hub.finish() }
                await self.addPositionReader(hub, every: interval)
            }
        }
        return hub.stream(buffer: .newest)
    }

    // MARK: Observers

    /// Tells an observer what happens from now on; a ``CrossfadeProgressObserver`` also how far crossfades are.
    ///
    /// - Parameter observer: The observer; kept until ``removeAllObservers()``.
    public func addObserver(_ observer: any AudioPlayerObserver) {
        let hub = hubs.observers
        let events = hub.stream(buffer: .bounded(256)).numbered
        let task = Task { for await event in events { await event.event.deliver(to: observer) } }
        let reader = PositionReader(
            pacer: PositionPacer(interval: 0.5), deliver: { hub.post(.position($0)) }, isRead: { true }, finish: {})
        observation.addObserver(task, reader: reader, of: hub)
        positionsDidChange()
        guard observer is any CrossfadeProgressObserver else { return }
        crossfades.hasObserver = true
        followCrossfade()
    }

    /// Tells no observer anything any more.
    public func removeAllObservers() {
        observation.removeObservers()
        crossfades.hasObserver = false
        positionsDidChange()
    }

    // MARK: Positions

    /// Follows the position for a hub with a new subscriber, and posts the present position.
    private func addPositionReader(_ hub: EventHub<PlaybackPosition>, every interval: TimeInterval) async {
        let reader = PositionReader(
            pacer: PositionPacer(interval: interval), deliver: { hub.post($0) },
            isRead: { hub.subscriberCount > 0 }, finish: { hub.finish() })
        observation.add(reader, of: hub)
        // The task that follows the position begins with the present one.
        guard state != .playing else { return positionsDidChange() }
        if let position = await heardPosition() { observation.deliver(position, toReaderOf: hub) }
    }

    func heardPosition() async -> PlaybackPosition? {
        guard let asked = main.current else { return nil }
        let arrivals = main.arrivals
        let status = await engine.status(of: engine.mainLayer)
        // Another track may have become the current one meanwhile.
        guard let current = main.current else { return nil }
        let isSame = current.deck == asked.deck && status.deck == current.deck
        let duration = (isSame ? status.duration : nil) ?? current.info.duration
        if let target = main.seekTarget { return PlaybackPosition(currentTime: target, duration: duration) }
        if isSame, arrivals == main.arrivals {
            let heard = duration > 0 ? min(status.position, duration) : status.position
            main.shownPosition = max(main.shownPosition, heard)
        }
        // A seek may have led behind an estimated length.
        let shown = duration > 0 ? min(main.shownPosition, duration) : main.shownPosition
        return PlaybackPosition(currentTime: shown, duration: duration)
    }

    /// Reports a position that was not reached by playing.
    func positionJumped() {
        guard observation.hasReaders else { return }
        runPositionTask(jumped: true)
    }

    /// Begins or ends following the position, as state and readers demand.
    func positionsDidChange() {
        guard state == .playing, observation.hasReaders else {
            return observation.stop()
        }
        runPositionTask(jumped: false)
    }

    private func runPositionTask(jumped: Bool) {
        let jumped = observation.restart(jumped: jumped)
        let clock = clock
        let task = Task { [weak self] in
            var jumped = jumped
            while !Task.isCancelled, let wait = await self?.reportPosition(jumped: jumped) {
                jumped = false
                do {
                    try await clock.sleep(until: clock.now() + UInt64(wait * 1_000_000_000))
                } catch {
                    return  // Another task follows the position from here on.
                }
            }
        }
        observation.began(task)
    }

    /// Reports the position to the readers for whom it is due.
    ///
    /// - Parameter jumped: Whether it is due to everybody.
    /// - Returns: Seconds until it is worth while to look again; `nil` when there is nothing to follow.
    private func reportPosition(jumped: Bool) async -> TimeInterval? {
        guard let position = await heardPosition(), !Task.isCancelled else { return nil }
        let distance = observation.report(position, jumped: jumped)
        guard state == .playing, distance.isFinite else { return nil }
        return max(distance / rate, 0.004)
    }
}
