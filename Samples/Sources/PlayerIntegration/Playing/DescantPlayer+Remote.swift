internal import Descant
internal import Foundation
internal import PlayerApp
internal import Synchronization

/// The desktop's media controls: media keys, the player panel, `playerctl --player descant`.
extension DescantPlayer {
    func connectRemoteControl() async {
        let remote = NamingRemote(shared.music) { [weak self] url in self?.queue.withLock { $0.entry(at: url) } }
        let feed = feed
        await service.connectRemoteControl(
            remote,
            options: RemoteControlOptions(
                quit: { feed.yield(.finished) }, raise: request.raise,
                shouldPerform: { [weak self] command in
                    guard let self else { return false }
                    switch command {
                    case .open(let url): return try await open(url)
                    case .play:
                        if try await beginAtStartingPlace() { return false }
                        if try await service.playBesideOverlays() { return false }
                    case .togglePlayPause: if try await beginAtStartingPlace() { return false }
                    case .setShuffle(let isOn) where isOn != modes.withLock({ $0.isShuffled }):
                        await setShuffle(isOn)
                        feed.yield(.modes(modes.withLock { $0 }))
                        return false
                    case .setRepeat: await service.forgetRepeatCount()
                    case .addTrack, .removeTrack: feed.yield(.playlistChangesElsewhere)
                    default: break
                    }
                    noted(command)
                    return true
                }))
    }

    /// The entry of a book's reader in the desktop's media controls: the player's own, which shows what played last.
    ///
    /// - Returns: The entry, in place of that of the reader before; `nil` for a player that is not shown there.
    func makeReaderRemote() -> (any RemoteControlPort)? {
        request.isRemoteControlled ? shared.makeReaderPort() : nil
    }

    /// Opens what the command line takes, too: a folder, a playlist, a file.
    ///
    /// - Returns: Whether the service is to open the address itself, because it is a single track.
    private func open(_ url: URL) async throws -> Bool {
        let file = url.standardizedFileURL
        if url.isFileURL, BookFile.isBook(file), let openBook = request.openBook {
            await openBook(file)
            return false
        }
        let wasPaused = await service.state == .paused
        let entries = try await InputExpander.entries(for: [url.isFileURL ? file : url], in: environment)
        // The place where a player begins that waits is left when the track begins, and stays when it cannot be opened.
        feed.yield(.playlistChangesElsewhere)
        if entries.count == 1, [url, file].contains(entries[0].url) { return true }
        let index = await service.isPlaylistEmpty() ? 0 : await service.getCurrentTrackIndex() + 1
        try await insert(entries, at: index)
        // A pause that came while the playlist was loaded holds.
        if !wasPaused, await service.state == .paused {
            try await service.jumpToTrack(at: index)
        } else {
            try await jump(to: index)
        }
        return false
    }

    /// Takes note of what the app itself has to know of a person's command.
    ///
    /// - Returns: The command.
    @discardableResult
    func noted(_ command: RemoteCommand) -> RemoteCommand {
        switch command {
        case .stop: waits.withLock { $0 = true }
        case .pause, .togglePlayPause: isPausedByPerson.withLock { $0 = true }
        case .setVolume(let volume):
            recorder?.note(volume: min(1, max(0, volume)))
            self.volume.withLock { $0 = min(1, max(0, volume)) }
            feed.yield(.volume(min(1, max(0, volume))))
        case .setRate(let rate): changeModes { $0.rate = min(3, max(0.5, rate)) }
        case .setShuffle(let isOn): changeModes { $0.isShuffled = isOn }
        case .setRepeat(let mode): changeModes { $0.repeats = RepeatSetting(mode) }
        default: break
        }
        return command
    }

    func changeModes(_ change: (inout PlaybackModes) -> Void) { feed.yield(.modes(self.change(change))) }
}

/// Adds what only a list knows. Tracks of CUE sheets get the artist and the album: the tags of the file are those of the whole. Files and
/// stations without a title of their own get that of the playlist.
private final class NamingRemote: RemoteControlPort {
    private let remote: any RemoteControlPort
    private let entry: @Sendable (URL) -> PlaylistEntry?

    init(_ remote: any RemoteControlPort, entry: @escaping @Sendable (URL) -> PlaylistEntry?) {
        self.remote = remote
        self.entry = entry
    }

    func connect(to target: any RemoteCommandTarget) { remote.connect(to: target) }

    func publish(_ nowPlaying: NowPlaying) {
        var named = nowPlaying
        named.track = named.track.map(self.named)
        named.tracks = named.tracks.map(self.named)
        remote.publish(named)
    }

    private func named(_ track: NowPlayingTrack) -> NowPlayingTrack {
        guard let url = track.url, let entry = entry(url) else { return track }
        var track = track
        guard TrackPart(of: url) != nil else {
            if track.title == PlaylistEntry(url: url).title { track.title = entry.title }
            return track
        }
        track.title = entry.title
        if let artist = entry.artist { track.artists = [artist] }
        track.album = entry.album ?? track.album
        return track
    }

    func positionJumped(to position: Double) { remote.positionJumped(to: position) }

    func close() async { await remote.close() }
}
