internal import Foundation

/// The tracks of a player, in order, and which of them is the current one.
///
/// Entries are compact and lie in chunks, so that an edit costs about the same for ten tracks and for
/// a hundred thousand. Files are not touched.
struct Playlist: Sendable {
    private var chunks: [PlaylistChunk] = []
    /// How many entries each chunk has, side by side, so that an index is found without touching the chunks.
    private var counts: [Int] = []
    private var lastID: UInt64 = 0

    /// How many tracks there are.
    private(set) var count = 0

    /// The current track; 0 for an empty playlist.
    private(set) var currentIndex = 0

    /// Creates a playlist; the first track is the current one.
    ///
    /// - Parameter urls: The tracks in order.
    init(_ urls: [URL] = []) {
        chunks.reserveCapacity(urls.count / PlaylistChunk.capacity + 1)
        for url in urls { append(url) }
    }

    /// Whether there are no tracks.
    var isEmpty: Bool { count == 0 }

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

    /// Makes another track the current one.
    mutating func select(_ index: Int) {
        precondition(contains(index))
        currentIndex = index
    }

    /// Adds a track at the end.
    mutating func append(_ url: URL) { insert(newID(), url, at: count) }

    /// Removes a track. When it was the current one, the one that takes its index becomes current, or the new last one.
    mutating func remove(at index: Int) {
        removeEntry(at: index)
        if index < currentIndex { currentIndex -= 1 }
        currentIndex = Swift.max(0, Swift.min(currentIndex, count - 1))
    }

    /// Moves a track so that it has index `target` afterwards; the current track stays the current one.
    mutating func move(from source: Int, to target: Int) {
        let item = self[source]
        removeEntry(at: source)
        insert(item.id, item.url, at: target)
        if source == currentIndex {
            currentIndex = target
        } else if source < currentIndex, target >= currentIndex {
            currentIndex -= 1
        } else if source > currentIndex, target <= currentIndex {
            currentIndex += 1
        }
    }

    /// Puts another track in the place of one; it is a new item.
    mutating func replace(at index: Int, with url: URL) {
        let place = locate(index)
        let id = newID()
        chunks[place.chunk].replace(at: place.offset, with: id, url: url)
    }

    // MARK: Ways through the playlist

    /// An index and those behind it.
    func route(startingAt index: Int) -> PlaylistRoute {
        PlaylistRoute(start: index, step: 1, length: Swift.max(0, count - index), count: count)
    }

    /// Those behind an index, and then, when wrapping, the others from the beginning and the track itself.
    func route(after index: Int, wrapping: Bool) -> PlaylistRoute {
        PlaylistRoute(
            start: index + 1, step: 1, length: wrapping ? count : Swift.max(0, count - index - 1), count: count)
    }

    /// Those before an index, backwards, and then, when wrapping, the others from the end and the track itself.
    func route(before index: Int, wrapping: Bool) -> PlaylistRoute {
        PlaylistRoute(start: index - 1, step: -1, length: wrapping ? count : index, count: count)
    }

    /// One index only.
    func route(only index: Int, isRepeat: Bool = false) -> PlaylistRoute {
        PlaylistRoute(start: index, step: 1, length: 1, count: count, beginsRepeated: isRepeat)
    }

    // MARK: Chunks

    private mutating func newID() -> PlaylistItem.ID {
        lastID += 1
        return PlaylistItem.ID(rawValue: lastID)
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
