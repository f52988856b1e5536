public import Descant
public import Foundation
public import PlayerApp
internal import Synchronization

/// Commands of a window: folders and playlists as inputs, overlay, equaliser, and a queue that waits to be played.
extension DescantPlayer: MixControlling {
    // MARK: A queue that waits

    /// Takes over the queue of the request without playing it. ``togglePause()`` begins at the place that the request names.
    ///
    /// - Throws: An error for options out of range.
    public func prepare() async throws {
        follow()
        let options = liveOptions
        await service.setReplayGain(options.replayGain)
        await service.setEqualizer(options.equalizer)
        try await service.setEffects(options.inserts)
        if let seed = options.shuffleSeed { _ = await service.setShuffle(true, seed: seed) }
        if options.rate != 1 { try await service.setRate(options.rate) }
        try await takeQueue()
        await keepOrder()
        recorder?.begin()
        if request.isRemoteControlled { await connectRemoteControl() }
    }

    /// Gives the service the queue of the request, which waits to be played.
    func takeQueue() async throws {
        try await service.updateConfiguration(liveOptions.configuration)
        await service.setVolume(Float(volume.withLock { $0 }))
        guard !request.entries.isEmpty else { return }
        await service.addTracksToPlaylist(request.entries.map(\.url))
        let index = request.startIndex ?? 0
        guard request.entries.indices.contains(index) else { return }
        try await service.selectTrack(at: index)
        if let order = request.options.shuffledOrder {
            // An order of another list is left out.
            _ = try? await service.setShuffle(order: order, seed: request.options.shuffleSeed)
        }
        waitToBegin(at: index, position: request.start)
    }

    /// Shows where the player will begin.
    func waitToBegin(at index: Int, position: TimeInterval) {
        guard let entry = queue.withLock({ $0.entries.indices.contains(index) ? $0.entries[index] : nil }) else {
            return
        }
        start.withLock { $0 = StartingPlace(url: entry.url, position: position) }
        recorder?.note(track: entry.url, at: index, position: position)
        feed.yield(.track(index: index))
        feed.yield(.position(position, duration: entry.duration))
        companions.load(entry.url)
    }

    /// Tells that a stream of unknown length, such as a station, does not begin where it was asked to: it has no positions to move to. One that
    /// goes on from another time begins with what it sends now, as is expected.
    func tellUnreachableStart() async {
        guard request.startIndex == nil, let track = await service.currentTrack, track.duration <= 0 else { return }
        let reason = "the stream has no length and cannot begin at \(request.start) s: --start is left out"
        feed.yield(.notice(Notice(.warning, reason)))
    }

    /// Moves the place where a prepared player will begin, which stays silent, as a paused one does.
    ///
    /// - Parameter isForward: Whether to the next track; otherwise to the one before, or to the beginning of the first one.
    /// - Returns: Whether there is such a place.
    nonisolated(nonsending) func moveStartingPlace(isForward: Bool) async throws -> Bool {
        guard start.withLock({ $0 != nil }) else { return false }
        let index = await service.getCurrentTrackIndex()
        guard let url = await isForward ? service.peekNextTrack() : service.peekPreviousTrack() else {
            throw InputError(description: "this is the last track")
        }
        // A file may have several places.
        let target = queue.withLock { queue in
            let near = [index + (isForward ? 1 : -1), index].first {
                queue.entries.indices.contains($0) && queue.entries[$0].url == url
            }
            return near ?? queue.entries.firstIndex { $0.url == url }
        }
        guard let target else { return true }
        try await service.selectTrack(at: target)
        waitToBegin(at: target, position: 0)
        return true
    }

    /// Moves the position where a player without a track will begin: one that was prepared, stopped or has come to the end.
    ///
    /// - Parameter move: Returns the new position of the present one.
    /// - Returns: Whether the player waits.
    nonisolated(nonsending) func moveStartingPosition(_ move: (TimeInterval) -> TimeInterval) async -> Bool {
        let index = await service.getCurrentTrackIndex()
        guard await service.isWithoutTrack, let url = await service.getTracks(in: index..<index + 1).first else {
            return false
        }
        // A station cannot be moved.
        let length = queue.withLock { $0.entry(at: url, near: index).duration }
        guard length != nil || url.isFileURL else { return false }
        let waiting = start.withLock { $0 }
        let place = (waiting ?? heard.withLock { $0 }).flatMap { $0.url == url ? $0.position : nil }
        let target = move(place ?? 0)
        let position = target.isNaN ? 0 : min(max(0, target), length ?? .infinity)
        guard waiting?.url == url else {
            waitToBegin(at: index, position: position)
            return true
        }
        // Its cover, words and chapters are shown already.
        start.withLock { $0 = StartingPlace(url: url, position: position) }
        recorder?.note(track: url, at: index, position: position)
        feed.yield(.position(position, duration: length))
        return true
    }

    /// Plays a prepared queue from its place.
    ///
    /// - Returns: Whether there was such a place.
    nonisolated(nonsending) func beginAtStartingPlace() async throws -> Bool {
        guard let place = takeStartingPlace() else { return false }
        do {
            try await begin(at: place)
        } catch {
            await keepStartingPlace(place)
            throw error
        }
        return true
    }

    /// Takes the place where a prepared player would begin, because a track is about to be played.
    func takeStartingPlace() -> StartingPlace? {
        start.withLock { place in
            defer { place = nil }
            return place
        }
    }

    /// Puts the place back after a track that cannot be opened, whose disk may not be there yet: the next attempt begins at the same place.
    nonisolated(nonsending) func keepStartingPlace(_ place: StartingPlace) async {
        if await service.isWithoutTrack { start.withLock { $0 = $0 ?? place } }
    }

    /// Plays the current track, from the position of the place if it is the place's track.
    nonisolated(nonsending) private func begin(at place: StartingPlace) async throws {
        let index = await service.getCurrentTrackIndex()
        guard place.position > 0, await service.getTracks(in: index..<index + 1) == [place.url] else {
            return try await service.jumpToTrack(at: index)
        }
        // The track must not be heard at its beginning.
        await service.setVolume(0)
        do {
            try await service.jumpToTrack(at: index)
            // A track that cannot be opened is passed over, and the place is not that of the next one.
            if await service.getCurrentTrackIndex() == index {
                try await service.seekWithFade(to: place.position, fadeDuration: 0)
            }
        } catch {
            await service.setVolume(Float(volume.withLock { $0 }))
            throw error
        }
        await service.setVolume(Float(volume.withLock { $0 }))
    }

    /// Pauses everything audible.
    public func pause() async throws { try await service.perform(noted(.pause)) }

    // MARK: Inputs

    /// Finds the tracks of files, folders, playlists and web addresses, and gives up a disk that hangs. What has none is left out with a
    /// notice while others have tracks.
    ///
    /// - Parameter urls: What a person has chosen or dropped.
    public func entries(for urls: [URL]) async throws -> [PlaylistEntry] {
        try await InputExpander.entries(for: urls, in: environment) { [feed] failure in
            feed.yield(.notice(Notice(.warning, failure.description)))
        }
    }

    /// Finds the tracks of a file, folder, playlist or web address.
    ///
    /// - Parameter input: A path, which may begin with `~`, or an address.
    public func entries(named input: String) async throws -> [PlaylistEntry] {
        try await InputExpander.entries(named: input, in: environment)
    }

    // MARK: Sound

    /// Sets the overlap of tracks and its curve.
    ///
    /// - Parameters:
    ///   - seconds: 0 for gapless joins, or 1…30.
    ///   - curve: The curve of both gains.
    public func setCrossfade(_ seconds: TimeInterval, curve: FadeCurve) async throws {
        var configuration = await service.configuration
        (configuration.crossfadeDuration, configuration.fadeCurve) = (seconds, curve)
        try await service.updateConfiguration(configuration)
        recorder?.note(curve)
        change { $0.crossfade = seconds }
    }

    /// Plays a sound over the tracks until it is stopped.
    ///
    /// - Parameters:
    ///   - url: Where the sound is.
    ///   - volume: 0…1.
    public func startOverlay(_ url: URL, volume: Double) async throws {
        let wanted = OverlayRequest(url: url, volume: volume, passes: nil, fade: 1)
        let before = overlay.withLock { overlay in
            defer { overlay = wanted }
            return overlay
        }
        do {
            try await service.startOverlay(url: url, configuration: wanted.configuration)
        } catch {
            // The name that is shown is that of the overlay that plays on.
            overlay.withLock { if $0 == wanted { $0 = before } }
            throw error
        }
    }

    /// Sets the volume of the overlay.
    ///
    /// - Parameter volume: 0…1.
    public func setOverlayVolume(_ volume: Double) async {
        overlay.withLock { $0?.volume = volume }
        await service.setOverlayVolume(Float(volume))
    }

    /// Fades the overlay out.
    public func stopOverlay() async { await service.stopOverlay() }

    /// Sets the equaliser of the mix.
    ///
    /// - Parameter settings: The settings.
    public func setEqualizer(_ settings: EqualizerSettings) async {
        change { $0.equalizer = settings }
        await service.setEqualizer(settings)
    }
}

extension AudioPlayerService {
    /// Whether no track is heard, paused or being opened.
    var isWithoutTrack: Bool {
        switch state {
        case .idle, .finished, .failed: currentTrack == nil
        case .preparing, .playing, .paused, .fadingOut: false
        }
    }
}

/// Where a player that waits begins: in the current track of its service, which follows the edits of the queue.
struct StartingPlace: Sendable, Equatable {
    /// The track.
    let url: URL
    /// Seconds from its beginning. Another track that comes in its place begins at its own beginning.
    let position: TimeInterval
}
