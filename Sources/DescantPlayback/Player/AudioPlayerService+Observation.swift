public import DescantCore
public import Foundation

extension AudioPlayerService {
    /// What is known of the current track; `nil` when there is none.
    public var currentTrack: TrackInfo? { line.current?.info }

    /// How far the current track was heard; `nil` when there is none. Never goes back except at a seek or a new track.
    public var playbackPosition: PlaybackPosition? { get async { await heardPosition() } }

    // MARK: Sequences

    /// Every change of ``state`` from now on; begins with the present state. A slow reader gets the newest only, unless it
    /// asks for a buffer.
    public nonisolated var stateUpdates: EventStream<PlayerState> { stateHub.stream(buffer: .newest) }

    /// Every change of the current track or of what is known of it, `nil` when there is none any more; begins with the
    /// present track.
    public nonisolated var trackUpdates: EventStream<TrackInfo?> { trackHub.stream(buffer: .newest) }

    /// What happens from now on.
    public nonisolated var events: EventStream<PlayerEvent> { eventHub.stream(buffer: .bounded(64)) }

    /// The position for every interval of the track that is heard, and after every jump; for one reader.
    ///
    /// - Parameter interval: Seconds of the track between two positions, 1/60 at least.
    /// - Returns: A sequence that keeps the newest position only; it ends with the player.
    public nonisolated func positionUpdates(every interval: TimeInterval = 0.5) -> AsyncStream<PlaybackPosition> {
        let (stream, continuation) = AsyncStream.makeStream(
            of: PlaybackPosition.self, bufferingPolicy: .bufferingNewest(1))
        let reader = PositionReader(
            pacer: PositionPacer(interval: interval), deliver: { continuation.yield($0) },
            finish: { continuation.finish() })
        Task { [weak self] in
            guard let number = await self?.addPositionReader(reader) else { return continuation.finish() }
            continuation.onTermination = { [weak self] _ in
                Task { [weak self] in await self?.removePositionReader(number) }
            }
        }
        return stream
    }

    // MARK: Observers

    /// Tells an observer what happens from now on.
    ///
    /// - Parameter observer: Who is told; kept until ``removeAllObservers()``.
    public func addObserver(_ observer: any AudioPlayerObserver) {
        let notices = noticeHub.stream(buffer: .bounded(256)).numbered
        let task = Task {
            for await notice in notices {
                switch notice.event {
                case .state(let state): await observer.playerStateDidChange(state)
                case .position(let position): await observer.playbackPositionDidUpdate(position)
                case .error(let error): await observer.playerDidEncounterError(error)
                }
            }
        }
        observerTasks.append(task)
        if observerTasks.count == 1 { addObserversReader() }
    }

    /// Tells no observer anything any more.
    public func removeAllObservers() {
        for task in observerTasks { task.cancel() }
        observerTasks = []
        removePositionReader(Self.observersReader)
    }

    // MARK: Positions

    /// The number of the reader that stands for all observers.
    private static var observersReader: UInt64 { 0 }

    private func addObserversReader() {
        let hub = noticeHub
        positionReaders[Self.observersReader] = PositionReader(
            pacer: PositionPacer(interval: 0.5), deliver: { hub.post(.position($0)) }, finish: {})
        positionsDidChange()
    }

    private func addPositionReader(_ reader: PositionReader) -> UInt64 {
        lastPositionReader += 1
        positionReaders[lastPositionReader] = reader
        positionsDidChange()
        return lastPositionReader
    }

    private func removePositionReader(_ number: UInt64) {
        positionReaders[number] = nil
        positionsDidChange()
    }

    func heardPosition() async -> PlaybackPosition? {
        guard let asked = line.current else { return nil }
        let arrivals = line.arrivals
        let status = await engine.status(of: engine.mainLayer)
        // Another track may have become the current one meanwhile.
        guard let current = line.current else { return nil }
        let isSame = current.deck == asked.deck && status.deck == current.deck
        let duration = (isSame ? status.duration : nil) ?? current.info.duration
        if let target = line.seekTarget { return PlaybackPosition(currentTime: target, duration: duration) }
        if isSame, arrivals == line.arrivals {
            let heard = duration > 0 ? min(status.position, duration) : status.position
            line.shownPosition = max(line.shownPosition, heard)
        }
        return PlaybackPosition(currentTime: line.shownPosition, duration: duration)
    }

    /// Reports a position that was not reached by playing.
    func positionJumped() {
        guard !positionReaders.isEmpty else { return }
        runPositionTask(jumped: true)
    }

    /// Begins or ends following the position, as state and readers demand.
    func positionsDidChange() {
        guard state == .playing, !positionReaders.isEmpty else {
            if !isReportingJump {
                positionTask?.cancel()
                positionTask = nil
            }
            return
        }
        runPositionTask(jumped: false)
    }

    private func runPositionTask(jumped: Bool) {
        let jumped = jumped || isReportingJump
        positionTask?.cancel()
        isReportingJump = jumped
        let clock = clock
        positionTask = Task { [weak self] in
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
    }

    /// Reports the position to whom it is due.
    ///
    /// - Parameter jumped: Whether it is due to everybody.
    /// - Returns: Seconds until it is worth while to look again; `nil` when there is nothing to follow.
    private func reportPosition(jumped: Bool) async -> TimeInterval? {
        guard let position = await heardPosition(), !Task.isCancelled else { return nil }
        if jumped { isReportingJump = false }
        var distance = TimeInterval.infinity
        for (number, reader) in positionReaders {
            var pacer = reader.pacer
            if pacer.isDue(at: position.currentTime, jumped: jumped) { reader.deliver(position) }
            positionReaders[number]?.pacer = pacer
            distance = min(distance, pacer.distance(from: position.currentTime))
        }
        guard state == .playing, distance.isFinite else { return nil }
        return max(distance / rate, 0.004)
    }
}
