internal import Descant
internal import Foundation
internal import PlayerApp
internal import Synchronization

/// Moves from track to track, which go on from one that is still being opened.
extension DescantPlayer {
    /// Goes to the next track, if there is one, as the remote control does.
    public func next() async throws {
        if loading.withLock({ $0 != nil }), !modes.withLock({ $0.isShuffled }) {
            let index = (request.startIndex ?? 0) + 1
            guard request.entries.indices.contains(index) else {
                throw InputError(description: "this is the last track")
            }
            return try await jump(to: index)
        }
        await waitForPlaylist()
        if try await moveStartingPlace(isForward: true) { return }
        guard let nowPlaying = try await service.moveOn(of: self) else { return }
        guard nowPlaying.track == nil else { throw InputError(description: "this is the last track") }
        guard await service.state != .preparing else {
            throw InputError(description: "a track is being opened; choose another one in the list")
        }
        feed.yield(
            .notice(
                Notice(.warning, "nothing is playing", topic: .silence, hints: [Notice.Hint(.togglePause, "plays")])))
    }

    /// Goes to the previous track.
    public func previous() async throws {
        await waitForPlaylist()
        if try await moveStartingPlace(isForward: false) { return }
        try await service.moveBack(of: self)
    }

    /// Goes to a track and plays it, also when the player is paused.
    ///
    /// - Parameter index: The track's place in the playlist.
    public func jump(to index: Int) async throws {
        await leaveFirstTrack()
        let place = takeStartingPlace()
        do {
            try await service.jump(to: index, of: self)
            // The service leaves a paused player silent; a person who chooses a track wants to hear it.
            if await service.state == .paused { try await service.perform(.play) }
        } catch {
            if let place { await keepStartingPlace(place) }
            throw error
        }
    }

    /// The track that the last command leads to and that is still being opened.
    fileprivate var target: Int? { course.withLock { $0.place } }

    /// Notes where a command leads.
    ///
    /// - Returns: The number of the command.
    @discardableResult
    func head(for place: Int?) -> Int {
        let isShuffled = modes.withLock { $0.isShuffled }
        return course.withLock { course in
            course.number += 1
            course.place = isShuffled ? nil : place
            return course.number
        }
    }

    /// Notes that the track of a command is open, or is not to be opened.
    ///
    /// - Returns: Whether no other command has come since.
    @discardableResult
    fileprivate func arrive(_ number: Int) -> Bool {
        course.withLock { course in
            guard course.number == number else { return false }
            course.place = nil
            return true
        }
    }

    /// The place behind or before one; `nil` for none.
    fileprivate func place(_ step: Int, from place: Int, of count: Int) -> Int? {
        let place = place + step
        if (0..<count).contains(place) { return place }
        return modes.withLock { $0.repeats == .playlist } && count > 0 ? (place + count) % count : nil
    }

    /// How many files in a row are tried.
    fileprivate static let longestSearch = 100
}

extension AudioPlayerService {
    /// Goes to the next track, without a pause in which another command could come first.
    ///
    /// - Returns: What plays when there is no next track; `nil` otherwise.
    fileprivate func moveOn(of player: DescantPlayer) async throws -> NowPlaying? {
        if try await moveFromTarget(1, of: player) { return nil }
        let nowPlaying = nowPlaying()
        if !nowPlaying.abilities.contains(.next) {
            // Behind the end, or a stop, tracks that were added are next.
            guard nowPlaying.track == nil, state != .preparing, await peekNextTrack() != nil else { return nowPlaying }
        }
        let number = player.head(for: await nextPlace(of: player))
        defer { player.arrive(number) }
        try await nextTrack()
        return nil
    }

    /// The place of the track that follows; in a crossfade that is the one behind the track that comes.
    private func nextPlace(of player: DescantPlayer) async -> Int? {
        let (index, count) = (await getCurrentTrackIndex(), await getPlaylistCount())
        guard let url = await peekNextTrack(), index + 1 < count else { return player.place(1, from: index, of: count) }
        let near = await getTracks(in: index + 1..<min(index + 3, count))
        return near.firstIndex(of: url).map { index + 1 + $0 } ?? player.place(1, from: index, of: count)
    }

    /// Goes to the previous track, in the same way.
    fileprivate func moveBack(of player: DescantPlayer) async throws {
        if try await moveFromTarget(-1, of: player) { return }
        let place = player.place(-1, from: await getCurrentTrackIndex(), of: await getPlaylistCount())
        let number = player.head(for: place)
        defer { player.arrive(number) }
        try await previousTrack()
    }

    /// Goes to a track, in the same way.
    fileprivate func jump(to index: Int, of player: DescantPlayer) async throws {
        let number = player.head(for: index)
        defer { player.arrive(number) }
        try await jumpToTrack(at: index)
    }

    /// Goes on from a track that is still being opened, which is not waited for. Files that cannot be opened are passed over, until another
    /// command comes.
    ///
    /// - Returns: Whether a track is being opened.
    private func moveFromTarget(_ step: Int, of player: DescantPlayer) async throws -> Bool {
        guard var place = player.target else { return false }
        for attempt in 1... {
            guard let next = player.place(step, from: place, of: await getPlaylistCount()) else {
                throw InputError(description: "this is the \(step > 0 ? "last" : "first") track")
            }
            place = next
            let number = player.head(for: place)
            do {
                try await jumpToTrack(at: place)
                player.arrive(number)
                return true
            } catch {
                let isLatest = player.arrive(number)
                guard (error as? AudioPlayerError)?.isOfFile == true, isLatest, attempt < DescantPlayer.longestSearch
                else {
                    throw error
                }
            }
        }
        return true
    }
}

/// Where the last command leads.
struct Course {
    /// How many commands have come.
    var number = 0
    /// The track that is still being opened; `nil` while none is, and in an order that was drawn by chance, in which nobody knows.
    var place: Int?
}

extension AudioPlayerError {
    /// Whether it says that a file cannot be played, as others may be.
    var isOfFile: Bool { ["fileNotFound", "invalidAudioFile"].contains(code) }
}
