internal import Descant
internal import Dispatch
internal import Foundation
public import PlayerApp
internal import Synchronization

/// Changes of the playlist.
extension DescantPlayer {
    /// Adds tracks.
    ///
    /// - Parameters:
    ///   - entries: The tracks.
    ///   - index: The place of the first of them afterwards.
    /// - Returns: The number of the change.
    @discardableResult
    public func insert(_ entries: [PlaylistEntry], at index: Int) async throws -> Int {
        await waitForPlaylist()
        queue.withLock { $0.remember(entries) }
        let edit: Int
        do {
            edit = try await service.insert(entries.map(\.url), at: index, counting: { countEdit() })
        } catch {
            queue.withLock { $0.forget(entries) }
            throw error
        }
        Task { [weak self] in await self?.readTags(of: entries) }
        return edit
    }

    /// Removes tracks.
    ///
    /// - Parameter places: The tracks' places.
    /// - Returns: The tracks, in the order of their places, and the number of the change.
    @discardableResult
    public func remove(at places: Set<Int>) async throws -> (entries: [PlaylistEntry], edit: Int) {
        await waitForPlaylist()
        guard let first = places.min(), let last = places.max() else { return ([], 0) }
        // Views may show an older list.
        let urls = first >= 0 && last < .max ? await service.getTracks(in: first..<last + 1) : []
        guard first >= 0, urls.count > last - first else {
            let wrong = first < 0 ? first : last
            throw AudioPlayerError.invalidPlaylistIndex(index: wrong, count: await service.getPlaylistCount())
        }
        let entries = queue.withLock { queue in
            places.sorted().map { queue.entry(at: urls[$0 - first], near: $0) }
        }
        let edit = try await service.remove(at: places, counting: { countEdit() })
        return (entries, edit)
    }

    /// Moves tracks.
    ///
    /// - Parameter targets: The tracks' places afterwards by their places before.
    /// - Returns: The number of the change.
    @discardableResult
    public func move(_ targets: [Int: Int]) async throws -> Int {
        await waitForPlaylist()
        return try await service.move(targets, counting: { countEdit() })
    }

    private func countEdit() -> Int { edits.wrappingAdd(1, ordering: .relaxed).newValue }

    /// Writes a playlist as M3U, PLS or XSPF, as the ending says.
    ///
    /// - Parameters:
    ///   - entries: The tracks.
    ///   - path: The file; `.m3u` is added to a name without an ending, and `~` is the home folder.
    ///   - replaces: Whether a file of that name is overwritten; otherwise that is an error.
    /// - Returns: The path of the file.
    public func save(_ entries: [PlaylistEntry], as path: String, replaces: Bool) async throws -> String {
        // A disk may hang, and the threads of tasks are few.
        try await withCheckedThrowingContinuation { continuation in
            DispatchQueue(label: "descant.playlist-file").async {
                continuation.resume(with: Result { try PlaylistFile.write(entries, as: path, replaces: replaces) })
            }
        }
    }

    /// Updates the views after tracks came or went.
    func readPlaylist() async {
        let (urls, index, hasTrack, edit) = await service.playlistAndPlace { edits.load(ordering: .relaxed) }
        let place = start.withLock { place in
            if urls.isEmpty { place = nil }
            return place
        }
        // Behind the end, or a stop, the last track is shown on.
        let wasHeard = urls.indices.contains(index) && heard.withLock { $0?.url } == urls[index]
        let kept = hasTrack || place != nil ? index : nil
        // Told in the order of the changes, as details are: their places are those of the list that was told before.
        let changed = queue.withLock { queue in
            let changed = queue.update(urls)
            if let changed {
                feed.yield(.playlist(changed, current: wasHeard ? index : kept, edit: edit))
                recorder?.note(changed, current: kept)
            }
            return changed
        }
        guard changed != nil else { return }
        // The track at which the player was to begin is gone.
        if let place, urls[index] != place.url { waitToBegin(at: index, position: 0) }
        describeRest()
        await keepOrder()
    }

    /// Keeps the order that was drawn, which the next start goes on in.
    func keepOrder() async {
        if let recorder { recorder.note(order: await service.getShuffledOrder()) }
    }
}

extension AudioPlayerService {
    /// The tracks, the index of the present one, whether it is played, and the number of the last change, of one moment.
    ///
    /// - Parameter lastEdit: Returns that number.
    fileprivate func playlistAndPlace(
        _ lastEdit: @Sendable () -> Int
    ) async -> (urls: [URL], index: Int, hasTrack: Bool, edit: Int) {
        let (index, hasTrack, edit) = (await getCurrentTrackIndex(), currentTrack != nil, lastEdit())
        // Last, as it lets other calls run once it has the tracks of this moment.
        return (await getCurrentPlaylist(), index, hasTrack, edit)
    }

    // A change is counted on the actor, where no list is read between the count and the change. While the change waits for another command, a
    // list that is read has its number already; the list that is read behind the change follows.

    fileprivate func insert(_ urls: [URL], at index: Int, counting count: @Sendable () -> Int) async throws -> Int {
        let edit = count()
        try await insertTracksInPlaylist(urls, at: index)
        return edit
    }

    fileprivate func remove(at places: Set<Int>, counting count: @Sendable () -> Int) async throws -> Int {
        let edit = count()
        try await removeTracksFromPlaylist(at: places)
        return edit
    }

    fileprivate func move(_ targets: [Int: Int], counting count: @Sendable () -> Int) async throws -> Int {
        let edit = count()
        try await moveTracksInPlaylist(targets)
        return edit
    }
}
