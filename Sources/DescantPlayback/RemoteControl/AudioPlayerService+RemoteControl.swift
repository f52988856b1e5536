public import DescantCore
internal import Foundation

/// Commands of remote controls.
extension AudioPlayerService {
    /// Shows this player on a remote control and lets it be commanded from there, in place of an earlier one. Returns when the present
    /// state was published.
    ///
    /// - Parameters:
    ///   - remote: Where the player is shown, such as the desktop's media controls.
    ///   - options: What the host adds or takes away.
    public func connectRemoteControl(
        _ remote: any RemoteControlPort, options: RemoteControlOptions = RemoteControlOptions()
    ) async {
        self.remote.makeControl = nil
        let former = self.remote.bridge
        let bridge = RemoteControlBridge(player: self, remote: remote, options: options)
        self.remote.bridge = bridge
        await former?.close()
        await bridge.start()
    }

    /// Connects the remote control that the player was created with, without waiting for it.
    func connectOwnRemoteControl() {
        guard let makeControl = remote.makeControl else { return }
        remote.makeControl = nil
        let bridge = RemoteControlBridge(player: self, remote: makeControl())
        remote.bridge = bridge
        Task { await bridge.start() }
    }

    /// Shows this player on no remote control any more.
    public func disconnectRemoteControl() async {
        remote.makeControl = nil
        let bridge = remote.bridge
        remote.bridge = nil
        await bridge?.close()
    }

    /// Carries out a remote control's command; returns when it has taken effect.
    ///
    /// Pausing, playing and stopping act on overlays, effects and included engines too, as a person expects who wants silence.
    ///
    /// - Parameter command: What is wanted.
    /// - Throws: ``AudioPlayerError``, or `CoreError.unsupported` for playlists, which this player does not have.
    public func perform(_ command: RemoteCommand) async throws {
        switch command {
        case .play: try await playByRemote()
        case .pause: await pauseAll()
        case .togglePlayPause:
            // A slow resumption that is under way counts as done: the next press of the key means a pause.
            if state == .playing || state == .preparing || commands.resumption != nil || playsWithoutTrack {
                await pauseAll()
            } else {
                try await playByRemote()
            }
        case .stop:
            await stopEverything(fade: nil, then: .finished)
            await waitUntilSilent()
        case .next: try await moveByRemote(.next) { try await nextTrack() }
        case .previous: try await moveByRemote(.previous) { try await previousTrack() }
        case .seek(let seconds): try await seekByRemote(by: seconds)
        case .seekTo(let position, let track): try await seekByRemote(to: position, of: track)
        case .setRate(let rate): try await setRate(rate.clamped(to: 0.5...3))
        case .setVolume(let volume): await setVolume(Float(volume))
        case .setRepeat(let mode): await setRepeatByRemote(mode)
        case .setShuffle(let isOn): if isOn != (queue.shuffleSeed != nil) { await setShuffle(isOn) }
        case .open(let url): try await openByRemote(url)
        case .addTrack(let url, let predecessor, let isCurrent):
            let item = try await addByRemote(url, after: predecessor)
            if isCurrent { try await go(to: item) }
        case .removeTrack(let id):
            guard let item = PlaylistItem.ID(id) else { return }
            try await removeByRemote(item)
        case .goTo(let id):
            guard let item = PlaylistItem.ID(id) else { return }
            try await go(to: item)
        case .activatePlaylist, .raise, .quit: throw CoreError.unsupported("this player cannot do that: \(command)")
        }
    }

    // MARK: Transport

    private var playsWithoutTrack: Bool { main.current == nil && (overlays.isSounding || included.isSounding) }

    private func playByRemote() async throws {
        await wait { $0.state != .fadingOut }
        switch state {
        case .playing, .preparing, .fadingOut: return
        case .paused:
            guard commands.resumption == nil else { return await serially {} }
            let resumption = commands.beginResumption()
            defer { commands.endResumption(resumption) }
            try await resume()
            if commands.resumption == resumption { await resumeAll() }
        case .idle, .finished, .failed:
            guard overlays.isEmpty, !included.isActive else { return await resumeAll() }
            guard !queue.playlist.isEmpty else { return }
            // A lost connection or disk may be back.
            var place: (url: URL, position: TimeInterval)?
            if case .failed = state { place = main.brokenOff }
            try await navigate(.jump, at: { url in place.flatMap { $0.url == url ? $0.position : nil } ?? 0 }) {
                queue.playlist.route(only: queue.playlist.currentIndex, isJump: true)
            }
        }
    }

    /// Goes to another track if there is one, and waits until it is the current one: a running crossfade may have to end first.
    private func moveByRemote(_ ability: RemoteAbilities, _ move: () async throws -> Void) async throws {
        guard nowPlaying().abilities.contains(ability) else { return }
        try await move()
        await waitForDeferred()
    }

    private func seekByRemote(by seconds: Double) async throws {
        guard state == .playing || state == .paused, seconds.isFinite, let present = await heardPosition() else {
            return
        }
        // At an estimated length the position stands still while more sounds; only the deck knows how much.
        let isBeforeEnd = present.currentTime < present.duration
        guard isBeforeEnd, present.currentTime + seconds > present.duration else {
            return try await skip(by: seconds, fadeDuration: 0.05)
        }
        if nowPlaying().abilities.contains(.next) {
            try await perform(.next)
        } else {
            // Past the end of the last track nothing is left to play. Overlays go on, as they do at the track's own end.
            await stop()
            await wait { $0.state != .fadingOut }
        }
    }

    private func seekByRemote(to position: Double, of track: NowPlayingTrack.ID?) async throws {
        guard state == .playing || state == .paused, position.isFinite, let current = main.current,
            track == nil || track == current.item.id.remoteID
        else { return }
        try await seekWithFade(to: position, fadeDuration: 0.05)
    }

    private func setRepeatByRemote(_ mode: NowPlaying.Repeat) async {
        switch mode {
        case .off: await setRepeatMode(.off)
        case .track: await setRepeatMode(.singleTrack)
        case .playlist: await setRepeatMode(.playlist)
        }
    }

    // MARK: Tracks

    /// Adds a track behind the current one and plays it, also when the player is paused, unless a pause comes meanwhile; a file that cannot be
    /// opened is not kept.
    private func openByRemote(_ url: URL) async throws {
        let pauses = commands.pauses
        let item = try await addByRemote(url, after: main.current?.item.id.remoteID ?? lastShownID)
        let moves = commands.overtakings
        do {
            try await go(to: item)
        } catch {
            // A track that another one was chosen instead of stays in the list.
            let isOvertaken = error is CancellationError && commands.overtakings > moves + 1
            if !isOvertaken { try await removeByRemote(item) }
            throw error
        }
        if state == .paused, commands.pauses == pauses { try await playByRemote() }
    }

    private var lastShownID: NowPlayingTrack.ID? {
        queue.playlist.isEmpty ? nil : queue.playlist[queue.playlist.count - 1].id.remoteID
    }

    /// Adds a track behind another one, at the end when that is gone.
    private func addByRemote(_ url: URL, after predecessor: NowPlayingTrack.ID?) async throws -> PlaylistItem.ID {
        try await command {
            var index = 0
            if let predecessor {
                let found = PlaylistItem.ID(predecessor).flatMap {
                    queue.playlist.index(of: $0, near: queue.playlist.currentIndex)
                }
                index = found.map { $0 + 1 } ?? queue.playlist.count
            }
            queue.playlist.insert([url], at: index)
            await playlistChanged()
            return queue.playlist[index].id
        }
    }

    private func removeByRemote(_ item: PlaylistItem.ID) async throws {
        try await command {
            guard let index = queue.playlist.index(of: item, near: queue.playlist.currentIndex) else { return }
            await removeTracks(at: [index])
        }
        await waitUntilRemovedTrackIsLeft()
        await wait { $0.state != .fadingOut }
        await waitForDeferred()
    }

    private func go(to item: PlaylistItem.ID) async throws {
        let isThere = queue.playlist.index(of: item, near: queue.playlist.currentIndex) != nil
        try await navigate(.jump, overtakes: isThere) {
            queue.playlist.index(of: item, near: queue.playlist.currentIndex).map {
                queue.playlist.route(only: $0, isJump: true)
            }
        }
        await waitForDeferred()
    }

    // MARK: Waiting

    /// Waits until a track that was asked for within a crossfade has begun. A paused player needs a resume for that, which may
    /// well be a command that comes after this one.
    private func waitForDeferred() async {
        await wait { $0.main.deferred == nil || $0.state == .paused }
    }

    /// Waits until a condition holds; checks it at each posted change. Returns early when the task is cancelled.
    func wait(until isReached: (isolated AudioPlayerService) -> Bool) async {
        let changes = hubs.remote.stream(buffer: .newest)
        if isReached(self) { return }
        for await _ in changes where isReached(self) { return }
    }
}
