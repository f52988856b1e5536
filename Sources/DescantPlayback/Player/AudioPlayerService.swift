public import DescantCore
internal import Foundation

/// A music player: a playlist whose tracks are joined without a gap or fade into each other, and overlays and
/// sound effects beside it.
///
/// The service decides what is played and when; a ``MixingEngine`` does everything that has to be exact to the
/// sample. Calls from any number of tasks are carried out one after the other in the order of their arrival, except that no call
/// waits for a file that another one opens: a call that opens a file takes effect when the file is open, and calls that open files
/// wait for each other. ``stop(fadeDuration:)``, ``finish(fadeDuration:)``, ``reset()``, ``stopAll(fadeDuration:)`` and the end of the sleep
/// timer end the openings that earlier calls wait for, and ``jumpToTrack(at:)`` those of earlier moves; those calls then throw
/// `CancellationError`. After a pause the track that is being opened begins paused. A call that throws has changed nothing else.
///
/// ``state`` changes when a command takes effect, which is at the next frame that is rendered, and for everything that
/// happens by itself (the end of a track, of a fade, a lost device) when it is heard.
public actor AudioPlayerService {
    let ports: PlayerPorts
    nonisolated let hubs = PlayerHubs()

    /// What a host has set.
    var settings: PlayerSettings
    /// The tracks and the search for the one that follows.
    var queue: PlayQueue
    /// The tracks that the main layer plays or is to play.
    var main = MainTracks()
    var overlays = OverlaySet()
    var effects = SoundEffectCache()
    /// Engines of the host that count as parts of the player.
    var included = IncludedEngines()
    /// The layers that `pauseAll()` has paused and no command has resumed or stopped since.
    var pausedLayers: Set<LayerID> = []
    var commands = PlayerCommands()
    /// The readers of positions, and the observers.
    var observation = PlayerObservation()
    /// The readers of the progress of crossfades.
    var crossfades = CrossfadeObservation()
    var remote = RemotePresentation()
    /// The tasks that follow the engine.
    var tasks = EngineTasks()

    /// Creates a player.
    ///
    /// - Parameters:
    ///   - engine: What makes the sound. The player uses its main layer and adds others; the owner shuts it down.
    ///   - clock: The time by which positions are reported and limits are kept.
    ///   - logger: Where the player writes what it had to deal with.
    ///   - session: The audio session, shared by everything in the process that makes sound; active while the player has a
    ///     track. `nil` for outputs without a device.
    ///   - role: What the player plays, for the audio session and the stream on a sound server; `nil` for music on a stream with the
    ///     engine's role.
    ///   - remoteControl: Makes the remote control that shows the player from its first command on, unless the host has connected one
    ///     before with ``connectRemoteControl(_:options:)``; `nil` for none.
    public init(
        engine: any MixingEngine, clock: any ClockPort = MonotonicClock(), logger: any LoggerPort = NoopLogger(),
        session: AudioSessionCoordinator? = nil, role: AudioRole? = nil,
        remoteControl: (@Sendable () -> any RemoteControlPort)? = nil
    ) {
        ports = PlayerPorts(engine: engine, clock: clock, logger: logger, session: session, role: role)
        settings = PlayerSettings(changes: hubs.remote)
        queue = PlayQueue(changes: hubs.remote)
        remote.makeControl = remoteControl
        ports.sessionMember.connect(self)
    }

    deinit {
        tasks.cancel()
        included.cancel()
        queue.search.abandon()
        observation.finish()
        crossfades.finish()
        guard let session else { return }
        let client = sessionClient
        Task { await session.deactivate(for: client, reason: "released") }
    }

    /// Makes the player ready. Calling it again, or not at all, is harmless: the first command does the same.
    public func setup() async {
        await serially {}
    }

    // MARK: One after the other

    /// Runs an operation on the main layer when all earlier ones are done. The operation must not wait for a file.
    func serially<Value, Failure: Error>(
        _ operation: () async throws(Failure) -> Value
    ) async throws(Failure) -> Value {
        try await commands.main.run { () async throws(Failure) -> Value in
            listen()
            return try await operation()
        }
    }

    /// Runs an operation that stops the main layer. Earlier calls that open a file, or are about to, are ended.
    func stopping<Value>(_ operation: () async -> Value) async -> Value {
        commands.abandonMainOpenings()
        return await serially(operation)
    }

    /// Runs a call that opens a file when the earlier ones for the same layer are done, unless the caller was cancelled or the layer
    /// was stopped meanwhile. No other command waits for it.
    ///
    /// - Parameters:
    ///   - isMove: Whether it moves to another track of the playlist, which a later jump overtakes.
    ///   - pauses: How many pauses had come when it began; `nil` for those so far.
    func opening<Value>(
        for purpose: DeckOpening.Purpose, isMove: Bool = false, pauses: UInt64? = nil,
        _ operation: (OpeningCall) async throws -> Value
    ) async throws -> Value {
        let call = commands.began(purpose, isMove: isMove, pauses: pauses)
        return try await commands.openings(for: purpose).run {
            listen()
            try commands.check(call)
            defer { if purpose == .main { commands.preparation = nil } }
            return try await operation(call)
        }
    }

    /// Runs an operation on an overlay when all earlier ones are done. The operation must not wait for a file.
    func overlaySerially<Value, Failure: Error>(
        _ id: OverlayID, _ operation: () async throws(Failure) -> Value
    ) async throws(Failure) -> Value {
        try await commands.queue(of: id).run { () async throws(Failure) -> Value in
            listen()
            return try await operation()
        }
    }

    /// Subscribes to the engine's events before the first effect sounds.
    func prepareEffects() async { listen() }

    /// Runs a caller's operation on the main layer, unless the caller was cancelled while it waited.
    func command<Value>(_ operation: () async throws -> Value) async throws -> Value {
        try await serially {
            try Task.checkCancellation()
            return try await operation()
        }
    }

    /// Begins to read the engine's events; the subscription exists before anything is played.
    func listen() {
        guard tasks.listener == nil else { return }
        connectOwnRemoteControl()
        let events = engine.mixEvents.buffered(.bounded(1024)).numbered
        tasks.listener = Task { [weak self] in
            var last: UInt64?
            for await event in events {
                guard let self else { return }
                if let last, event.number > last + 1 { await self.resynchronise() }
                last = event.number
                await self.receive(event.event)
            }
            if !Task.isCancelled { await self?.engineEnded() }
        }
    }

    /// The engine was shut down: nothing sounds any more, and no event tells of it.
    private func engineEnded() async {
        await serially {
            guard state.isActive || state == .fadingOut else { return }
            // A remote control's command may wait for this track, whose deck the engine has closed.
            main.deferred = nil
            await leaveMain(as: state == .fadingOut ? main.ending.state : .finished)
        }
        await forEachOverlay { await removeOverlay($0) }
        effects.voices = []
        hubs.remote.post(.updated)
    }

    // MARK: State

    nonisolated var engine: any MixingEngine { ports.engine }
    nonisolated var clock: any ClockPort { ports.clock }
    nonisolated var logger: any LoggerPort { ports.logger }
    nonisolated var session: AudioSessionCoordinator? { ports.session }

    /// The player's identity for the audio session.
    public nonisolated var sessionClient: AudioSessionClientID { ports.sessionMember.sessionClient }

    /// What the player is doing.
    public var state: PlayerState { hubs.state.snapshot ?? .idle }

    /// Whether the current track waits for its network source; ``state`` is `playing` meanwhile. ``PlayerEvent/Kind/buffering(percent:)``
    /// tells each change.
    public var isBuffering: Bool { state == .playing && main.waiting != nil && main.waiting == main.current?.deck }

    /// The playback settings; set with ``loadPlaylist(_:configuration:startingAt:)``, `startPlaying(url:configuration:)` and
    /// ``updateConfiguration(_:)``.
    public var configuration: PlayerConfiguration { settings.configuration }

    /// The speed of the main layer, 0.5…3; 1 is normal.
    public var rate: Double { settings.rate }

    /// The settings that bring tracks to one loudness.
    public var replayGain: ReplayGainSettings { settings.replayGain }

    func setState(_ new: PlayerState) {
        guard state != new else { return }
        // A main layer that goes on or ends is no longer one that `pauseAll()` has paused.
        if new != .paused { pausedLayers.remove(engine.mainLayer) }
        if new == .playing { commands.endPause() }
        hubs.state.post(new)
        hubs.remote.post(.updated)
        post(.stateChanged(new))
        positionsDidChange()
        followCrossfade()
    }

    func post(_ kind: PlayerEvent.Kind, at frame: Int64? = nil) {
        hubs.post(kind, at: frame)
    }

    /// Posts an error that no call can throw.
    func report(_ error: AudioPlayerError, at frame: Int64? = nil) {
        logger.error("player: \(error)")
        post(.error(error), at: frame)
    }

    /// Posts the error of a track that cannot be played.
    func report(_ error: AudioPlayerError, of url: URL, at frame: Int64? = nil) {
        logger.warn("player: skipped a track: \(error)")
        post(.trackFailed(url, error), at: frame)
    }
}

/// The ports that a player uses, and its membership of the audio session.
struct PlayerPorts: Sendable {
    let engine: any MixingEngine
    let clock: any ClockPort
    let logger: any LoggerPort
    let session: AudioSessionCoordinator?
    let role: AudioRole?
    let sessionMember = AudioSessionMember()
}

/// The tasks that follow a player's engine.
struct EngineTasks {
    /// Reads the engine's events.
    var listener: Task<Void, Never>?
    /// Pauses the player when a lost output does not come back.
    var outputLoss: Task<Void, Never>?

    func cancel() {
        listener?.cancel()
        outputLoss?.cancel()
    }
}
