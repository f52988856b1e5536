import DescantCore
import DescantPlayback
import Foundation

/// A player without sound: three tracks, a position that follows the clock, two playlists.
actor ScriptedPlayer: RemoteControllable {
    nonisolated let hub = EventHub<RemoteChange>()
    nonisolated var remoteChanges: EventStream<RemoteChange> { hub.stream(buffer: .bounded(256)) }

    private var tracks: [NowPlayingTrack]
    private var index: Int?
    private var status = NowPlaying.Status.stopped
    private var anchor = (position: 0.0, time: UInt64(0))
    private var rate = 1.0
    private var volume = 1.0
    private var repeats = NowPlaying.Repeat.off
    private var isShuffled = false
    private var hasModes = true
    private var playlist = NowPlayingPlaylist.ID(rawValue: "one")
    private var added = 0
    private let clock = MonotonicClock()

    static let duration = 60.0

    init(tracks count: Int = 3) {
        tracks = (0..<count).map { number in
            NowPlayingTrack(
                id: .init(rawValue: "№ \(number + 1)"), url: URL(fileURLWithPath: "/music/träck \(number).flac"),
                title: "Track \(number + 1)", artists: ["One", "Two"], album: "Album", albumArtists: ["Several"],
                genres: ["Test"], trackNumber: number + 1, discNumber: 1, year: 1984, duration: Self.duration)
        }
    }

    func nowPlaying() -> NowPlaying {
        var abilities: RemoteAbilities = [.adjust, .open, .editTracks]
        if !tracks.isEmpty { abilities.formUnion([.play, .pause]) }
        if let index {
            abilities.insert(.seek)
            if index + 1 < tracks.count || repeats == .playlist { abilities.insert(.next) }
            if index > 0 || repeats == .playlist { abilities.insert(.previous) }
        }
        return NowPlaying(
            status: status, track: index.map { tracks[$0] }, tracks: tracks, rate: rate, rateRange: 0.5...2,
            volume: volume, repeats: hasModes ? repeats : nil, isShuffled: hasModes ? isShuffled : nil,
            playlists: [
                NowPlayingPlaylist(id: .init(rawValue: "one"), name: "Zebra"),
                NowPlayingPlaylist(id: .init(rawValue: "two"), name: "Ape"),
            ], activePlaylist: playlist, abilities: abilities)
    }

    /// Sets whether the player repeats and shuffles.
    func set(hasModes: Bool) {
        self.hasModes = hasModes
        hub.post(.updated)
    }

    var remotePosition: Double {
        guard index != nil else { return 0 }
        guard status == .playing else { return anchor.position }
        return min(Self.duration, anchor.position + Double(clock.now() - anchor.time) / 1e9 * rate)
    }

    func perform(_ command: RemoteCommand) throws {
        defer { hub.post(.updated) }
        switch command {
        case .play: play()
        case .pause: pause()
        case .togglePlayPause: if status == .playing { pause() } else { play() }
        case .stop: stop()
        case .next: move(1)
        case .previous: move(-1)
        case .seek(let seconds):
            let target = remotePosition + seconds
            if target <= Self.duration { jump(to: max(0, target)) } else if canGo(1) { move(1) } else { stop() }
        case .seekTo(let position, let track):
            if let index, track == nil || tracks[index].id == track { jump(to: position) }
        case .setRate(let rate):
            anchor = (remotePosition, clock.now())
            self.rate = rate
        case .setVolume(let volume): self.volume = min(1, volume)
        case .setRepeat(let mode): repeats = mode
        case .setShuffle(let isOn): isShuffled = isOn
        case .open(let url):
            go(to: insert(url, at: tracks.count))
            if status == .stopped { status = .playing }
        case .addTrack(let url, let predecessor, let isCurrent):
            let place = predecessor.map { id in tracks.firstIndex { $0.id == id }.map { $0 + 1 } ?? tracks.count } ?? 0
            let id = insert(url, at: place)
            if isCurrent { go(to: id) }
        case .removeTrack(let id): remove(id)
        case .goTo(let id): go(to: id)
        case .activatePlaylist(let id): playlist = id
        case .raise, .quit: throw CoreError.unsupported("\(command)")
        }
    }

    // MARK: Steps

    private func play() {
        guard !tracks.isEmpty, status != .playing else { return }
        if index == nil { index = 0 }
        anchor.time = clock.now()
        status = .playing
    }

    private func pause() {
        guard status == .playing else { return }
        anchor.position = remotePosition
        status = .paused
    }

    private func stop() {
        guard index != nil else { return }
        index = nil
        status = .stopped
        jump(to: 0)
    }

    private func canGo(_ step: Int) -> Bool {
        guard let index else { return false }
        return tracks.indices.contains(index + step) || repeats == .playlist
    }

    private func move(_ step: Int) {
        guard let index, canGo(step) else { return }
        begin(at: (index + step + tracks.count) % tracks.count)
    }

    private func begin(at place: Int) {
        index = place
        anchor = (0, clock.now())
    }

    private func jump(to position: Double) {
        anchor = (position, clock.now())
        hub.post(.jumped(to: position))
    }

    private func insert(_ url: URL, at place: Int) -> NowPlayingTrack.ID {
        added += 1
        let id = NowPlayingTrack.ID(rawValue: "added \(added)")
        tracks.insert(NowPlayingTrack(id: id, url: url, title: url.lastPathComponent, duration: 60), at: place)
        if let index, place <= index { self.index = index + 1 }
        return id
    }

    private func remove(_ id: NowPlayingTrack.ID) {
        guard let place = tracks.firstIndex(where: { $0.id == id }) else { return }
        if place == index { stop() }
        tracks.remove(at: place)
        if let index, place < index { self.index = index - 1 }
    }

    private func go(to id: NowPlayingTrack.ID) {
        guard let place = tracks.firstIndex(where: { $0.id == id }) else { return }
        begin(at: place)
        if status == .stopped { status = .playing }
    }
}
