public import DescantCore
internal import Foundation

/// What remote controls show of this player.
extension AudioPlayerService: RemoteControllable {
    /// The most tracks that remote controls are shown at once.
    static var shownTracks: Int { 64 }

    /// What happens from now on, for remote controls.
    public nonisolated var remoteChanges: EventStream<RemoteChange> { remoteHub.stream(buffer: .bounded(64)) }

    /// Where the current track is, in seconds, as heard; 0 when there is none.
    public var remotePosition: Double {
        get async { await heardPosition()?.currentTime ?? 0 }
    }

    /// What is playing at this moment, and what can be done. Of a long playlist the part around the current track.
    public func nowPlaying() -> NowPlaying {
        rememberCurrentTrack()
        return NowPlaying(
            status: remoteStatus, track: line.current.map { shown($0.item, $0.info) }, tracks: shownList(), rate: rate,
            rateRange: 0.5...3, volume: Double(configuration.volumeFloat), repeats: remoteRepeat,
            isShuffled: shuffleSeed != nil, abilities: remoteAbilities)
    }

    /// Tells remote controls about a new or better known current track, and everybody else.
    func postTrack(_ info: TrackInfo?) {
        trackHub.post(info)
        remoteHub.post(.updated)
    }

    /// Tells remote controls that the current track begins, which is a jump when it is the same one again.
    func postBeginning(of item: PlaylistItem.ID?) {
        let isAgain = item == nil ? begunItem != nil : begunItem == item
        begunItem = item
        if isAgain { remoteHub.post(.jumped(to: 0)) }
    }

    // MARK: Parts

    private var remoteStatus: NowPlaying.Status {
        guard line.current != nil else { return .stopped }
        switch state {
        case .playing, .preparing, .fadingOut: return .playing
        case .paused: return .paused
        case .idle, .finished, .failed: return .stopped
        }
    }

    private var remoteRepeat: NowPlaying.Repeat {
        switch configuration.repeatMode {
        case .off: .off
        case .singleTrack: .track
        case .playlist: .playlist
        }
    }

    private var remoteAbilities: RemoteAbilities {
        var abilities: RemoteAbilities = [.adjust, .open, .editTracks]
        if !playlist.isEmpty { abilities.formUnion([.play, .pause]) }
        guard line.current != nil, state.isActive else { return abilities }
        abilities.formUnion([.play, .pause])
        if state != .preparing { abilities.insert(.seek) }
        guard !playlist.isEmpty else { return abilities }
        let wraps = configuration.repeatMode == .playlist
        if playlist.route(after: navigationOrigin, wrapping: wraps).length > 0 { abilities.insert(.next) }
        if playlist.route(before: navigationOrigin, wrapping: wraps).length > 0 { abilities.insert(.previous) }
        return abilities
    }

    /// The tracks around the current one. The part moves by halves only, so that most changes of track leave it as it is.
    private func shownList() -> [NowPlayingTrack] {
        let half = Self.shownTracks / 2
        let first = playlist.count <= Self.shownTracks ? 0 : max(0, playlist.currentIndex / half * half - half / 2)
        let range = (first..<first + Self.shownTracks).clamped(to: 0..<playlist.count)
        let items = range.map { playlist[$0] }
        if shownInfos.count > Self.shownTracks {
            let ids = Set(items.map(\.id))
            shownInfos = shownInfos.filter { ids.contains($0.key) }
        }
        return items.map { shown($0, shownInfos[$0.id]) }
    }

    /// What is known of tracks that were played stays known; their covers would take too much memory.
    private func rememberCurrentTrack() {
        guard let current = line.current else { return }
        var info = current.info
        info.tags.artworkData = nil
        shownInfos[current.item.id] = info
    }

    private func shown(_ item: PlaylistItem, _ info: TrackInfo?) -> NowPlayingTrack {
        let tags = info?.tags ?? TagBundle()
        return NowPlayingTrack(
            id: item.id.remoteID, url: item.url,
            title: info?.title ?? item.url.deletingPathExtension().lastPathComponent,
            artists: [info?.artist ?? tags.artist].compactMap { $0 }, album: tags.album,
            albumArtists: [tags.albumArtist].compactMap { $0 }, genres: [tags.genre].compactMap { $0 },
            trackNumber: tags.trackNumber, discNumber: tags.discNumber, year: tags.year,
            duration: info.flatMap { $0.duration > 0 && $0.duration.isFinite ? $0.duration : nil },
            artworkData: tags.artworkData)
    }
}

extension PlaylistItem.ID {
    /// The identity as remote controls have it.
    var remoteID: NowPlayingTrack.ID { NowPlayingTrack.ID(rawValue: String(rawValue)) }

    /// The identity that a remote control means; `nil` when it is none of ours.
    init?(_ id: NowPlayingTrack.ID) {
        guard let number = UInt64(id.rawValue) else { return nil }
        self.init(rawValue: number)
    }
}
