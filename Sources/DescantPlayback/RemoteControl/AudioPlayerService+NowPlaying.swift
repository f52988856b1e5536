public import DescantCore
internal import Foundation

/// What remote controls show of this player.
extension AudioPlayerService: RemoteControllable {
    /// What happens from now on, for remote controls.
    public nonisolated var remoteChanges: EventStream<RemoteChange> { hubs.remote.stream(buffer: .bounded(64)) }

    /// Where the current track is, in seconds, as heard; 0 when there is none.
    public var remotePosition: Double {
        get async { await heardPosition()?.currentTime ?? 0 }
    }

    /// What is playing at this moment, and what can be done. Of a long playlist the part around the current track.
    public func nowPlaying() -> NowPlaying {
        if let current = main.current { remote.remember(current.info, of: current.item.id) }
        return NowPlaying(
            status: remoteStatus, track: main.current.map { shown($0.item, $0.info) }, tracks: shownList(), rate: rate,
            rateRange: 0.5...3, volume: Double(configuration.volumeFloat), repeats: remoteRepeat,
            isShuffled: queue.shuffleSeed != nil, abilities: remoteAbilities)
    }

    /// Tells remote controls about a new or better known current track, and everybody else.
    func postTrack(_ info: TrackInfo?) {
        hubs.track.post(info)
        hubs.remote.post(.updated)
    }

    /// Tells remote controls that the current track begins, which is a jump when it is the same one again.
    func postBeginning(of item: PlaylistItem.ID?) {
        if remote.begin(item) { hubs.remote.post(.jumped(to: 0)) }
    }

    // MARK: Parts

    private var remoteStatus: NowPlaying.Status {
        guard main.current != nil else {
            // An overlay alone, such as rain, or a voice alone is paused and resumed as music is.
            if overlays.isSounding || included.isSounding { return .playing }
            return overlays.isEmpty && !included.isActive ? .stopped : .paused
        }
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
        if !queue.playlist.isEmpty || !overlays.isEmpty || included.isActive { abilities.formUnion([.play, .pause]) }
        guard main.current != nil, state.isActive else { return abilities }
        abilities.formUnion([.play, .pause])
        // Content without a known length, such as a radio station, cannot be repositioned.
        if state != .preparing, main.current.map({ $0.info.duration > 0 }) == true { abilities.insert(.seek) }
        guard !queue.playlist.isEmpty else { return abilities }
        let wraps = configuration.repeatMode == .playlist
        if queue.playlist.route(after: navigationOrigin, wrapping: wraps).length > 0 { abilities.insert(.next) }
        if queue.playlist.route(before: navigationOrigin, wrapping: wraps).length > 0 { abilities.insert(.previous) }
        return abilities
    }

    /// The tracks around the current one. The part moves by halves only, so that most changes of track leave it as it is.
    private func shownList() -> [NowPlayingTrack] {
        let half = RemotePresentation.limit / 2
        let first =
            queue.playlist.count <= RemotePresentation.limit
            ? 0 : max(0, queue.playlist.currentIndex / half * half - half / 2)
        let range = (first..<first + RemotePresentation.limit).clamped(to: 0..<queue.playlist.count)
        let items = range.map { queue.playlist[$0] }
        remote.keepOnly(items)
        return items.map { shown($0, remote.info(of: $0.id)) }
    }

    private func shown(_ item: PlaylistItem, _ info: TrackInfo?) -> NowPlayingTrack {
        NowPlayingTrack(id: item.id.remoteID, url: item.url, info: info)
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

/// The tracks of a player as remote controls have seen them.
struct RemotePresentation {
    /// The most tracks that remote controls are shown at once.
    static let limit = 64

    /// Connects the player with a remote control; `nil` for none.
    var bridge: RemoteControlBridge?
    /// Makes the remote control of the first command; `nil` for none, and once the player or its host has decided.
    var makeControl: (@Sendable () -> any RemoteControlPort)?
    /// The item that began last; `nil` when nothing has begun since the end.
    private var begunItem: PlaylistItem.ID?
    private var infos: [PlaylistItem.ID: TrackInfo] = [:]

    /// Notes that an item begins, or that playing has ended.
    ///
    /// - Returns: Whether this is a jump to the beginning: the same item again, or the end after an item.
    mutating func begin(_ item: PlaylistItem.ID?) -> Bool {
        defer { begunItem = item }
        return item == nil ? begunItem != nil : begunItem == item
    }

    /// What is known of an item that was played.
    func info(of item: PlaylistItem.ID) -> TrackInfo? { infos[item] }

    /// Keeps what is known of an item, without its cover, which takes too much memory.
    mutating func remember(_ info: TrackInfo, of item: PlaylistItem.ID) {
        var info = info
        info.tags.artworkData = nil
        infos[item] = info
    }

    /// Forgets items that are not shown, once there are more than ``limit``.
    mutating func keepOnly(_ items: [PlaylistItem]) {
        guard infos.count > Self.limit else { return }
        let ids = Set(items.map(\.id))
        infos = infos.filter { ids.contains($0.key) }
    }
}
