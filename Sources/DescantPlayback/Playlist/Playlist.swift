internal import Foundation
internal import Synchronization

/// The tracks of a player, in order, and which of them is the current one.
///
/// Entries are compact and lie in chunks, so that an edit costs about the same for ten tracks and for
/// a hundred thousand. Files are not touched.
struct Playlist: Sendable {
    private var chunks: [PlaylistChunk] = []
    /// How many entries each chunk has, side by side, so that an index is found without touching the chunks.
    private var counts: [Int] = []
    /// How many tracks there are.
    private(set) var count = 0

    /// The current track; 0 for an empty playlist.
    private(set) var currentIndex = 0

    /// The order of playing; `nil` when the tracks are played as they lie.
    private(set) var shuffled: ShuffledOrder?

    /// Creates a playlist; the first track is the current one.
    ///
    /// - Parameter urls: The tracks in order.
    init(_ urls: [URL] = []) {
        chunks.reserveCapacity(urls.count / PlaylistChunk.capacity + 1)
        for url in urls {
            appendEntry(newID(), url)
            count += 1
        }
        if let last = chunks.indices.last { chunks[last].compact() }
    }

    /// Whether there are no tracks.
    var isEmpty: Bool { count == 0 }

    /// The tracks in order, made on a thread of the concurrent pool. A hundred thousand URLs take 0.1 s, for which no actor is held up.
    @concurrent func madeURLs() async -> [URL] { urls }

    /// The tracks in order.
    var urls: [URL] {
        var result: [URL] = []
        result.reserveCapacity(count)
        for chunk in chunks {
            for offset in 0..<chunk.count { result.append(chunk.item(at: offset).url) }
        }
        return result
    }

    /// The item at an index.
    ///
    /// - Parameter index: An index within the playlist.
    subscript(index: Int) -> PlaylistItem {
        let place = locate(index)
        return chunks[place.chunk].item(at: place.offset)
    }

    /// Whether there is a track at an index.
    func contains(_ index: Int) -> Bool { index >= 0 && index < count }

    /// Where an item is now; `nil` when it was removed.
    ///
    /// - Parameters:
    ///   - id: The item.
    ///   - guess: Where it was the last time.
    func index(of id: PlaylistItem.ID, near guess: Int) -> Int? {
        if contains(guess) {
            let place = locate(guess)
            if chunks[place.chunk].id(at: place.offset) == id { return guess }
        }
        var start = 0
        for chunk in chunks {
            if let offset = chunk.offset(of: id) { return start + offset }
            start += chunk.count
        }
        return nil
    }

    // MARK: Edits

    /// Adds tracks at the end.
    mutating func append(_ urls: [URL]) { insert(urls, at: count) }

    /// Adds tracks so that the first of them has index `target` afterwards; the current track stays the current one.
    mutating func insert(_ urls: [URL], at target: Int) {
        guard !urls.isEmpty else { return }
        let wasEmpty = isEmpty
        for (offset, url) in urls.enumerated() { insert(newID(), url, at: target + offset) }
        if !wasEmpty, target <= currentIndex { currentIndex += urls.count }
        shuffled?.insert(urls.count, at: target)
    }

    /// Removes tracks. When the current one is among them, the next one that is left in the order of playing becomes current,
    /// or the new last one.
    mutating func remove(at indices: Set<Int>) {
        // From the end, so that the indices before stay what they are.
        for index in indices.sorted(by: >) { removeEntry(at: index) }
        shuffled?.remove(indices)
        let current = currentIndex
        let wasCurrent = indices.contains(current)
        let before = indices.count { $0 < current }
        currentIndex = Swift.max(0, Swift.min(current - before, count - 1))
        if wasCurrent, let shuffled, count > 0 { currentIndex = shuffled.index(at: shuffled.place) }
    }

    /// Moves tracks; the others keep their order, and the current track stays the current one.
    ///
    /// - Parameter targets: The tracks' indices afterwards, each once, by their indices before.
    mutating func move(_ targets: [Int: Int]) {
        var moved: [(item: PlaylistItem, target: Int)] = []
        // From the end, so that the indices before stay what they are.
        for (source, target) in targets.sorted(by: { $0.key > $1.key }) {
            moved.append((self[source], target))
            removeEntry(at: source)
        }
        moved.sort { $0.target < $1.target }
        for (item, target) in moved { insert(item.id, item.url, at: target) }
        shuffled?.move(targets)
        let current = currentIndex
        currentIndex =
            targets[current]
            ?? moved.reduce(current - targets.keys.count { $0 < current }) { $1.target <= $0 ? $0 + 1 : $0 }
    }

    /// Puts another track in the place of one; it is a new item.
    mutating func replace(at index: Int, with url: URL) {
        let place = locate(index)
        let id = newID()
        chunks[place.chunk].replace(at: place.offset, with: id, url: url)
    }

    // MARK: Order of playing

    /// Makes another track the current one.
    ///
    /// - Parameters:
    ///   - index: The track.
    ///   - isJump: Whether a person asked for this very track: in a shuffled playlist it then comes right behind what was played.
    mutating func select(_ index: Int, isJump: Bool = false) {
        precondition(contains(index))
        currentIndex = index
        if isJump { shuffled?.jump(to: index) } else { shuffled?.select(index) }
    }

    /// Makes the track of a stop on a route the current one. When the way to it leads past the end of a shuffled playlist, a new
    /// round begins.
    mutating func follow(_ stop: PlaylistRoute.Stop) {
        if stop.beginsRound { shuffled?.beginNextRound() }
        select(stop.index, isJump: stop.isJump)
    }

    /// Draws an order of playing.
    ///
    /// - Parameters:
    ///   - seed: Decides on the order.
    ///   - first: The track that comes first and is the current one; `nil` to have it drawn too.
    mutating func shuffle(seed: UInt64, beginningWith first: Int?) {
        let order = ShuffledOrder(count: count, seed: seed, beginningWith: first)
        if count > 0 { currentIndex = order.index(at: 0) }
        shuffled = order
    }

    /// Takes over an order of playing, in which the current track has its place.
    mutating func shuffle(order: [Int], seed: UInt64, waits: Bool) {
        shuffled = ShuffledOrder(order, seed: seed, current: currentIndex, waits: waits)
    }

    /// Draws the order of a new round through a shuffled playlist, which begins with a track. An order that waits for it goes on.
    mutating func beginRound(with index: Int) {
        currentIndex = index
        shuffled?.begin(with: index)
    }

    /// Returns to the playlist's own order.
    mutating func unshuffle() { shuffled = nil }

    /// Where a track is in the order of playing.
    private func place(of index: Int) -> Int { shuffled?.place(of: index) ?? index }

    // MARK: Ways through the playlist

    /// A track and those behind it, and then, when wrapping, the others from the beginning.
    func route(startingAt index: Int, wrapping: Bool = false) -> PlaylistRoute {
        let place = place(of: index)
        return route(from: place, length: wrapping ? count : Swift.max(0, count - place))
    }

    /// The tracks behind a track, and then, when wrapping, the others from the beginning and the track itself.
    func route(after index: Int, wrapping: Bool) -> PlaylistRoute {
        let place = place(of: index)
        return route(from: place + 1, length: wrapping ? count : Swift.max(0, count - place - 1))
    }

    /// The tracks before a track, backwards, and then, when wrapping, the others from the end and the track itself.
    func route(before index: Int, wrapping: Bool) -> PlaylistRoute {
        let place = place(of: index)
        return route(from: place - 1, step: -1, length: wrapping ? count : place)
    }

    /// One track only.
    func route(only index: Int, isRepeat: Bool = false, isJump: Bool = false) -> PlaylistRoute {
        var route = PlaylistRoute(start: index, step: 1, length: 1, count: count)
        route.beginsRepeated = isRepeat
        route.isJump = isJump
        return route
    }

    private func route(from place: Int, step: Int = 1, length: Int) -> PlaylistRoute {
        PlaylistRoute(start: place, step: step, length: length, count: count, order: shuffled)
    }

    // MARK: Chunks

    /// Items of different playlists differ too: a player may still play one of the playlist before.
    private static let lastID = Atomic<UInt64>(0)

    private func newID() -> PlaylistItem.ID {
        PlaylistItem.ID(rawValue: Self.lastID.wrappingAdd(1, ordering: .relaxed).newValue)
    }

    private func locate(_ index: Int) -> (chunk: Int, offset: Int) {
        precondition(contains(index), "no track at index \(index) in a playlist of \(count)")
        var rest = index
        for (chunk, count) in counts.enumerated() {
            if rest < count { return (chunk, rest) }
            rest -= count
        }
        preconditionFailure("the counts of the chunks do not add up to \(count)")
    }

    private mutating func insert(_ id: PlaylistItem.ID, _ url: URL, at index: Int) {
        if index == count {
            appendEntry(id, url)
        } else {
            var place = locate(index)
            if counts[place.chunk] >= PlaylistChunk.capacity {
                chunks.insert(chunks[place.chunk].split(), at: place.chunk + 1)
                counts[place.chunk] = chunks[place.chunk].count
                counts.insert(chunks[place.chunk + 1].count, at: place.chunk + 1)
                place = locate(index)
            }
            chunks[place.chunk].insert(id, url: url, at: place.offset)
            counts[place.chunk] += 1
        }
        count += 1
    }

    private mutating func appendEntry(_ id: PlaylistItem.ID, _ url: URL) {
        if let last = chunks.indices.last {
            if counts[last] < PlaylistChunk.capacity {
                chunks[last].insert(id, url: url, at: counts[last])
                counts[last] += 1
                return
            }
            chunks[last].compact()
        }
        var chunk = PlaylistChunk()
        chunk.insert(id, url: url, at: 0)
        chunks.append(chunk)
        counts.append(1)
    }

    private mutating func removeEntry(at index: Int) {
        let place = locate(index)
        chunks[place.chunk].remove(at: place.offset)
        counts[place.chunk] -= 1
        count -= 1
        let next = place.chunk + 1
        if counts[place.chunk] == 0 {
            chunks.remove(at: place.chunk)
            counts.remove(at: place.chunk)
        } else if next < counts.count, counts[place.chunk] + counts[next] <= PlaylistChunk.capacity / 2 {
            chunks[place.chunk].merge(chunks.remove(at: next))
            counts[place.chunk] += counts.remove(at: next)
        }
    }
}

/// One entry of a playlist. The same file twice is two items.
struct PlaylistItem: Sendable, Hashable {
    /// Tells an item from every other one of the process.
    struct ID: Sendable, Hashable {
        let rawValue: UInt64
    }

    /// The item's identity.
    var id: ID
    /// What it plays.
    var url: URL
}
