public import DescantPlayback
public import Foundation

/// The tracks of a ``FilePlayer`` and the order in which they are played.
public struct FilePlaylist: Sendable {
    /// The tracks, in the order in which they are shown.
    public private(set) var tracks: [Track] = []
    /// The present track; `nil` before one was played.
    public private(set) var currentID: Track.ID?
    /// What happens at the natural end of a track.
    public var repeats = RepeatSetting.off
    /// How ``tracks`` are sorted.
    public private(set) var sorting = TrackSorting.added

    /// The tracks in the order in which they came.
    private var added: [Track.ID] = []
    /// The order of playing while it is drawn by chance; `nil` while it is that of ``tracks``.
    private var shuffled: [Track.ID]?

    /// Creates an empty playlist.
    public init() {}

    /// The present track.
    public var current: Track? { currentID.flatMap(track) }

    /// The present track's place in ``tracks``.
    public var currentIndex: Int? { currentID.flatMap(index) }

    /// Whether the order is drawn by chance.
    public var isShuffled: Bool { shuffled != nil }

    func track(_ id: Track.ID) -> Track? { tracks.first { $0.id == id } }

    func index(of id: Track.ID) -> Int? { tracks.firstIndex { $0.id == id } }

    // MARK: Changes

    /// Adds tracks; a playlist that is sorted gets them behind the others until it is sorted again.
    mutating func insert(_ new: [Track], at index: Int) {
        let place = min(max(0, index), tracks.count)
        let follower = tracks.indices.contains(place) ? tracks[place].id : nil
        tracks.insert(contentsOf: new, at: place)
        let ids = new.map(\.id)
        added.insert(contentsOf: ids, at: follower.flatMap { added.firstIndex(of: $0) } ?? added.count)
        shuffled?.append(contentsOf: ids.shuffled())
    }

    /// - Returns: The tracks that were removed, in order; places without a track are left out.
    @discardableResult
    mutating func remove(at places: Set<Int>) -> [Track] {
        let removed = places.sorted().filter(tracks.indices.contains).map { tracks[$0] }
        let ids = Set(removed.map(\.id))
        tracks.removeAll { ids.contains($0.id) }
        added.removeAll(where: ids.contains)
        shuffled?.removeAll(where: ids.contains)
        if let currentID, ids.contains(currentID) { self.currentID = nil }
        return removed
    }

    /// Moves tracks; the order of the others stays, and the playlist is no longer sorted.
    ///
    /// - Parameter targets: The tracks' places afterwards, each once, by their places before.
    mutating func move(_ targets: [Int: Int]) {
        let moved = targets.map { (track: tracks[$0], target: $1) }.sorted { $0.target < $1.target }
        for place in targets.keys.sorted(by: >) { tracks.remove(at: place) }
        for (track, target) in moved { tracks.insert(track, at: target) }
        added = tracks.map(\.id)
        sorting = .added
    }

    /// Sorts the tracks; ``TrackSorting/added`` restores the order in which they came.
    mutating func sort(by sorting: TrackSorting) {
        self.sorting = sorting
        let places = Dictionary(added.enumerated().map { ($1, $0) }, uniquingKeysWith: { first, _ in first })
        tracks.sort { (places[$0.id] ?? 0) < (places[$1.id] ?? 0) }
        guard let key = sorting.key else { return }
        // Swift's sort is stable: equal keys stay in the order in which they came.
        tracks.sort { key($0).localizedStandardCompare(key($1)) == .orderedAscending }
    }

    mutating func setCurrent(_ id: Track.ID?) { currentID = id }

    /// Draws the order by chance, with the present track first, or ends that.
    mutating func setShuffled(_ isOn: Bool) { shuffled = isOn ? drawnOrder() : nil }

    private func drawnOrder() -> [Track.ID] {
        let others = tracks.map(\.id).filter { $0 != currentID }.shuffled()
        return (currentID.map { [$0] } ?? []) + others
    }

    // MARK: Order

    /// The track that a person's Next leads to; the first one follows the last one. A shuffled order is drawn again at its end.
    mutating func next() -> Track? { following(wraps: true) }

    /// The track that a person's Previous leads to; on the first one it is that one.
    func previous() -> Track? {
        let order = order
        guard let place = currentID.flatMap(order.firstIndex) else { return order.first.flatMap(track) }
        return track(order[max(0, place - 1)])
    }

    /// The track after the natural end of the present one; `nil` when everything was played.
    mutating func afterEnd() -> Track? { repeats == .track ? current : afterFailure() }

    /// The track after one that cannot be played; `nil` when everything was tried.
    mutating func afterFailure() -> Track? { following(wraps: repeats == .playlist) }

    private var order: [Track.ID] { shuffled ?? tracks.map(\.id) }

    private mutating func following(wraps: Bool) -> Track? {
        let order = order
        guard let place = currentID.flatMap(order.firstIndex) else { return order.first.flatMap(track) }
        if place + 1 < order.count { return track(order[place + 1]) }
        guard wraps else { return nil }
        guard isShuffled else { return order.first.flatMap(track) }
        shuffled = drawnOrder()
        // The present track is the first one of the new order, and was just played.
        return (self.order.dropFirst().first ?? self.order.first).flatMap(track)
    }
}

/// How the tracks of a playlist are sorted.
public enum TrackSorting: String, Sendable, CaseIterable, Codable {
    /// As they were added or moved.
    case added
    /// By title.
    case title
    /// By artist.
    case artist
    /// By album.
    case album

    /// What the tracks are compared by; `nil` for the order in which they came.
    fileprivate var key: ((Track) -> String)? {
        switch self {
        case .added: nil
        case .title: { $0.title }
        case .artist: { $0.artist ?? "" }
        case .album: { $0.album ?? "" }
        }
    }
}
