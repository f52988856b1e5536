public import Descant
public import Foundation
public import PlayerApp
internal import Synchronization

/// The app's player on the library's `AudioPlayerService`.
public final class DescantPlayer: PlayerControlling {
    /// The changes of the player; for one reader.
    public let updates: AsyncStream<PlayerUpdate>

    let feed: AsyncStream<PlayerUpdate>.Continuation
    let engine: any MixingEngine
    let service: AudioPlayerService
    let request: PlayRequest
    let tasks = Mutex<[Task<Void, Never>]>([])
    /// Computes the spectrum while it is shown.
    let spectrum = Mutex<Task<Void, Never>?>(nil)
    /// The overlay that commands act on; `nil` when none was chosen.
    let overlay: Mutex<OverlayRequest?>
    /// Where a player begins that was prepared or has fallen asleep; `nil` when it has begun.
    let start = Mutex<StartingPlace?>(nil)
    /// The track that began last, and its position as it was told last; 0 for a track of unknown length, which cannot be moved.
    let heard = Mutex<StartingPlace?>(nil)
    /// Gives the service the playlist, which it has when the first track is open; commands on the playlist wait. `nil` when it has it.
    let loading = Mutex<Task<Bool, any Error>?>(nil)
    /// Where the last command leads.
    let course = Mutex(Course())
    /// Whether the player is being put away.
    private let isOver = Atomic(false)
    let lastFailure = Mutex<AudioPlayerError?>(nil)
    let tagReader: any TagReaderService & Sendable
    let environment: AudioEnvironment
    /// The playlist as views show it.
    let queue: Mutex<ShownQueue>
    /// Counts the changes of the playlist that were begun. Used on the service's actor.
    let edits = Atomic(0)
    /// Where sound goes, as views show it.
    let output = Mutex(OutputStatus())
    /// The sink of the sound server that is played to; `nil` while unknown.
    let device = Mutex<String?>(nil)
    /// Whether something was read of entries that the recorder has not been told.
    let hasNewDescriptions = Atomic(false)
    /// Whether files that were missing are being looked for.
    let looksForMissing = Atomic(false)
    /// Reads the tags of the entries behind the first ones.
    let describing = Mutex<Task<Void, Never>?>(nil)
    /// Whether a person has stopped the player, which then waits to be played again.
    let waits = Mutex(false)
    /// Whether a person has paused the player.
    let isPausedByPerson = Mutex(false)
    /// Waits at the end of the playlist until the effects of the mix have sounded out.
    let ending = Mutex<Task<Void, Never>?>(nil)
    /// Whether the sleep timer has ended playback.
    let fellAsleep = Atomic(false)
    /// Whether it did so after a time, within a track, which then goes on from there.
    let fellAsleepWithinTrack = Atomic(false)
    /// The volume that a person has set, 0…1.
    let volume: Mutex<Double>
    /// The modes as views show them.
    let modes: Mutex<PlaybackModes>
    /// Keeps the queue and the place in it; `nil` when they are not kept.
    let recorder: PlaceRecorder?
    /// Reads words and covers.
    let companions: TrackCompanions
    /// The entry in the desktop's media controls, which books of the same app share.
    let shared: SharedRemote

    /// Length of the fade when a person stops the player, in seconds.
    static let stopFade = 0.3
    /// Length of the fade of the sleep timer, in seconds.
    private static let sleepFade = 10.0

    /// Creates a player; no device is touched before ``start()``.
    ///
    /// - Parameters:
    ///   - request: The request.
    ///   - environment: Which plugins and decoders there are.
    /// - Throws: `CoreError` when GStreamer cannot be used.
    public init(_ request: PlayRequest, environment: AudioEnvironment) throws {
        // The view reads quickly; should it not, the oldest levels and positions are the ones to lose.
        (updates, feed) = AsyncStream.makeStream(bufferingPolicy: .bufferingNewest(1024))
        engine = try environment.makeEngine(output: request.output)
        service = AudioPlayerService(
            engine: engine, clock: environment.clock, logger: environment.logger,
            session: environment.session(for: request.output))
        self.request = request
        tagReader = environment.makeTagReaderService()
        self.environment = environment
        queue = Mutex(ShownQueue(request.entries))
        modes = Mutex(request.options.modes)
        companions = TrackCompanions(tagReader: tagReader, feed: feed)
        recorder = request.store.map { [feed] store in
            PlaceRecorder(
                store: store, entries: request.entries, options: request.options, position: request.start
            ) { feed.yield(.notice(Notice(.warning, $0))) }
        }
        shared = SharedRemote(
            environment.makeRemoteControl(
                RemoteIdentity(
                    name: request.desktopEntry == nil ? "descant" : "descant_desktop", displayName: "Descant",
                    desktopEntry: request.desktopEntry, uriSchemes: ["file", "http", "https"])))
        overlay = Mutex(request.options.overlays.first)
        volume = Mutex(Double(request.options.configuration.volumeFloat))
    }

    /// Why the player could not go on; `nil` when it could.
    public var failure: AudioPlayerError? { lastFailure.withLock { $0 } }

    // MARK: Commands

    /// Begins with the first playable track and the overlay.
    public func start() async throws {
        follow()
        var options = liveOptions
        // A first track that begins elsewhere must not be heard at its beginning.
        if request.start > 0 { options.configuration.volume = 0 }
        let before = modes.withLock { $0 }
        let hasBegun = try await load(options)
        if request.start > 0, hasBegun {
            // The place belongs to its track, which may be missing by now.
            let index = await service.getCurrentTrackIndex()
            if request.startIndex.map({ $0 == index }) ?? true {
                try await service.seekWithFade(to: request.start, fadeDuration: 0)
                await tellUnreachableStart()
            }
            await service.setVolume(Float(volume.withLock { $0 }))
        }
        await keepModes(since: before)
        await keepOrder()
        recorder?.begin()
        followTimeline()
        if request.isRemoteControlled { await connectRemoteControl() }
    }

    /// Gives the service the playlist, which it has when a track is open. A stop, or the choice of another track, ends that; the service then
    /// has the playlist, too, and the player waits.
    ///
    /// - Returns: Whether a track is played.
    private func load(_ options: PlayOptions) async throws -> Bool {
        let load = Task {
            do {
                try await begin(at: request.startIndex, options)
                return true
            } catch is CancellationError where !isOver.load(ordering: .acquiring) {
                // This task may be cancelled.
                try await Task { try await takeQueue() }.value
                return false
            }
        }
        loading.withLock { $0 = load }
        defer { loading.withLock { $0 = nil } }
        return try await withTaskCancellationHandler {
            try await load.value
        } onCancel: {
            load.cancel()
        }
    }

    /// Waits until the service has the playlist that a command concerns.
    func waitForPlaylist() async { if let load = loading.withLock({ $0 }) { _ = await load.result } }

    /// Chooses a track in place of the first one, which is still being opened and is not waited for.
    func leaveFirstTrack() async {
        guard let load = loading.withLock({ $0 }) else { return }
        load.cancel()
        _ = await load.result
    }

    /// Sets what a person has set while the first track was opened: the playlist has brought the modes of the request.
    private func keepModes(since before: PlaybackModes) async {
        let now = modes.withLock { $0 }
        if now.repeats != before.repeats { await setRepeat(now.repeats) }
        // Only other options of the session could be refused.
        if now.crossfade != before.crossfade { try? await setCrossfade(now.crossfade) }
    }

    /// Plays from a track on. Where it and those behind it are gone, such as the last album of a queue, the others remain.
    private func begin(at index: Int?, _ options: PlayOptions) async throws {
        do {
            try await performer.begin(request.entries.map(\.url), at: index, with: options) { error, _ in
                report(error)
            }
        } catch let error as AudioPlayerError where error.isOfFile && index ?? 0 > 0 {
            var options = options
            // It may have been set meanwhile.
            if request.start == 0 { options.configuration.volume = Int((volume.withLock { $0 } * 100).rounded()) }
            try await begin(at: 0, options)
        }
    }

    /// The options of the request, with a stop from a remote control that fades as that of a key does.
    var liveOptions: PlayOptions {
        var options = request.options
        options.configuration.stopFadeDuration = Self.stopFade
        return options
    }

    private var performer: TimelinePerformer { TimelinePerformer(player: service) }

    private func report(_ error: any Error) { feed.yield(.notice(Notice(.error, "\(error)"))) }

    /// Gives the player the commands of the timeline, counted from now.
    private func followTimeline() {
        guard !request.options.steps.isEmpty else { return }
        let began = ContinuousClock.now
        let timeline = Task { [performer, request, weak self] in
            for step in request.options.steps.inTime() {
                // Ends early only when the player is stopped.
                guard (try? await Task.sleep(until: began + .seconds(step.at))) != nil else { return }
                do { try await performer.perform(step.command) } catch { self?.report(error) }
            }
        }
        tasks.withLock { $0.append(timeline) }
    }

    /// Pauses everything audible, resumes it, or plays the present track from its beginning, or from where it broke off.
    public func togglePause() async throws {
        if try await beginAtStartingPlace() { return }
        noted(.togglePlayPause)
        try await service.togglePlayback()
    }

    /// Stops the playlist after a short fade.
    public func halt() async {
        head(for: nil)
        waits.withLock { $0 = true }
        await service.stop(fadeDuration: Self.stopFade)
    }

    /// Moves within the track. A player that waits begins there.
    ///
    /// - Parameter seconds: How far; negative for backwards.
    public func seek(by seconds: TimeInterval) async throws {
        if await moveStartingPosition({ $0 + seconds }) { return }
        try await service.skip(by: seconds, fadeDuration: 0.05)
    }

    /// Moves to a position. A player that waits begins there.
    ///
    /// - Parameter seconds: The position in seconds.
    public func seek(to seconds: TimeInterval) async throws {
        if await moveStartingPosition({ _ in seconds }) { return }
        try await service.seekWithFade(to: seconds, fadeDuration: 0.05)
    }

    /// Decides what happens at the natural end; repetitions have no count any more.
    ///
    /// - Parameter setting: What happens.
    public func setRepeat(_ setting: RepeatSetting) async {
        change { $0.repeats = setting }
        await service.forgetRepeatCount()
        await service.setRepeatMode(RepeatMode(setting))
    }

    /// Plays in an order drawn by chance, or as the playlist lies.
    ///
    /// - Parameter isOn: Whether by chance.
    public func setShuffle(_ isOn: Bool) async {
        change { $0.isShuffled = isOn }
        await service.setShuffle(isOn)
        await keepOrder()
    }

    /// Sets the speed.
    ///
    /// - Parameter rate: 0.5…3; 1 is normal.
    public func setRate(_ rate: Double) async throws {
        try await service.setRate(rate)
        change { $0.rate = rate }
    }

    /// Sets the overlap of tracks.
    ///
    /// - Parameter seconds: 0 for gapless joins, or 1…30.
    public func setCrossfade(_ seconds: TimeInterval) async throws {
        var configuration = await service.configuration
        configuration.crossfadeDuration = seconds
        try await service.updateConfiguration(configuration)
        change { $0.crossfade = seconds }
    }

    /// Brings tracks to one loudness by their tags, or ends that.
    ///
    /// - Parameter setting: Which tags are used.
    public func setLoudness(_ setting: LoudnessSetting) async {
        var settings = await service.replayGain
        settings.mode = ReplayGainMode(setting)
        await service.setReplayGain(settings)
        change { $0.loudness = setting }
    }

    /// Lets the player fade out and stop later, or takes that back.
    ///
    /// - Parameter setting: When it stops.
    public func setSleep(_ setting: SleepSetting) async throws {
        switch setting {
        case .off: await service.cancelSleepTimer()
        case .after(let minutes):
            try await service.setSleepTimer(.after(Double(minutes) * 60), fadeDuration: Self.sleepFade)
        case .endOfTrack: try await service.setSleepTimer(.endOfTrack)
        }
        change { $0.sleep = setting }
    }

    @discardableResult
    func change(_ change: (inout PlaybackModes) -> Void) -> PlaybackModes {
        let modes = modes.withLock { modes in
            change(&modes)
            return modes
        }
        recorder?.note(modes)
        return modes
    }

    /// Sets the volume.
    ///
    /// - Parameter volume: 0…1.
    public func setVolume(_ volume: Double) async {
        recorder?.note(volume: volume)
        self.volume.withLock { $0 = volume }
        await service.setVolume(Float(volume))
    }

    /// Pauses the overlay, resumes it, or starts it again when it had ended.
    public func toggleOverlay() async throws {
        guard let overlay = overlay.withLock({ $0 }) else {
            throw InputError(description: request.missingOverlay)
        }
        switch await service.getOverlayState() {
        case .playing, .crossfading: await service.pauseOverlay()
        case .paused: await service.resumeOverlay()
        case .idle, .stopping: try await service.startOverlay(url: overlay.url, configuration: overlay.configuration)
        }
    }

    /// Fades everything out and releases the device.
    ///
    /// - Parameter fade: Length of the fade, in seconds.
    public func stop(fade: TimeInterval) async {
        isOver.store(true, ordering: .releasing)
        head(for: nil)
        keepDescriptions()
        // The place is that of this moment, not that of a player without a track.
        await recorder?.finish()
        // Both fades are heard together: neither call waits for its fade.
        for overlay in await service.activeOverlays { await service.stopOverlay(id: overlay) }
        await service.stopSoundEffect()
        // A lost device must not keep the program.
        await waiting(atMost: fade + 1) { [service] in await service.stop(fadeDuration: fade) }
        await service.disconnectRemoteControl()
        await engine.shutdown()
        for task in tasks.withLock({ $0 }) { task.cancel() }
        ending.withLock { $0?.cancel() }
        spectrum.withLock { $0?.cancel() }
        describing.withLock { $0?.cancel() }
        feed.finish()
    }
}

/// Waits for work, which is cancelled after a limit.
///
/// - Parameter limit: Seconds.
func waiting(atMost limit: TimeInterval, for work: @escaping @Sendable () async -> Void) async {
    await withTaskGroup(of: Void.self) { group in
        group.addTask(operation: work)
        // Ends early, by an error, when the work is done.
        group.addTask { try? await Task.sleep(for: .seconds(limit)) }
        await group.next()
        group.cancelAll()
    }
}

extension AudioPlayerService {
    /// Plays the current track when none does and overlays go on after a stop or the end, which the command of a remote control would pause or
    /// resume instead; otherwise carries out that command.
    fileprivate func togglePlayback() async throws {
        if try await !playBesideOverlays() { try await perform(.togglePlayPause) }
    }

    /// Forgets how often a track or the playlist is repeated, which the command line has said of its own mode.
    func forgetRepeatCount() async {
        var changed = configuration
        guard changed.repeatCount != nil else { return }
        changed.repeatCount = nil
        // Only other options of the session could be refused.
        try? await updateConfiguration(changed)
    }

    /// Plays the current track when none does and overlays go on.
    ///
    /// - Returns: Whether it is so.
    func playBesideOverlays() async throws -> Bool {
        guard isWithoutTrack, !activeOverlays.isEmpty, await !isPlaylistEmpty() else { return false }
        try await jumpToTrack(at: await getCurrentTrackIndex())
        return true
    }
}
