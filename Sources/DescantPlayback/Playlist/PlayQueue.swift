internal import DescantCore
internal import Foundation

/// The tracks of a player, the order of playing, and the search for the track that follows.
///
/// A change of the playlist makes a running search obsolete. Changes that remote controls show are posted.
struct PlayQueue {
    var playlist = Playlist() {
        didSet {
            search.invalidate()
            changes.post(.updated)
        }
    }
    var search = FollowUpSearch()
    /// How often the playlist or the track was repeated.
    var repeatCount = 0
    /// The seed of the order of playing; `nil` while the playlist is not shuffled.
    private(set) var shuffleSeed: UInt64? { didSet { changes.post(.updated) } }
    /// Makes the sound of tracks whose URLs only the host knows.
    var trackSources: (any TrackSourceProvider)?

    private let changes: EventHub<RemoteChange>

    init(changes: EventHub<RemoteChange>) { self.changes = changes }

    /// Shuffles the playlist from the current track on, or restores its order when there is no seed.
    mutating func setShuffle(seed: UInt64?) {
        shuffleSeed = seed
        if let seed {
            playlist.shuffle(seed: seed, beginningWith: playlist.isEmpty ? nil : playlist.currentIndex)
        } else {
            playlist.unshuffle()
        }
    }

    /// Shuffles the playlist in an order that has every index once.
    ///
    /// - Parameter waits: Whether the player goes on in this order when it begins with the current track.
    mutating func setShuffle(order: [Int], seed: UInt64, waits: Bool) {
        shuffleSeed = seed
        playlist.shuffle(order: order, seed: seed, waits: waits)
    }

    /// Forgets tracks, order, repetitions and track sources.
    mutating func reset() {
        playlist = Playlist()
        shuffleSeed = nil
        repeatCount = 0
        trackSources = nil
    }

    /// A playlist in the order in which the player is to play it.
    ///
    /// - Parameters:
    ///   - tracks: The playlist.
    ///   - index: The track to begin with; `nil` for the first or a drawn one.
    func ordered(_ tracks: Playlist, startingAt index: Int?) -> Playlist {
        var tracks = tracks
        if let index { tracks.select(index) }
        if let shuffleSeed { tracks.shuffle(seed: shuffleSeed, beginningWith: index) }
        return tracks
    }
}

/// A playlist whose first track is being opened, in the order in which it is to be played.
struct OrderedPlaylist {
    private let loaded: Playlist
    private let seed: UInt64?
    let playlist: Playlist

    /// - Parameters:
    ///   - loaded: The tracks as they lie.
    ///   - index: The track to begin with; `nil` for the first or a drawn one.
    ///   - queue: Says whether the tracks are shuffled.
    init(_ loaded: Playlist, startingAt index: Int?, in queue: PlayQueue) {
        self.loaded = loaded
        seed = queue.shuffleSeed
        playlist = queue.ordered(loaded, startingAt: index)
    }

    /// The tracks to try, from the first one on.
    var route: PlaylistRoute { playlist.route(startingAt: playlist.currentIndex) }

    /// The playlist with the track that could be opened as the current one, in the order of the queue at this moment.
    func beginning(with index: Int, in queue: PlayQueue) -> Playlist {
        guard seed == queue.shuffleSeed else { return queue.ordered(loaded, startingAt: index) }
        var playlist = playlist
        playlist.select(index)
        return playlist
    }
}

/// The search for the track that follows. A result counts only while its number is that of the search.
struct FollowUpSearch {
    /// Changes whenever the result of a running search becomes obsolete.
    private(set) var number: UInt64 = 0
    private var task: Task<Void, Never>?

    var isRunning: Bool { task != nil }

    /// Makes the result of a running search obsolete.
    mutating func invalidate() { number &+= 1 }

    /// Ends the search.
    mutating func cancel() {
        task?.cancel()
        task = nil
        invalidate()
    }

    /// Notes a search that has begun.
    mutating func began(_ task: Task<Void, Never>) { self.task = task }

    /// Cancels the task of a search whose player is gone.
    func abandon() { task?.cancel() }

    /// Notes that the search has its result.
    mutating func finished() { task = nil }
}
