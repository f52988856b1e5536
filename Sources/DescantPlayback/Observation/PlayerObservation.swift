internal import DescantCore
internal import Foundation

/// The event hubs of a player.
struct PlayerHubs: Sendable {
    let state = EventHub<PlayerState>(initial: .idle)
    let track = EventHub<TrackInfo?>(initial: nil)
    let events = EventHub<PlayerEvent>()
    let overlays = OverlayHubs()
    let observers = EventHub<ObserverEvent>()
    let remote = EventHub<RemoteChange>()

    /// Posts an event to ``events`` and to observers.
    func post(_ kind: PlayerEvent.Kind, at frame: Int64? = nil) {
        events.post(PlayerEvent(frame: frame, kind: kind))
        observers.post(.player(kind))
    }
}

/// An event for an ``AudioPlayerObserver``.
enum ObserverEvent: Sendable {
    case player(PlayerEvent.Kind)
    case position(PlaybackPosition)
    case crossfade(CrossfadeProgress)

    /// Calls the observer's method for the event, if it has one.
    func deliver(to observer: any AudioPlayerObserver) async {
        switch self {
        case .player(.stateChanged(let state)): await observer.playerStateDidChange(state)
        case .player(.error(let error)), .player(.trackFailed(_, let error)):
            await observer.playerDidEncounterError(error)
        case .player: break
        case .position(let position): await observer.playbackPositionDidUpdate(position)
        case .crossfade(let progress):
            await (observer as? any CrossfadeProgressObserver)?.crossfadeProgressDidUpdate(progress)
        }
    }
}

/// A reader of the position.
struct PositionReader: Sendable {
    var pacer: PositionPacer
    let deliver: @Sendable (PlaybackPosition) -> Void
    /// Whether the reader still reads.
    let isRead: @Sendable () -> Bool
    /// Ends the reader's sequence.
    let finish: @Sendable () -> Void
}

/// The readers of the position, the task that reports it to them, and the tasks of observers.
struct PlayerObservation {
    /// The readers by the hub that they deliver to.
    private var readers: [ObjectIdentifier: PositionReader] = [:]
    private var observersHub: ObjectIdentifier?
    private var observers: [Task<Void, Never>] = []
    private var task: Task<Void, Never>?
    /// Whether ``task`` has a jump to report before it follows the position.
    private(set) var isReportingJump = false

    /// Whether anyone reads the position.
    var hasReaders: Bool { !readers.isEmpty }

    /// Adds a reader in the place of an earlier one of the same hub, and forgets those that do not read any more.
    mutating func add(_ reader: PositionReader, of hub: AnyObject) {
        readers = readers.filter { $0.value.isRead() }
        readers[ObjectIdentifier(hub)] = reader
    }

    /// Adds the task of an observer; the first one brings the reader of all observers, which deliver from one hub.
    mutating func addObserver(_ observer: Task<Void, Never>, reader: PositionReader, of hub: AnyObject) {
        observers.append(observer)
        guard observers.count == 1 else { return }
        observersHub = ObjectIdentifier(hub)
        add(reader, of: hub)
    }

    mutating func removeObservers() {
        for observer in observers { observer.cancel() }
        observers = []
        if let observersHub { readers[observersHub] = nil }
        observersHub = nil
    }

    // MARK: Reporting

    /// Ends the task that reports; a jump that it has not reported yet is reported by the next one.
    ///
    /// - Parameter jumped: Whether the position has changed other than by playing.
    /// - Returns: Whether the next task reports a jump.
    mutating func restart(jumped: Bool) -> Bool {
        isReportingJump = jumped || isReportingJump
        task?.cancel()
        return isReportingJump
    }

    /// Notes the task that reports.
    mutating func began(_ task: Task<Void, Never>) { self.task = task }

    /// Ends following the position, unless a jump is yet to be reported.
    mutating func stop() {
        guard !isReportingJump else { return }
        task?.cancel()
        task = nil
    }

    /// Delivers a position to the readers for whom it is due, or to all after a jump.
    ///
    /// - Returns: Seconds of the track until the next report; infinite without readers.
    mutating func report(_ position: PlaybackPosition, jumped: Bool) -> TimeInterval {
        if jumped { isReportingJump = false }
        var distance = TimeInterval.infinity
        for (number, reader) in readers {
            var reader = reader
            guard reader.isRead() else {
                readers[number] = nil
                continue
            }
            if reader.pacer.isDue(at: position.currentTime, jumped: jumped) { reader.deliver(position) }
            readers[number] = reader
            distance = min(distance, reader.pacer.distance(from: position.currentTime))
        }
        return distance
    }

    /// Delivers a position to one reader.
    mutating func deliver(_ position: PlaybackPosition, toReaderOf hub: AnyObject) {
        guard var reader = readers[ObjectIdentifier(hub)] else { return }
        _ = reader.pacer.isDue(at: position.currentTime, jumped: true)
        reader.deliver(position)
        readers[ObjectIdentifier(hub)] = reader
    }

    /// Ends every reader's sequence and every task.
    func finish() {
        task?.cancel()
        for observer in observers { observer.cancel() }
        for reader in readers.values { reader.finish() }
    }
}

/// Decides when a position is to be reported: once for every interval of a track that was heard.
struct PositionPacer: Sendable {
    /// The shortest interval, in seconds: 60 reports a second.
    static let shortestInterval: TimeInterval = 1 / 60

    /// Seconds of a track between two reports.
    let interval: TimeInterval

    private var reported: Int64?

    /// Creates a pacer.
    ///
    /// - Parameter interval: Seconds of a track between two reports; 1/60 s at least.
    init(interval: TimeInterval) {
        self.interval = interval.clamped(to: Self.shortestInterval...3600)
    }

    /// Whether a position is to be reported now.
    ///
    /// - Parameters:
    ///   - position: Seconds from the beginning of the track.
    ///   - jumped: Whether it was reached otherwise than by playing; then it is always reported.
    mutating func isDue(at position: TimeInterval, jumped: Bool) -> Bool {
        let number = step(position)
        guard jumped || reported == nil || number > reported ?? 0 else { return false }
        reported = number
        return true
    }

    /// Seconds of a track until the next report.
    ///
    /// - Parameter position: Seconds from the beginning of the track.
    func distance(from position: TimeInterval) -> TimeInterval {
        max(0, Double(step(position) + 1) * interval - position)
    }

    /// The number of the interval that a position lies in; one that is rounded to just below a boundary counts as beyond.
    private func step(_ position: TimeInterval) -> Int64 { Int64((max(0, position) / interval + 1e-6).rounded(.down)) }
}
