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
        try await service.updateConfiguration(options.configuration)
        await service.setVolume(options.configuration.volumeFloat)
        if !request.entries.isEmpty {
            await service.addTracksToPlaylist(request.entries.map(\.url))
            show(StartingPlace(index: request.startIndex ?? 0, position: request.start))
        }
        recorder?.begin()
        if request.isRemoteControlled { await connectRemoteControl() }
    }

    private func show(_ place: StartingPlace) {
        guard request.entries.indices.contains(place.index) else { return }
        let entry = request.entries[place.index]
        start.withLock { $0 = place }
        recorder?.note(track: entry.url, at: place.index)
        feed.yield(.track(index: place.index))
        feed.yield(.position(place.position, duration: entry.duration))
        companions.load(entry.url)
    }

    /// Plays a prepared queue from its place.
    ///
    /// - Returns: Whether there was such a place.
    nonisolated(nonsending) func beginAtStartingPlace() async throws -> Bool {
        let place = start.withLock { place in
            defer { place = nil }
            return place
        }
        guard let place else { return false }
        guard place.position > 0 else {
            try await service.jumpToTrack(at: place.index)
            return true
        }
        // The track must not be heard at its beginning.
        await service.setVolume(0)
        do {
            try await service.jumpToTrack(at: place.index)
            // A track that cannot be opened is passed over, and the place is not that of the next one.
            if await service.getCurrentTrackIndex() == place.index {
                try await service.seekWithFade(to: place.position, fadeDuration: 0)
            }
        } catch {
            await service.setVolume(Float(volume.withLock { $0 }))
            throw error
        }
        await service.setVolume(Float(volume.withLock { $0 }))
        return true
    }

    /// Pauses everything audible.
    public func pause() async throws { try await service.perform(noted(.pause)) }

    // MARK: Inputs

    /// Finds the tracks of files, folders, playlists and web addresses, on a thread that nothing waits for.
    ///
    /// - Parameter urls: What a person has chosen or dropped.
    public func entries(for urls: [URL]) async throws -> [PlaylistEntry] {
        try await InputExpander.entries(for: urls, in: environment)
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

/// Where a prepared player begins.
struct StartingPlace: Sendable, Equatable {
    /// The track's place in the queue.
    let index: Int
    /// Seconds from its beginning.
    let position: TimeInterval
}
