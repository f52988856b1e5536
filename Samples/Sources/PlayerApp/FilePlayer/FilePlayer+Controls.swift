internal import DescantCore
internal import DescantPlayback
public import Foundation

/// The commands of views.
extension FilePlayer: PlayerControlling {
    /// Begins with the first track that can be played.
    public func start() async throws {
        guard let first = playlist.current ?? playlist.next() else { throw Refusal("the playlist is empty") }
        await play(first)
    }

    /// Pauses or resumes playback; a player that was stopped or has ended plays the present track from its beginning.
    public func togglePause() async throws { try await setSounding(!isToSound) }

    /// Goes to the next track; the first one follows the last one.
    public func next() async throws {
        guard let track = playlist.next() else { throw Refusal("the playlist is empty") }
        await play(track)
    }

    /// Goes to the previous track; the first one begins again.
    public func previous() async throws {
        guard let track = playlist.previous() else { throw Refusal("the playlist is empty") }
        await play(track)
    }

    /// Goes to a track.
    ///
    /// - Parameter index: The track's place in the playlist, from 0.
    public func jump(to index: Int) async throws {
        guard playlist.tracks.indices.contains(index) else { throw Refusal("there is no track \(index + 1)") }
        await play(playlist.tracks[index])
    }

    /// Moves within the track.
    ///
    /// - Parameter seconds: How far; negative for backwards. The result is clamped to the track.
    public func seek(by seconds: TimeInterval) async throws {
        let progress = await service.progress()
        try await seek(to: min(max(0, progress.position + seconds), progress.duration))
    }

    /// Moves to a position.
    ///
    /// - Parameter seconds: The position, from the beginning of the track.
    public func seek(to seconds: TimeInterval) async throws {
        guard isLoaded, let track = playlist.current else { throw Refusal("nothing is loaded; play a track first") }
        do {
            try await service.seek(to: seconds)
        } catch {
            throw PlaybackError(error, of: track.url, while: .playing)
        }
        let progress = await service.progress()
        feed.yield(.position(progress.position, duration: progress.duration.isFinite ? progress.duration : nil))
    }

    /// Decides what happens at the natural end.
    ///
    /// - Parameter setting: What happens.
    public func setRepeat(_ setting: RepeatSetting) async {
        playlist.repeats = setting
        await change { $0.repeats = setting }
        sendModes()
    }

    /// Plays in an order drawn by chance, or as the playlist lies.
    ///
    /// - Parameter isOn: Whether by chance.
    public func setShuffle(_ isOn: Bool) async {
        playlist.setShuffled(isOn)
        await change { $0.isShuffled = isOn }
        sendModes()
    }

    private func sendModes() {
        feed.yield(.modes(PlaybackModes(repeats: playlist.repeats, isShuffled: playlist.isShuffled)))
    }

    /// Refuses: the service for one file plays one track at a time.
    ///
    /// - Parameter seconds: Any overlap.
    public func setCrossfade(_ seconds: TimeInterval) async throws { throw Refusal("this player has no crossfades") }

    /// Does nothing: the service for one file plays tracks as loud as they are.
    ///
    /// - Parameter setting: Any setting.
    public func setLoudness(_ setting: LoudnessSetting) async {}

    /// Refuses: the sound of the service for one file cannot be read.
    ///
    /// - Parameter isShown: Whether a view shows it.
    public func showSpectrum(_ isShown: Bool) async throws { throw Refusal("this player has no spectrum") }

    /// Refuses: this player has no sleep timer.
    ///
    /// - Parameter setting: Any setting.
    public func setSleep(_ setting: SleepSetting) async throws { throw Refusal("this player has no sleep timer") }

    /// Refuses: the service for one file plays at the normal speed.
    ///
    /// - Parameter rate: The speed.
    public func setRate(_ rate: Double) async throws { throw Refusal("this player plays at the normal speed only") }

    /// Adds files, with the tags that are known of them.
    ///
    /// - Parameters:
    ///   - entries: The tracks.
    ///   - index: The place of the first of them afterwards.
    /// - Returns: The number of the change.
    @discardableResult
    public func insert(_ entries: [PlaylistEntry], at index: Int) async throws -> Int {
        await insert(entries.map(\.url), at: index)
    }

    /// Removes tracks from the playlist; when the present one is among them, the next one that is left is played, or the new last one.
    ///
    /// - Parameter places: The tracks' places.
    /// - Returns: The tracks, in the order of their places, and the number of the change.
    @discardableResult
    public func remove(at places: Set<Int>) async throws -> (entries: [PlaylistEntry], edit: Int) {
        if let wrong = places.sorted().first(where: { !playlist.tracks.indices.contains($0) }) {
            throw Refusal("there is no track \(wrong + 1)")
        }
        let current = playlist.currentIndex.flatMap { places.contains($0) ? $0 : nil }
        let removed = playlist.remove(at: places)
        edits += 1
        let edit = edits
        if let current {
            let index = current - places.count { $0 < current }
            let successor = playlist.tracks.indices.contains(index) ? playlist.tracks[index] : playlist.tracks.last
            playlist.setCurrent(successor?.id)
        }
        sendPlaylist()
        if current != nil {
            if isToSound, let track = playlist.current { await play(track) } else { await halt() }
        }
        return (removed.map(entry), edit)
    }

    /// Moves tracks within the playlist; the present one plays on.
    ///
    /// - Parameter targets: The tracks' places afterwards by their places before.
    /// - Returns: The number of the change.
    @discardableResult
    public func move(_ targets: [Int: Int]) async throws -> Int {
        let places = Set(targets.keys).union(targets.values)
        guard places.allSatisfy(playlist.tracks.indices.contains), Set(targets.values).count == targets.count else {
            throw Refusal("the playlist has no such places")
        }
        playlist.move(targets)
        edits += 1
        sendPlaylist()
        return edits
    }

    /// Sorts the playlist; the present track plays on.
    func sort(by sorting: TrackSorting) async {
        playlist.sort(by: sorting)
        await change { $0.sorting = sorting }
        sendPlaylist()
    }

    /// Writes a playlist as M3U, PLS or XSPF, as the ending says.
    ///
    /// - Parameters:
    ///   - entries: The tracks.
    ///   - path: The file; `.m3u` is added to a name without an ending.
    ///   - replaces: Whether a file of that name is overwritten; otherwise that is an error.
    /// - Returns: The path of the file.
    public func save(_ entries: [PlaylistEntry], as path: String, replaces: Bool) async throws -> String {
        guard let storage else { throw Refusal("this player keeps nothing; give it a storage") }
        return try await storage.save(entries, as: path, replaces: replaces)
    }

    /// Sets the volume.
    ///
    /// - Parameter volume: 0…1.
    public func setVolume(_ volume: Double) async {
        await change { $0.volume = min(1, max(0, volume)) }
        await service.setVolume(Float(preferences.volume))
    }

    /// Refuses: the service for one file has no overlays.
    public func toggleOverlay() async throws { throw Refusal("this player has no overlay") }

    /// Ends the sound and the updates.
    ///
    /// - Parameter fade: Not used: the service for one file ends its sound at once.
    public func stop(fade: TimeInterval) async { await shutDown() }

    // MARK: Files

    /// Reads the tags of files and adds them to the playlist, in their order; a folder adds the audio files in it. A file that does not
    /// exist or cannot be read is reported and left out; one without readable tags is added by its name.
    ///
    /// - Returns: The number of the change.
    @discardableResult
    func insert(_ urls: [URL], at index: Int) async -> Int {
        var found: [URL: [Track]] = [:]
        for await result in tagReader.readMetadata(of: urls.filter { !$0.hasDirectoryPath }) {
            if let track = track(of: result) { found[result.url, default: []].append(track) }
        }
        var tracks: [Track] = []
        for url in urls {
            if url.hasDirectoryPath {
                tracks += await read(url)
            } else if let track = found[url]?.popLast() {
                tracks.append(track)
            }
        }
        playlist.insert(tracks, at: index)
        edits += 1
        sendPlaylist()
        return edits
    }

    private func read(_ folder: URL) async -> [Track] {
        var tracks: [Track] = []
        for await result in tagReader.readMetadata(in: folder) {
            if let track = track(of: result) { tracks.append(track) }
        }
        return tracks.sorted { $0.url.path.localizedStandardCompare($1.url.path) == .orderedAscending }
    }

    private func track(of result: TagReadingResult) -> Track? {
        switch result.outcome {
        case .success(let track): return track
        case .failure(let error):
            switch error {
            case .notFound, .ioError:
                report(PlaybackError(error, of: result.url, while: .opening))
                return nil
            // A decoder may play what the tag reader does not know or finds damaged; if none does, playing tells why.
            default: return Track(url: result.url)
            }
        }
    }
}
