public import DescantCore
public import Foundation

/// A player as one of the engines of a ``MediaPlaybackController``: what it plays can be handed over to a voice or a player elsewhere,
/// and back.
///
/// Content is one URL, which becomes the player's playlist. Tracks that the host adds to the playlist follow with the player's
/// crossfades, and the content is finished when the last one was heard. Overlays and effects are not touched.
///
/// The player may be used beside the engine; the engine reports what the player does. The controller has a part in the audio session
/// and a remote control of its own: the player needs neither, so create it with
/// ``AudioPlayerService/init(engine:clock:logger:session:role:remoteControl:)`` and leave them out. Calls may come from any task.
public actor AudioPlayerEngine: EngineTrackReporting, SelfLimitingEngine {
    /// The engine's name.
    public nonisolated let identifier: String
    /// The player.
    public nonisolated let player: AudioPlayerService
    /// What every player does: it plays URLs, seeks, and changes its rate.
    public nonisolated let capabilities: EngineCapabilities = [.playsURLs, .seeks, .changesRate]

    private nonisolated let hub = EventHub<EngineState>(initial: .idle)
    /// Starts and seeks, one at a time.
    private let commands = AsyncSerialQueue()
    /// The content; `nil` when there is none.
    private var url: URL?
    /// The opened content until it begins.
    private var file: OpenedFile?
    /// The length of the content in seconds, as it was when it was opened.
    private var contentDuration: TimeInterval?
    /// Where content that does not play begins, in seconds. It may lie behind ``contentDuration``, which may be an estimate.
    private var startPosition: TimeInterval?
    /// Whether the player plays the content, so that the player's state is the engine's.
    private var isFollowing = false
    /// Counts loads and stops: an opening or a start from before the last one is not wanted any more.
    private var loads: UInt64 = 0
    private var listener: Task<Void, Never>?

    /// Creates an engine.
    ///
    /// - Parameters:
    ///   - player: The player; the engine keeps it.
    ///   - identifier: A short stable name.
    public init(_ player: AudioPlayerService, identifier: String = "player") {
        self.player = player
        self.identifier = identifier
    }

    deinit {
        listener?.cancel()
        hub.finish()
        guard let file else { return }
        let engine = player.engine
        Task { await engine.closeDeck(file.track.deck) }
    }

    // MARK: Content

    /// Opens a file or stream and waits at its beginning; stops what the player plays.
    ///
    /// - Parameter content: A URL.
    /// - Throws: `CoreError.unsupported` for text, `CoreError` for a URL that cannot be opened, `CancellationError` when the engine was
    ///   stopped or another content was loaded meanwhile.
    public func loadContent(_ content: MediaContent) async throws {
        guard case .url(let url) = content else {
            throw CoreError.unsupported("\(identifier) plays URLs; text needs a speech engine")
        }
        var number: UInt64
        repeat {
            let stop = await halt()
            number = stop
            // Behind a start that is under way: it stops the player when it finds itself overtaken.
            try await commands.run {
                guard stop == loads else { throw CancellationError() }
                // One that came during the stop plays the content that is replaced here.
                guard !isFollowing else { return }
                (self.url, contentDuration) = (nil, nil)
                hub.post(.loading)
            }
        } while isFollowing
        do {
            let opened = try await open(url, number)
            self.url = url
            contentDuration = opened.track.info.duration > 0 ? opened.track.info.duration : nil
            file = opened
            hub.post(.ready)
        } catch {
            if number == loads { hub.post((error as? CoreError).map(EngineState.failed) ?? .idle) }
            throw error
        }
    }

    /// Opens a file, unless it is not wanted any more when it is open.
    private func open(_ url: URL, _ number: UInt64) async throws -> OpenedFile {
        do {
            let opened = try await player.open(url)
            guard number == loads else {
                await player.engine.closeDeck(opened.track.deck)
                throw CancellationError()
            }
            return opened
        } catch let error as AudioPlayerError {
            throw CoreError(error)
        }
    }

    // MARK: Playing

    /// Plays from the present position; starts again what was heard to its end. Content that broke off, as with a lost connection,
    /// goes on there.
    ///
    /// - Throws: `CoreError.invalidState` when nothing is loaded, `CoreError.ioError` when there is no device to play to.
    public func play() async throws {
        try await commands.run {
            switch await engineState {
            case .playing, .buffering: return
            case .paused: try await translatingErrors { try await player.resume() }
            case .idle, .loading, .ready, .finished, .failed: try await begin()
            }
            await update()
        }
    }

    /// Plays the content from where it is to begin.
    private func begin() async throws {
        guard let url else { throw CoreError.invalidState("nothing is loaded; call loadContent first") }
        let number = loads
        let opened: OpenedFile
        if let file { opened = file } else { opened = try await open(url, number) }
        file = nil
        listen()
        try await translatingErrors { try await player.begin(opened, at: startPosition ?? 0) }
        guard number == loads else {
            // A stop has overtaken the start.
            await player.stop(fadeDuration: 0)
            throw CancellationError()
        }
        (isFollowing, startPosition) = (true, nil)
    }

    /// Freezes; harmless when not playing.
    public func pause() async {
        await player.pauseIfActive()
        await update()
    }

    /// Stops at once and returns to the beginning.
    public func stop() async { _ = await halt() }

    /// Stops at once and returns to the beginning.
    ///
    /// - Returns: The number of this stop among ``loads``.
    private func halt() async -> UInt64 {
        loads &+= 1
        let number = loads
        (isFollowing, startPosition) = (false, nil)
        let unplayed = file
        file = nil
        if hub.snapshot != .idle { hub.post(.idle) }
        await player.stop(fadeDuration: 0)
        if let unplayed { await player.engine.closeDeck(unplayed.track.deck) }
        return number
    }

    /// Moves to a position; content that does not play begins there.
    ///
    /// - Parameter position: Seconds or a share of the whole; clamped to the content as in ``AudioPlayerService/seekWithFade(to:fadeDuration:)``.
    /// - Throws: `CoreError.invalidState` when nothing is loaded, or during a crossfade that the player's configuration protects;
    ///   `CoreError.unsupported` for a character, a share of an unknown length, and content that cannot be moved.
    public func seek(to position: MediaPosition) async throws {
        try await commands.run {
            guard url != nil else { throw CoreError.invalidState("nothing is loaded; call loadContent first") }
            let length = await duration
            let seconds = try position.seconds(duration: length, engine: identifier)
            switch await engineState {
            case .playing, .paused, .buffering:
                try await translatingErrors { try await player.seekWithFade(to: seconds, fadeDuration: 0) }
            case .idle, .loading, .ready, .finished, .failed:
                startPosition = seconds.clamped(to: 0...1e9)
            }
        }
    }

    /// Sets the speed; pitch is kept.
    ///
    /// - Parameter rate: 0.5…3, 1 is normal.
    /// - Throws: `CoreError.invalidArgument` outside the range.
    public func setRate(_ rate: Double) async throws {
        try await translatingErrors { try await player.setRate(rate) }
    }

    private func translatingErrors(_ operation: () async throws -> Void) async throws {
        do {
            try await operation()
        } catch let error as AudioPlayerError {
            throw CoreError(error)
        }
    }

    // MARK: State

    /// The engine's state.
    public var engineState: EngineState {
        get async { isFollowing ? await player.engineState : hub.snapshot ?? .idle }
    }

    /// Every change of ``engineState`` from now on; begins with the present one.
    public nonisolated var stateUpdates: EventStream<EngineState> { hub.stream(buffer: .bounded(64)) }

    /// The position that is heard, or the one at which content begins that does not play, in seconds.
    public var currentTime: TimeInterval {
        get async {
            guard isFollowing, startPosition == nil else {
                return min(startPosition ?? 0, contentDuration ?? .infinity)
            }
            if let position = await player.playbackPosition { return position.currentTime }
            return await engineState == .finished ? contentDuration ?? 0 : 0
        }
    }

    /// The length of the track that plays, in seconds; `nil` while unknown.
    public var duration: TimeInterval? {
        get async {
            guard isFollowing, let position = await player.playbackPosition else { return contentDuration }
            return position.duration > 0 ? position.duration : nil
        }
    }

    /// The track that plays, or the content that has not begun.
    public var currentTrack: NowPlayingTrack? {
        get async {
            if isFollowing { return await player.nowPlaying().track }
            guard let track = file?.track else { return nil }
            return NowPlayingTrack(id: track.item.id.remoteID, url: track.item.url, info: track.info)
        }
    }

    /// Follows the player from the first play on.
    private func listen() {
        guard listener == nil else { return }
        let events = player.events.buffered(.bounded(256)).numbered
        listener = Task { [weak self] in for await event in events { await self?.follow(event.event.kind) } }
    }

    private func follow(_ event: PlayerEvent.Kind) async {
        switch event {
        case .stateChanged, .buffering: await update()
        // The next track of the playlist: told by the state once more.
        case .trackStarted: await update(isTold: true)
        default: break
        }
    }

    /// Tells the state of the player, if it has changed or is to be told once more.
    private func update(isTold: Bool = false) async {
        let number = loads
        let (new, place) = await (player.engineState, player.main.brokenOff)
        guard isFollowing, number == loads else { return }
        switch new {
        case .failed:
            isFollowing = false
            if let place, place.url == url { startPosition = place.position }
        case .idle: isFollowing = false
        default: break
        }
        if isTold || hub.snapshot != new { hub.post(new) }
    }
}

/// A file that was opened for a later ``AudioPlayerService/begin(_:at:)``.
struct OpenedFile: Sendable {
    /// The playlist of this file alone.
    let playlist: Playlist
    let track: OpenTrack
}

extension AudioPlayerService {
    /// What the player is doing, as the state of an engine.
    var engineState: EngineState {
        switch state {
        case .idle: .idle
        case .preparing: .buffering
        case .playing, .fadingOut: isBuffering ? .buffering : .playing
        case .paused: .paused
        case .finished: main.isPlayedToEnd ? .finished : .idle
        case .failed(let error): .failed(CoreError(error))
        }
    }

    /// Whether it has paused by itself, because its output stayed lost.
    var isPausedForLostOutput: Bool { commands.isPausedForLostOutput }

    /// Opens a file; what plays goes on.
    ///
    /// - Parameter url: The file.
    /// - Throws: ``AudioPlayerError``, or `CancellationError` when the player was stopped meanwhile.
    func open(_ url: URL) async throws -> OpenedFile {
        let playlist = Playlist([url])
        return try await opening(for: .main) { call in
            let info = try await openDeck(url, for: call)
            let stop = PlaylistRoute.Stop(index: 0, isRepeat: false)
            let track = OpenTrack(item: playlist[0], stop: stop, deck: info.id, info: info.track)
            return OpenedFile(playlist: playlist, track: track)
        }
    }

    /// Plays an opened file, which becomes the playlist, from a position on. A paused player plays again, unless a
    /// pause comes after the call.
    ///
    /// - Parameters:
    ///   - file: The file; its deck is closed when it cannot be played, or the player is stopped before it plays.
    ///   - position: Seconds from its beginning.
    /// - Throws: ``AudioPlayerError``; nothing was changed then.
    func begin(_ file: OpenedFile, at position: TimeInterval) async throws {
        do {
            try await opening(for: .main) { call in
                try await commit(file.track.deck, of: call) { try await start(file, at: position, for: call) }
            }
        } catch {
            // Harmless for a deck that was closed.
            await engine.closeDeck(file.track.deck)
            throw error
        }
    }

    private func start(_ file: OpenedFile, at position: TimeInterval, for call: OpeningCall) async throws {
        beginPreparing(for: call)
        do {
            let resumes = commands.pauses == call.pauses
            try await start(file.track, entry: configuration.startEntry, resumes: resumes, at: position)
        } catch {
            await endPreparing()
            throw error
        }
        endFadeOut()
        queue.playlist = queue.ordered(file.playlist, startingAt: 0)
        queue.repeatCount = 0
        post(.playlistChanged(count: 1))
        if position > 0 { main.seek(to: position) }
        await settle(on: file.track)
    }
}

extension CoreError {
    /// An error of a player as one of the ports.
    fileprivate init(_ error: AudioPlayerError) {
        let text = "\(error)"
        switch error {
        case .invalidState, .noActiveTrack, .crossfadeInProgress, .emptyPlaylist: self = .invalidState(text)
        case .fileNotFound: self = .notFound(text)
        case .invalidAudioFile: self = .decodeError(text)
        case .engineError, .sessionError: self = .ioError(text)
        case .invalidConfiguration, .invalidPlaylistIndex: self = .invalidArgument(text)
        }
    }
}
