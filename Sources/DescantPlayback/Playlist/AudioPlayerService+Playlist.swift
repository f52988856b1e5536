internal import DescantCore
public import Foundation

extension AudioPlayerService {
    /// Loads a playlist and plays it from its first track that can be opened.
    ///
    /// Tracks that cannot be opened are skipped and reported in ``events``.
    ///
    /// - Parameters:
    ///   - tracks: The tracks; not empty.
    ///   - configuration: How to play them; `nil` for the present configuration.
    ///   - index: The track to begin with; `nil` for the first, or for a drawn one while the player shuffles.
    /// - Throws: ``AudioPlayerError/emptyPlaylist``, ``ConfigurationError``, ``AudioPlayerError/invalidPlaylistIndex(index:count:)``, or
    ///   the last track's ``AudioPlayerError`` when none can be opened. Nothing was changed then.
    public func loadPlaylist(
        _ tracks: [URL], configuration: PlayerConfiguration? = nil, startingAt index: Int? = nil
    ) async throws {
        guard !tracks.isEmpty else { throw AudioPlayerError.emptyPlaylist }
        if let index, !tracks.indices.contains(index) {
            throw AudioPlayerError.invalidPlaylistIndex(index: index, count: tracks.count)
        }
        try configuration?.validate()
        let playlist = Playlist(tracks)
        let volumeAsked = settings.volume.userChanges
        try await opening(for: .main) { call in
            try await play(playlist, startingAt: index, configuration, volumeAsked: volumeAsked, for: call)
        }
    }

    /// Plays one file; the playlist becomes that file alone.
    ///
    /// - Parameters:
    ///   - url: The file.
    ///   - configuration: How to play it.
    /// - Throws: ``AudioPlayerError``; nothing was changed then.
    public func startPlaying(url: URL, configuration: PlayerConfiguration) async throws {
        do {
            try configuration.validate()
        } catch let error as ConfigurationError {
            throw AudioPlayerError.invalidConfiguration(error)
        }
        let volumeAsked = settings.volume.userChanges
        try await opening(for: .main) { call in
            try await play(Playlist([url]), startingAt: 0, configuration, volumeAsked: volumeAsked, for: call)
        }
    }

    /// Adds a track at the end of the playlist. It does not begin to play: `jumpToTrack(at:)` starts an idle player.
    ///
    /// - Parameter url: The track.
    public func addTrackToPlaylist(_ url: URL) async { await addTracksToPlaylist([url]) }

    /// Adds tracks at the end of the playlist; in a shuffled one they are dealt out among those that come.
    ///
    /// - Parameter urls: The tracks.
    public func addTracksToPlaylist(_ urls: [URL]) async {
        await serially {
            queue.playlist.append(urls)
            await playlistChanged()
        }
    }

    /// Adds tracks anywhere in the playlist; the one being played goes on. In a shuffled playlist they are dealt out among those
    /// that come.
    ///
    /// - Parameters:
    ///   - urls: The tracks.
    ///   - index: The index of the first of them afterwards, 0…count.
    /// - Throws: ``AudioPlayerError/invalidPlaylistIndex(index:count:)``; nothing was changed then.
    public func insertTracksInPlaylist(_ urls: [URL], at index: Int) async throws {
        try await command {
            guard index >= 0, index <= queue.playlist.count else {
                throw AudioPlayerError.invalidPlaylistIndex(index: index, count: queue.playlist.count)
            }
            queue.playlist.insert(urls, at: index)
            await playlistChanged()
        }
    }

    /// Removes a track. When it is the one being played, the one that takes its index is played instead, or the new
    /// last one; the removal of the only track stops the player. The call returns when the other track plays or cannot be opened;
    /// until then the removed one goes on.
    ///
    /// - Parameter index: The track's index.
    /// - Throws: ``AudioPlayerError/invalidPlaylistIndex(index:count:)``; nothing was changed then.
    public func removeTrackFromPlaylist(at index: Int) async throws { try await removeTracksFromPlaylist(at: [index]) }

    /// Removes tracks, with one ``PlayerEvent/Kind/playlistChanged(count:)``. When the one being played is among them, the next one that is
    /// left is played instead, or the new last one; the removal of all tracks stops the player. The call returns when the other track
    /// plays or cannot be opened; until then the removed one goes on.
    ///
    /// - Parameter indices: The tracks' indices before the call; nothing happens without any.
    /// - Throws: ``AudioPlayerError/invalidPlaylistIndex(index:count:)``; nothing was changed then.
    public func removeTracksFromPlaylist(at indices: Set<Int>) async throws {
        try await command {
            for index in indices.sorted() { try checkIndex(index) }
            if !indices.isEmpty { await removeTracks(at: indices) }
        }
        await waitUntilRemovedTrackIsLeft()
    }

    /// Moves a track; the one being played goes on.
    ///
    /// - Parameters:
    ///   - from: The track's index.
    ///   - to: Its index afterwards.
    /// - Throws: ``AudioPlayerError/invalidPlaylistIndex(index:count:)``; nothing was changed then.
    public func moveTrackInPlaylist(from: Int, to: Int) async throws { try await moveTracksInPlaylist([from: to]) }

    /// Moves tracks, with one ``PlayerEvent/Kind/playlistChanged(count:)``; the others keep their order, and the one being played goes on.
    ///
    /// - Parameter targets: The tracks' indices afterwards by their indices before; nothing happens without any.
    /// - Throws: ``AudioPlayerError/invalidPlaylistIndex(index:count:)``, also for an index that two tracks would have; nothing was changed
    ///   then.
    public func moveTracksInPlaylist(_ targets: [Int: Int]) async throws {
        try await command {
            var taken: Set<Int> = []
            for index in targets.keys.sorted() + targets.values.sorted() { try checkIndex(index) }
            for index in targets.values.sorted() where !taken.insert(index).inserted {
                throw AudioPlayerError.invalidPlaylistIndex(index: index, count: queue.playlist.count)
            }
            guard !targets.isEmpty else { return }
            queue.playlist.move(targets)
            await playlistChanged()
        }
    }

    /// The tracks in order, as they are at the moment of the call.
    ///
    /// Making a `URL` takes about a microsecond, so that the call takes time in proportion to the number of tracks: for long lists ask for
    /// ``getPlaylistCount()`` and ``getTracks(in:)`` of what is to be shown. Other calls do not wait meanwhile: the URLs are made outside the
    /// player, of a copy that shares its memory with the playlist.
    public func getCurrentPlaylist() async -> [URL] { await queue.playlist.madeURLs() }

    /// How many tracks there are.
    public func getPlaylistCount() async -> Int { queue.playlist.count }

    /// Some of the tracks, for a view of a long playlist.
    ///
    /// - Parameter range: Their indices; those outside of the playlist are left out.
    public func getTracks(in range: Range<Int>) async -> [URL] {
        range.clamped(to: 0..<queue.playlist.count).map { queue.playlist[$0].url }
    }

    /// The index of the current track; 0 when the playlist is empty.
    public func getCurrentTrackIndex() async -> Int { queue.playlist.currentIndex }

    /// Whether there are no tracks.
    public func isPlaylistEmpty() async -> Bool { queue.playlist.isEmpty }

    /// Decides what happens at the natural end from now on; repetitions count from 0 again.
    ///
    /// - Parameter mode: What happens at the natural end.
    public func setRepeatMode(_ mode: RepeatMode) async {
        await serially {
            settings.configuration.repeatMode = mode
            queue.repeatCount = 0
            await planFollowUp()
        }
    }

    /// What happens at the natural end.
    public func getRepeatMode() async -> RepeatMode { configuration.repeatMode }

    /// How many times the playlist or the track was repeated so far.
    public func getRepeatCount() async -> Int { queue.repeatCount }

    // MARK: Steps

    func checkIndex(_ index: Int) throws {
        guard queue.playlist.contains(index) else {
            throw AudioPlayerError.invalidPlaylistIndex(index: index, count: queue.playlist.count)
        }
    }

    /// Posts an edit and plans what follows.
    func playlistChanged() async {
        main.failuresInARow = 0
        post(.playlistChanged(count: queue.playlist.count))
        await planFollowUp()
    }

    func removeTracks(at indices: Set<Int>) async {
        queue.playlist.remove(at: indices)
        main.failuresInARow = 0
        post(.playlistChanged(count: queue.playlist.count))
        if let deferred = main.deferred, queue.playlist.index(of: deferred.item.id, near: deferred.index) == nil {
            await discardDeferred()
        }
        // A track that a person has asked for, and that waits for the end of a crossfade, comes in any case.
        if main.current != nil, state.isActive, main.deferred == nil, queue.playlist.isEmpty {
            await stopMain(fade: nil, then: .finished)
        } else {
            await planFollowUp()
        }
    }

    /// Opens a playlist's first playable track, and only then lets it take the place of what there was.
    ///
    /// - Parameters:
    ///   - tracks: The playlist.
    ///   - index: The track to begin with; `nil` for the first or a drawn one.
    ///   - chosen: How to play; `nil` for the present configuration.
    ///   - volumeAsked: ``MasterVolume/userChanges`` at the time of the call: a volume that was set later takes precedence.
    ///   - call: The call.
    private func play(
        _ tracks: Playlist, startingAt index: Int?, _ chosen: PlayerConfiguration?, volumeAsked: UInt64,
        for call: OpeningCall
    ) async throws {
        let ordered = await serially {
            beginPreparing(for: call)
            return OrderedPlaylist(tracks, startingAt: index, in: queue)
        }
        do {
            let track = try await openFirst(on: ordered.route, of: ordered.playlist, for: call)
            try await commit(track.deck, of: call) {
                let resumes = commands.pauses == call.pauses
                try await start(track, as: chosen, volumeAsked: volumeAsked, resumes: resumes)
                endFadeOut()
                queue.playlist = ordered.beginning(with: track.index, in: queue)
                post(.playlistChanged(count: tracks.count))
                if let chosen { settings.configuration = chosen.playing(at: settings.volume.level) }
                queue.repeatCount = 0
                await settle(on: track)
            }
        } catch {
            await serially { await endPreparing() }
            throw error
        }
    }

    /// Ends the state ``PlayerState/fadingOut`` when a new track has taken the place of what was fading out.
    func endFadeOut() {
        guard state == .fadingOut else { return }
        setState(.finished)
        setState(.preparing)
    }

    /// Starts a loaded playlist's first track at the volume chosen with it, unless that was changed since it was asked for.
    private func start(
        _ track: OpenTrack, as chosen: PlayerConfiguration?, volumeAsked: UInt64, resumes: Bool
    ) async throws {
        let chosenSettings = chosen ?? configuration
        let volumeBefore = settings.volume.level
        let setsVolume = chosen != nil && settings.volume.userChanges == volumeAsked
        if setsVolume { await setMasterVolume(Double(chosenSettings.volumeFloat)) }
        do {
            try await start(
                track, entry: chosenSettings.startEntry, resumes: resumes, mixes: chosenSettings.mixWithOthers)
        } catch {
            if setsVolume, settings.volume.userChanges == volumeAsked { await setMasterVolume(volumeBefore) }
            throw error
        }
    }

    /// Goes on to an opened track after the one being played was removed.
    func leaveRemovedTrack(for track: OpenTrack) async {
        do {
            try await change(to: track, over: configuration.crossfadeDuration)
        } catch {
            await fail(AudioPlayerError(sounding: error))
        }
    }

    /// Whether the track being played was removed from the playlist and is to be left.
    var playsRemovedTrack: Bool {
        guard let current = main.current, state.isActive, main.deferred == nil, !queue.playlist.isEmpty else {
            return false
        }
        return queue.playlist[queue.playlist.currentIndex].id != current.item.id
    }

    /// Waits while the track that is to take the place of a removed one is being opened. The waiting task may be cancelled.
    func waitUntilRemovedTrackIsLeft() async {
        await wait { !$0.playsRemovedTrack || !$0.queue.search.isRunning }
    }
}

extension PlayerConfiguration {
    /// This configuration with the volume that is in force.
    ///
    /// - Parameter volume: Linear, 0…1.
    fileprivate func playing(at volume: Double) -> PlayerConfiguration {
        var configuration = self
        if Double(volumeFloat) != volume { configuration.volume = Int((volume * 100).rounded()) }
        return configuration
    }

    /// How the first track comes in.
    var startEntry: DeckEntry {
        fadeInAtStart && fadeInDuration > 0 ? .fadeIn(fadeInDuration, curve: fadeCurve) : .cut
    }
}
