public import Descant
public import Foundation
public import PlayerApp
internal import Synchronization

/// The app's player on the library's `AudioPlayerService`.
public final class DescantPlayer: PlayerControlling {
    /// The changes of the player; for one reader.
    public let updates: AsyncStream<PlayerUpdate>

    let feed: AsyncStream<PlayerUpdate>.Continuation
    private let engine: any MixingEngine
    let service: AudioPlayerService
    private let request: PlayRequest
    private let tasks = Mutex<[Task<Void, Never>]>([])
    private let overlayName: String
    private let lastFailure = Mutex<AudioPlayerError?>(nil)
    private let tagReader: any TagReaderService & Sendable
    /// Entries that the engine has described or refused; its description is preferred to the file's tags.
    private let describedEntries = Mutex<Set<Int>>([])
    /// The number of entries whose tags are read before they are played: more than a view shows, and fewer than the update
    /// buffer holds.
    private static let describedAhead = 500
    let environment: AudioEnvironment
    let entries: Mutex<[PlaylistEntry]>
    /// Whether a remote control has stopped the player, which then waits to be played again.
    let waits = Mutex(false)

    /// Creates a player; no device is touched before ``start()``.
    ///
    /// - Parameters:
    ///   - request: The request.
    ///   - environment: Which plugins and decoders there are.
    /// - Throws: `CoreError` when GStreamer cannot be used.
    public init(_ request: PlayRequest, environment: AudioEnvironment) throws {
        // When the view reads too slowly, the oldest updates are dropped.
        (updates, feed) = AsyncStream.makeStream(bufferingPolicy: .bufferingNewest(1024))
        engine = try environment.makeEngine(output: request.output)
        service = AudioPlayerService(
            engine: engine, clock: environment.clock, logger: environment.logger,
            session: environment.session(for: request.output))
        self.request = request
        tagReader = environment.makeTagReaderService()
        self.environment = environment
        entries = Mutex(request.entries)
        overlayName = request.options.overlays.first?.url.deletingPathExtension().lastPathComponent ?? ""
    }

    /// Why the player has failed; `nil` when it has not.
    public var failure: AudioPlayerError? { lastFailure.withLock { $0 } }

    // MARK: Commands

    /// Begins with the first playable track and the overlay.
    public func start() async throws {
        follow()
        var options = request.options
        // When the first track starts at another position, its beginning must not be heard.
        if request.start > 0 { options.configuration.volume = 0 }
        try await performer.begin(request.entries.map(\.url), with: options) { error, _ in report(error) }
        if request.start > 0 {
            try await service.seekWithFade(to: request.start, fadeDuration: 0)
            await service.setVolume(request.options.configuration.volumeFloat)
        }
        followTimeline()
        if request.isRemoteControlled { await connectRemoteControl() }
    }

    private var performer: TimelinePerformer { TimelinePerformer(player: service) }

    private func report(_ error: any Error) { feed.yield(.notice(Notice(.error, "\(error)"))) }

    /// Sends the commands of the timeline to the player, with times counted from now.
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

    /// Pauses everything audible, or resumes it.
    public func togglePause() async throws {
        if await service.state == .paused { await service.resumeAll() } else { await service.pauseAll() }
    }

    /// Goes to the next track.
    public func next() async throws {
        waits.withLock { $0 = false }
        try await service.nextTrack()
    }

    /// Goes to the previous track.
    public func previous() async throws {
        waits.withLock { $0 = false }
        try await service.previousTrack()
    }

    /// Goes to a track.
    ///
    /// - Parameter index: The track's place in the playlist.
    public func jump(to index: Int) async throws {
        waits.withLock { $0 = false }
        try await service.jumpToTrack(at: index)
    }

    /// Moves within the track.
    ///
    /// - Parameter seconds: How far; negative for backwards.
    public func seek(by seconds: TimeInterval) async throws {
        guard let position = await service.playbackPosition else { return }
        try await service.seekWithFade(to: position.currentTime + seconds, fadeDuration: 0.05)
    }

    /// Sets the volume.
    ///
    /// - Parameter volume: 0…1.
    public func setVolume(_ volume: Double) async { await service.setVolume(Float(volume)) }

    /// Pauses the overlay, resumes it, or starts it again when it had ended.
    public func toggleOverlay() async throws {
        guard let overlay = request.options.overlays.first else {
            throw InputError(description: "there is no overlay; start with --overlay FILE")
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
        let isAudible = await service.state == .playing
        // Both fades are heard at the same time, because neither call waits for its fade.
        for overlay in await service.activeOverlays { await service.stopOverlay(overlay) }
        await service.stopEffects()
        await service.stop(fadeDuration: fade)
        if isAudible { await waitForSilence(limit: fade + 1) }
        await service.disconnectRemoteControl()
        await engine.shutdown()
        for task in tasks.withLock({ $0 }) { task.cancel() }
        feed.finish()
    }

    /// Waits until the fade was heard or a time limit has passed, so that a lost device does not block the program's end.
    private func waitForSilence(limit: TimeInterval) async {
        let states = service.stateUpdates
        await withTaskGroup(of: Void.self) { group in
            group.addTask { for await state in states where state != .fadingOut && state != .playing { return } }
            group.addTask { try? await Task.sleep(for: .seconds(limit)) }
            await group.next()
            group.cancelAll()
        }
    }

    // MARK: Updates

    private func follow() {
        let service = service
        let feed = feed
        let engine = engine
        let events = service.events.buffered(.bounded(1024)).numbered
        let states = service.stateUpdates.buffered(.bounded(64)).numbered
        let positions = service.positionUpdates(every: 0.1)
        let started: [Task<Void, Never>] = [
            Task { [weak self] in
                for await event in events {
                    if case .playlistChanged = event.event.kind { await self?.readPlaylist() }
                    self?.translate(event.event)
                }
            },
            Task { [weak self] in for await state in states { self?.translate(state.event) } },
            Task { for await position in positions { await Self.report(position, of: engine, to: feed) } },
            Task {
                for await reading in engine.levels {
                    feed.yield(.levels(ChannelLevels(peak: reading.master.peak, rms: reading.master.rms)))
                }
            },
        ]
        tasks.withLock { $0 += started + [Task { [weak self] in await self?.readTags() }] }
    }

    /// Describes the playlist's first entries by their tags.
    private func readTags() async {
        let entries = request.entries.prefix(Self.describedAhead).enumerated().filter { $1.url.isFileURL }
        let places = Dictionary(grouping: entries, by: \.element.url)
        for await result in tagReader.readMetadata(of: Array(places.keys)) {
            guard let track = result.track else { continue }
            for (index, entry) in places[result.url] ?? [] {
                // A remote control may have changed the list meanwhile.
                let isThere = self.entries.withLock { $0.indices.contains(index) && $0[index].url == result.url }
                describedEntries.withLock { described in
                    guard isThere, !described.contains(index) else { return }
                    feed.yield(.details(index: index, entry.described(by: track)))
                }
            }
        }
    }

    private static func report(
        _ position: PlaybackPosition, of engine: any MixingEngine, to feed: AsyncStream<PlayerUpdate>.Continuation
    ) async {
        feed.yield(.position(position.currentTime, duration: position.duration > 0 ? position.duration : nil))
        let status = await engine.status(of: engine.mainLayer)
        if status.isCrossfading { feed.yield(.crossfadeRemaining(status.crossfadeRemaining)) }
    }

    private func translate(_ state: PlayerState) {
        feed.yield(.activity(PlayerActivity(state)))
        switch state {
        case .finished: if !waits.withLock({ $0 }) { feed.yield(.finished) }
        case .failed(let error):
            lastFailure.withLock { $0 = error }
            feed.yield(.finished)
        default: break
        }
    }

    private func translate(_ event: PlayerEvent) {
        switch event.kind {
        case .trackStarted(let url, let index, let track):
            // The details are sent before the change of track, so that the view has them then.
            describedEntries.withLock { _ = $0.insert(index) }
            let entry = PlaylistEntry(url: url, track: track)
            entries.withLock { if $0.indices.contains(index) { $0[index] = entry } }
            feed.yield(.details(index: index, entry))
            feed.yield(.track(index: index))
        case .transitionStarted(_, _, .crossfade, let frames):
            let seconds = engine.mixFormat.seconds(of: frames)
            feed.yield(.crossfade(CrossfadeProgress(remaining: seconds, duration: seconds)))
        case .transitionEnded: feed.yield(.crossfade(nil))
        case .trackFailed(let url, let error):
            feed.yield(.notice(Notice(.error, error.description)))
            markFailed(url, error)
        case .overlayChanged(.default, let state):
            let status = OverlayStatus(
                name: overlayName, isPlaying: state == .playing || state == .crossfading,
                volume: request.options.overlays.first?.volume ?? 1)
            feed.yield(.overlay(state == .idle ? nil : status))
        case .buffering(let percent) where percent < 100:
            feed.yield(.notice(Notice(.information, "buffering \(percent)%")))
        case .mix(.outputLost(let reason)): feed.yield(.notice(Notice(.error, "sound output lost: \(reason)")))
        case .mix(.outputRestored): feed.yield(.notice(Notice(.information, "sound output is back")))
        case .mix(.outputChanged(let device)): feed.yield(.notice(Notice(.information, "now playing on \(device)")))
        case .mix(.pluginOverdue(let plugin, let operation, let seconds)):
            let limit = (seconds * 10).rounded() / 10
            feed.yield(.notice(Notice(.error, "\(plugin) hangs: its \(operation) did not come back within \(limit) s")))
        case .error(let error): feed.yield(.notice(Notice(.error, error.description)))
        default: break
        }
    }

    private func markFailed(_ url: URL, _ error: AudioPlayerError) {
        for (index, entry) in entries.withLock({ $0 }).enumerated() where entry.url == url {
            var failed = entry
            failed.failure = error.description
            describedEntries.withLock { _ = $0.insert(index) }
            feed.yield(.details(index: index, failed))
        }
    }
}
