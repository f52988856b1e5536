internal import Descant
internal import Foundation
internal import PlayerApp

/// The playlist as views show it.
struct ShownQueue: Sendable {
    /// A file or a part of one, and the places of its entries.
    typealias File = (url: URL, places: [Int])

    private(set) var entries: [PlaylistEntry]
    /// The places of the files' entries; `nil` until a file is looked for in the present list.
    private var places: FilePlaces?
    /// Files that the engine has described or refused.
    private var described: Set<URL> = []
    /// Files whose tags were read.
    private var tagged: Set<URL> = []
    /// Files that were to be played and were not there.
    private(set) var missing: Set<URL> = []
    /// Entries that are about to be added, so that they are shown as they were.
    private var known: [URL: PlaylistEntry] = [:]

    init(_ entries: [PlaylistEntry]) { self.entries = entries }

    /// Changes the entries of a file.
    ///
    /// - Returns: The changed entries and their places.
    mutating func change(
        _ url: URL, onlyIfNew: Bool, _ change: (PlaylistEntry) -> PlaylistEntry
    ) -> [(Int, PlaylistEntry)] {
        if onlyIfNew { tagged.insert(url) } else { described.insert(url) }
        if onlyIfNew, described.contains(url) { return [] }
        // The list with it may not have been told yet.
        known[url] = known[url].map(change)
        return allPlaces(of: url).map { index in
            entries[index] = change(entries[index])
            return (index, entries[index])
        }
    }

    /// What nothing has described yet.
    var undescribed: [File] {
        var files: [File] = []
        var numbers: [URL: Int] = [:]
        for (place, entry) in entries.enumerated() where entry.url.isFileURL {
            let url = entry.url
            if let number = numbers[url] {
                files[number].places.append(place)
            } else if !described.contains(url), !tagged.contains(url), !entry.isDescribed {
                numbers[url] = files.count
                files.append((url, [place]))
            }
        }
        return files
    }

    /// Notes that a file is not there.
    mutating func note(missing url: URL) { missing.insert(url) }

    /// Takes the marks off files that are there again.
    ///
    /// - Returns: The changed entries and their places.
    mutating func forgetMissing(_ found: Set<URL>) -> [(Int, PlaylistEntry)] {
        found.intersection(missing).flatMap { url in
            missing.remove(url)
            let changed = change(url, onlyIfNew: false) { entry in
                var entry = entry
                entry.failure = nil
                return entry
            }
            // Their tags are read anew.
            described.remove(url)
            tagged.remove(url)
            return changed
        }
    }

    /// Describes files by their tags.
    ///
    /// - Parameters:
    ///   - files: The files with the places that their entries had.
    ///   - tracks: What was read of them.
    /// - Returns: The changed entries by their places.
    mutating func describe(_ files: ArraySlice<File>, as tracks: [URL: Track]) -> [Int: PlaylistEntry] {
        var changed: [Int: PlaylistEntry] = [:]
        for (url, places) in files {
            // Where the list has changed, the file is read again.
            guard places.allSatisfy({ entries.indices.contains($0) && entries[$0].url == url }) else { continue }
            tagged.insert(url)
            guard let track = tracks[url], !described.contains(url) else { continue }
            for place in places {
                entries[place] = entries[place].described(by: track)
                changed[place] = entries[place]
            }
        }
        return changed
    }

    /// The first entry of a file or of a part of one.
    func entry(at url: URL) -> PlaylistEntry? { entries.first { $0.url == url } ?? known[url] }

    /// The entry of a file at a place of the player's list, which may be newer than this one.
    mutating func entry(at url: URL, near place: Int) -> PlaylistEntry {
        if entries.indices.contains(place), entries[place].url == url { return entries[place] }
        return allPlaces(of: url).first.map { entries[$0] } ?? known[url] ?? PlaylistEntry(url: url)
    }

    private mutating func allPlaces(of url: URL) -> [Int] {
        let places = places ?? FilePlaces(entries)
        self.places = places
        return places.all(of: url)
    }

    /// Remembers entries that are about to be added.
    mutating func remember(_ entries: [PlaylistEntry]) { for entry in entries { known[entry.url] = entry } }

    /// Forgets entries that were not added.
    mutating func forget(_ entries: [PlaylistEntry]) { for entry in entries { known[entry.url] = nil } }

    /// Takes over the playlist of the service.
    ///
    /// - Returns: The entries; `nil` when nothing has changed.
    mutating func update(_ urls: [URL]) -> [PlaylistEntry]? {
        guard entries.map(\.url) != urls else { return nil }
        let shown = Dictionary(entries.map { ($0.url, $0) }) { $1 }
        entries = []
        entries.reserveCapacity(urls.count)
        for url in urls {
            if shown[url] == nil {
                // What was known of it when it was in the list before is gone with its line.
                described.remove(url)
                tagged.remove(url)
            }
            entries.append(shown[url] ?? known[url] ?? PlaylistEntry(url: url))
        }
        places = nil
        // The others come with a later list.
        if !known.isEmpty { forget(entries) }
        return entries
    }
}

extension PlaylistEntry {
    /// Whether an earlier time has read its tags. Playlists name a length, too, and rarely more than a title.
    fileprivate var isDescribed: Bool { duration != nil && (artist != nil || album != nil) }
}

/// Finds the entries of a file. Without it each of the first tags would be compared with all of a hundred thousand entries.
private struct FilePlaces: Sendable {
    private var first: [URL: Int] = [:]
    /// The next place of the same file for each place, or -1. Lists of their own would be an allocation for each file.
    private var next: [Int]

    init(_ entries: [PlaylistEntry]) {
        next = [Int](repeating: -1, count: entries.count)
        first.reserveCapacity(entries.count)
        for (place, entry) in entries.enumerated().reversed() {
            next[place] = first.updateValue(place, forKey: entry.url) ?? -1
        }
    }

    /// The places of a file, in order.
    func all(of url: URL) -> [Int] {
        sequence(first: first[url] ?? -1) { next[$0] }.prefix { $0 >= 0 }
    }
}
