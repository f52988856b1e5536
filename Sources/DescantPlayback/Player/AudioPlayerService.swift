public import DescantCore
internal import Foundation

/// A music player: a playlist whose tracks are joined without a gap or fade into each other, and overlays and
/// sound effects beside it.
///
/// The service decides what is played and when; a ``MixingEngine`` does everything that has to be exact to the
/// sample. Calls from any number of tasks are carried out one after the other in the order of their arrival;
/// `stop(fadeDuration:)`, ``reset()`` and ``stopAll()`` end the opening of a file that an earlier call waits for, which then throws
/// `CancellationError`. A call that throws has changed nothing.
///
/// ``state`` changes when a command takes effect, which is at the next frame that is rendered, and for everything that
/// happens by itself (the end of a track, of a fade, a lost device) when it is heard.
public actor AudioPlayerService {
    let engine: any MixingEngine
    let clock: any ClockPort
    let logger: any LoggerPort
    let session: AudioSessionCoordinator?
    /// Who this is for the audio session.
    public nonisolated let sessionClient = AudioSessionClientID()
    /// How many commands of a person were given that bear on playing.
    var userCommandCount: UInt64 = 0
    /// How loud the audio session lets the player be, linear; 1 is as loud as it is set.
    var sessionGain = 1.0
    /// How loud the player is set, linear.
    var masterVolume = 1.0
    /// How many times the volume was set by a call for it alone.
    var volumeChanges: UInt64 = 0

    /// What the player is doing.
    public internal(set) var state: PlayerState = .idle { didSet { remoteHub.post(.updated) } }

    /// How the player plays; set with ``loadPlaylist(_:configuration:startingAt:)`` and `startPlaying(url:configuration:)`.
    public internal(set) var configuration = PlayerConfiguration() { didSet { remoteHub.post(.updated) } }

    /// The tracks. Every change makes a search for the next track obsolete.
    var playlist = Playlist() {
        didSet {
            followUpNumber &+= 1
            remoteHub.post(.updated)
        }
    }
    var line = MainLine()
    var repeatCount = 0
    /// Decides on the order of playing; `nil` while the playlist is not shuffled.
    var shuffleSeed: UInt64? { didSet { remoteHub.post(.updated) } }
    /// Makes the sound of tracks whose URLs only the host knows.
    var trackSources: (any TrackSourceProvider)?
    var sleepTimer: SleepTimer?
    /// How long the fade is with which the player falls asleep, in seconds.
    var sleepFade: TimeInterval = 0
    /// The speed of the main line, 0.5…3; 1 is normal.
    public internal(set) var rate = 1.0 { didSet { remoteHub.post(.updated) } }

    /// The overlays that are not idle.
    var overlays: [OverlayID: OverlayLine] = [:]
    var effects = SoundEffectCache()
    /// Which parts of the sound make way for which.
    var duckings: [PlayerPart: PartDucking] = [:]
    /// How tracks are brought to one loudness.
    public internal(set) var replayGain = ReplayGainSettings()
    /// What `pauseAll()` has paused.
    var pausedTogether: Set<LayerID> = []
    /// The overlays whose next clip is being opened.
    var openingOverlays: Set<OverlayID> = []
    /// Those of them that are to begin frozen, as everything else was paused meanwhile.
    var beginsPaused: Set<OverlayID> = []

    nonisolated let stateHub = EventHub<PlayerState>(initial: .idle)
    nonisolated let trackHub = EventHub<TrackInfo?>(initial: nil)
    nonisolated let eventHub = EventHub<PlayerEvent>()
    nonisolated let overlayStates = OverlayStates()
    nonisolated let noticeHub = EventHub<PlayerNotice>()

    /// What remote controls are told, and who tells them.
    nonisolated let remoteHub = EventHub<RemoteChange>()
    var remoteBridge: RemoteControlBridge?
    /// The item that remote controls saw begin last; `nil` when nothing has begun since the end.
    var begunItem: PlaylistItem.ID?
    /// What is known of tracks that remote controls are shown.
    var shownInfos: [PlaylistItem.ID: TrackInfo] = [:]

    var observerTasks: [Task<Void, Never>] = []
    var positionReaders: [UInt64: PositionReader] = [:]
    var lastPositionReader: UInt64 = 0
    var positionTask: Task<Void, Never>?
    /// Whether ``positionTask`` has a jump to report before it follows the position.
    var isReportingJump = false
    private var listener: Task<Void, Never>?
    var outputLossTask: Task<Void, Never>?

    /// The search for the track that follows, and a number that tells whether its result is still wanted.
    var followUpTask: Task<Void, Never>?
    var followUpNumber: UInt64 = 0
    /// The decks that calls are opening.
    var openings: [OpeningPurpose: DeckOpening] = [:]
    /// How many calls wait for their turn to stop the main line; those before them open nothing for it any more.
    private var waitingStops = 0
    var isStopWaiting: Bool { waitingStops > 0 }

    private let mainQueue = AsyncSerialQueue()
    private var overlayQueues: [OverlayID: AsyncSerialQueue] = [:]

    /// Creates a player.
    ///
    /// - Parameters:
    ///   - engine: What makes the sound. The player uses its main layer and adds others; the owner shuts it down.
    ///   - clock: The time by which positions are reported and limits are kept.
    ///   - logger: Where the player writes what it had to deal with.
    ///   - session: The audio session, shared by everything in the process that makes sound; active while the player has a
    ///     track. `nil` for outputs without a device.
    public init(
        engine: any MixingEngine, clock: any ClockPort = MonotonicClock(), logger: any LoggerPort = NoopLogger(),
        session: AudioSessionCoordinator? = nil
    ) {
        self.engine = engine
        self.clock = clock
        self.logger = logger
        self.session = session
    }

    deinit {
        for task in [listener, positionTask, outputLossTask, followUpTask] { task?.cancel() }
        for task in observerTasks { task.cancel() }
        for reader in positionReaders.values { reader.finish() }
        guard let session else { return }
        let client = sessionClient
        Task { await session.deactivate(for: client, reason: "released") }
    }

    /// Makes the player ready. Calling it again, or not at all, is harmless: the first command does the same.
    public func setup() async {
        await serially {}
    }

    // MARK: One after the other

    /// Runs an operation on the main line when all earlier ones are done.
    func serially<Value, Failure: Error>(
        _ operation: () async throws(Failure) -> Value
    ) async throws(Failure) -> Value {
        try await mainQueue.run { () async throws(Failure) -> Value in
            listen()
            return try await operation()
        }
    }

    /// Runs an operation that stops the main line. Earlier ones are ended instead of waited for when they open a file, or are about to.
    func stopping<Value>(_ operation: () async -> Value) async -> Value {
        waitingStops += 1
        interruptOpening(for: .main)
        return await serially {
            waitingStops -= 1
            return await operation()
        }
    }

    /// Runs an operation on an overlay when all earlier ones are done.
    func overlaySerially<Value, Failure: Error>(
        _ id: OverlayID, _ operation: () async throws(Failure) -> Value
    ) async throws(Failure) -> Value {
        let queue = overlayQueues[id] ?? AsyncSerialQueue()
        overlayQueues[id] = queue
        return try await queue.run { () async throws(Failure) -> Value in
            listen()
            return try await operation()
        }
    }

    /// Makes sure that events of effects are heard of before the first one sounds.
    func prepareEffects() async { listen() }

    /// Runs a caller's operation on the main line, unless the caller was cancelled while it waited.
    func command<Value>(_ operation: () async throws -> Value) async throws -> Value {
        try await serially {
            try Task.checkCancellation()
            return try await operation()
        }
    }

    /// Begins to read the engine's events; the subscription exists before anything is played.
    private func listen() {
        guard listener == nil else { return }
        let events = engine.mixEvents.buffered(.bounded(1024)).numbered
        listener = Task { [weak self] in
            var last: UInt64?
            for await event in events {
                guard let self else { return }
                if let last, event.number > last + 1 { await self.resynchronise() }
                last = event.number
                await self.receive(event.event)
            }
        }
    }

    // MARK: State

    func setState(_ new: PlayerState) {
        guard state != new else { return }
        state = new
        // Whoever lets the main line go on, or ends it, has touched what `pauseAll()` froze.
        if new != .paused { pausedTogether.remove(engine.mainLayer) }
        stateHub.post(new)
        noticeHub.post(.state(new))
        post(.stateChanged(new))
        positionsDidChange()
    }

    func post(_ kind: PlayerEvent.Kind, at frame: Int64? = nil) {
        eventHub.post(PlayerEvent(frame: frame, kind: kind))
    }

    /// Tells everybody about an error that no call can throw.
    func report(_ error: AudioPlayerError, at frame: Int64? = nil) {
        logger.error("player: \(error)")
        post(.error(error), at: frame)
        noticeHub.post(.error(error))
    }

    /// Tells everybody about a track that cannot be played.
    func report(_ error: AudioPlayerError, of url: URL, at frame: Int64? = nil) {
        logger.warn("player: skipped a track: \(error)")
        post(.trackFailed(url, error), at: frame)
        noticeHub.post(.error(error))
    }
}
