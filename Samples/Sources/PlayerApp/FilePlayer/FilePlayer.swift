internal import DescantCore
internal import DescantPlayback
internal import Foundation
public import Observation

/// Plays a playlist with a service that plays one file: the player of ``AppState/init(factory:iap:storage:preferences:clock:)``.
///
/// Formats of Pro are left to the service that the factory makes for the person's product; when the product changes, the next
/// track is played by a new service. A track that cannot be played is marked with the reason and passed over.
@MainActor
@Observable
public final class FilePlayer {
    /// The changes of the player; for one reader.
    @ObservationIgnored public nonisolated let updates: AsyncStream<PlayerUpdate>
    /// The tracks.
    public internal(set) var playlist = FilePlaylist()
    /// Whether the person has Pro.
    public private(set) var product: ProStatus
    /// The last error that was reported; `nil` after the next track has begun without one.
    public internal(set) var lastError: PlaybackError?
    /// What the person has chosen.
    public internal(set) var preferences: ViewPreferences

    @ObservationIgnored let feed: AsyncStream<PlayerUpdate>.Continuation
    @ObservationIgnored let storage: (any PlayerStorage)?
    @ObservationIgnored let tagReader: any TagReaderService & Sendable
    /// Why tracks cannot be played.
    @ObservationIgnored private var failures: [Track.ID: PlaybackError] = [:]
    /// The service, and the product that it was made for.
    @ObservationIgnored private(set) var service: AsyncPlaybackService
    @ObservationIgnored private var serviceIsPro: Bool
    @ObservationIgnored private let factory: any CoreFactory
    @ObservationIgnored private let clock: any Clock<Duration>
    @ObservationIgnored private var tasks: [Task<Void, Never>] = []
    @ObservationIgnored private var watching: Task<Void, Never>?
    /// What the player is to do, whatever the service is still doing.
    @ObservationIgnored private(set) var isToSound = false
    /// Whether the service has a track.
    @ObservationIgnored private(set) var isLoaded = false
    /// Counts the changes of the playlist.
    @ObservationIgnored var edits = 0
    /// Counts the tracks that were begun, so that a command that was overtaken ends.
    @ObservationIgnored private var attempt = 0
    /// Tracks that could not be played since the last one that could.
    @ObservationIgnored private var failuresInARow = 0
    /// Whether a track was played since the person's last choice of one.
    @ObservationIgnored private var hasPlayed = false

    /// How often the position is read.
    private static let positionInterval = Duration.milliseconds(200)

    init(
        factory: any CoreFactory, iap: any IAPManager, storage: (any PlayerStorage)?, preferences: ViewPreferences,
        clock: any Clock<Duration>
    ) {
        // Views read quickly; should they not, the oldest positions are the ones to lose.
        (updates, feed) = AsyncStream.makeStream(bufferingPolicy: .bufferingNewest(1024))
        self.factory = factory
        self.storage = storage
        self.preferences = preferences
        self.clock = clock
        product = iap.status
        serviceIsPro = iap.isProUser
        service = AsyncPlaybackService(factory.makePlaybackService(isProUser: iap.isProUser))
        tagReader = factory.makeTagReaderService()
        playlist.repeats = preferences.repeats
        playlist.setShuffled(preferences.isShuffled)
        playlist.sort(by: preferences.sorting)
        watch(service)
        followProduct(iap.statusUpdates)
        followPosition()
    }

    isolated deinit {
        for task in tasks { task.cancel() }
        watching?.cancel()
        feed.finish()
    }

    // MARK: Playing

    /// Plays a track; those that cannot be played are passed over, each at most once.
    func play(_ first: Track?) async {
        failuresInARow = 0
        hasPlayed = false
        await tryToPlay(first)
    }

    private func tryToPlay(_ first: Track?) async {
        attempt += 1
        let mine = attempt
        isToSound = true
        // The first state of a new service is no end of a track.
        isLoaded = false
        var candidate = first
        while let track = candidate, failuresInARow < max(1, playlist.tracks.count) {
            makeCurrent(track)
            do {
                let service = await serviceForProduct()
                guard mine == attempt else { return }
                try await service.load(url: track.url)
                await service.setVolume(Float(preferences.volume))
                guard mine == attempt else { return }
            } catch {
                guard mine == attempt else { return }
                note(PlaybackError(error, of: track.url, while: .opening), of: track)
                candidate = playlist.afterFailure()
                continue
            }
            // Nothing comes between this and the start: from here on the states of the service are those of the track.
            isLoaded = true
            return await sound(track, mine)
        }
        guard mine == attempt else { return }
        await end()
    }

    /// Starts the loaded track. An output that does not start would not do so for another track either.
    private func sound(_ track: Track, _ mine: Int) async {
        guard isToSound else {
            feed.yield(.activity(.paused))
            return
        }
        do {
            try await service.play()
            hasPlayed = true
            lastError = nil
            if failures.removeValue(forKey: track.id) != nil { sendDetails(of: track) }
        } catch {
            guard mine == attempt else { return }
            report(PlaybackError(error, of: track.url, while: .playing))
            isToSound = false
            isLoaded = false
            feed.yield(.activity(.failed))
        }
    }

    /// Everything was played, or nothing can be.
    private func end() async {
        isToSound = false
        isLoaded = false
        attempt += 1
        await service.stop()
        feed.yield(.activity(hasPlayed ? .finished : .failed))
        let failure = hasPlayed ? nil : lastError
        feed.yield(.ended(failure.map { PlaybackEnding.failure($0.description) } ?? .played))
    }

    /// Freezes the track or lets it go on; begins the present or first track when none is loaded.
    func setSounding(_ isOn: Bool) async throws {
        isToSound = isOn
        guard isOn else { return await service.pause() }
        guard isLoaded, let track = playlist.current else {
            guard let track = playlist.current ?? playlist.next() else { throw Refusal("the playlist is empty") }
            return await play(track)
        }
        await sound(track, attempt)
    }

    /// Ends the sound at once; the present track stays the present one.
    public func halt() async {
        isToSound = false
        isLoaded = false
        attempt += 1
        await service.stop()
        feed.yield(.activity(.stopped))
        feed.yield(.position(0, duration: playlist.current?.duration))
    }

    /// Ends the sound, the tasks and the updates.
    func shutDown() async {
        await halt()
        for task in tasks { task.cancel() }
        watching?.cancel()
        feed.yield(.finished)
        feed.finish()
    }

    // MARK: The service

    /// The service for the person's product: another one since that has changed.
    private func serviceForProduct() async -> AsyncPlaybackService {
        guard product.isProUser != serviceIsPro else { return service }
        let former = service
        serviceIsPro = product.isProUser
        service = AsyncPlaybackService(factory.makePlaybackService(isProUser: product.isProUser))
        watch(service)
        await former.stop()
        return service
    }

    private func watch(_ service: AsyncPlaybackService) {
        watching?.cancel()
        watching = Task { [weak self] in
            for await _ in service.stateUpdates {
                guard !Task.isCancelled else { return }
                await self?.followState(of: service)
            }
        }
    }

    /// Acts on a change of the service's state, which a person, the end of the track or the audio session has caused.
    private func followState(of service: AsyncPlaybackService) async {
        let mine = attempt
        guard service === self.service, isLoaded, let track = playlist.current else { return }
        // The change may be older than a command: what counts is the state after all commands.
        let state = await service.progress().state
        guard mine == attempt, isLoaded else { return }
        switch state {
        case .playing:
            isToSound = true
            feed.yield(.activity(.playing))
        case .paused:
            isToSound = false
            feed.yield(.activity(.paused))
        case .buffering: break
        case .stopped:
            guard isToSound else {
                feed.yield(.activity(.stopped))
                return
            }
            failuresInARow = 0
            await tryToPlay(playlist.afterEnd())
        case .error(let error):
            isLoaded = false
            note(PlaybackError(error, of: track.url, while: .playing), of: track)
            guard isToSound else {
                feed.yield(.activity(.failed))
                return
            }
            await tryToPlay(playlist.afterFailure())
        }
    }

    // MARK: Following

    private func followProduct(_ changes: EventStream<ProStatus>) {
        tasks.append(
            Task { [weak self] in
                for await status in changes {
                    guard let self, status != product else { continue }
                    setProduct(status)
                }
            })
    }

    private func setProduct(_ status: ProStatus) {
        let hadPro = product.isProUser
        product = status
        if let refusal = status.refusal { feed.yield(.notice(Notice(.warning, refusal))) }
        guard status.isProUser, !hadPro else { return }
        // What was refused may be played now.
        for track in playlist.tracks {
            if case .unsupportedFormat? = failures.removeValue(forKey: track.id) { sendDetails(of: track) }
        }
        feed.yield(.notice(Notice(.information, "Pro is active")))
    }

    private func followPosition() {
        tasks.append(
            Task { [weak self, clock] in
                while (try? await clock.sleep(for: Self.positionInterval, tolerance: nil)) != nil {
                    guard let self else { return }
                    await sendPosition()
                }
            })
    }

    /// Reads the position while something sounds.
    func sendPosition() async {
        guard isLoaded, isToSound else { return }
        let mine = attempt
        let progress = await service.progress()
        guard mine == attempt, isLoaded else { return }
        switch progress.state {
        case .playing, .paused, .buffering:
            feed.yield(.position(progress.position, duration: progress.duration.isFinite ? progress.duration : nil))
        case .stopped, .error: break
        }
    }

    // MARK: What views show

    /// The playlist as views show it.
    var entries: [PlaylistEntry] { playlist.tracks.map(entry) }

    func entry(_ track: Track) -> PlaylistEntry {
        var entry = PlaylistEntry(
            url: track.url, title: track.title, artist: track.artist, duration: track.duration)
        entry.album = track.album
        entry.format = track.tags.technical?.codec
        entry.failure = failures[track.id]?.description
        return entry
    }

    func sendPlaylist() { feed.yield(.playlist(entries, current: playlist.currentIndex, edit: edits)) }

    private func sendDetails(of track: Track) {
        guard let index = playlist.index(of: track.id) else { return }
        feed.yield(.details(index: index, entry(track)))
    }

    private func makeCurrent(_ track: Track) {
        playlist.setCurrent(track.id)
        // The track that becomes the present one is not the one that sounds.
        feed.yield(.activity(.preparing))
        if let index = playlist.currentIndex { feed.yield(.track(index: index)) }
    }

    /// Marks a track that cannot be played.
    private func note(_ error: PlaybackError, of track: Track) {
        failuresInARow += 1
        failures[track.id] = error
        sendDetails(of: track)
        report(error)
    }

    /// Tells the person.
    func report(_ error: PlaybackError) {
        lastError = error
        feed.yield(.notice(Notice(.error, error.description)))
    }

    // MARK: Preferences

    /// Changes the preferences and keeps them.
    func change(_ change: (inout ViewPreferences) -> Void) async {
        let before = preferences
        change(&preferences)
        guard preferences != before, let storage else { return }
        do {
            try await storage.save(preferences)
        } catch {
            feed.yield(.notice(Notice(.warning, "\(error)")))
        }
    }
}
