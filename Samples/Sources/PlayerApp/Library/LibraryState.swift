internal import Foundation
public import Observation

/// What the view of the library shows: one level of genres, artists, albums and tracks, or what was found.
///
/// Questions to the library run beside the state: a disk that is slow delays its own lines and nothing else.
@MainActor
@Observable
public final class LibraryState {
    /// A level of the library.
    public enum Level: Sendable, Equatable {
        /// All artists.
        case artists
        /// All genres.
        case genres
        /// The tracks that were played most, or came last.
        case first(LibraryOrder)
        /// The artists of a genre.
        case genre(String)
        /// An artist's albums.
        case albums(by: String)
        /// An album's tracks.
        case tracks(by: String, on: String)
        /// The tracks that contain words.
        case found(String)
        /// The folders that are read.
        case folders
    }

    /// The outermost levels, in the order in which a person goes through them.
    public static let outermost: [Level] = [.artists, .genres, .first(.mostPlayed), .first(.newest), .folders]

    /// How many tracks a search shows at most.
    public nonisolated static let foundLimit = 500

    /// The levels from the outermost to the shown one.
    public private(set) var path: [Level] = [.artists]
    /// The lines of the shown level.
    public private(set) var items: [LibraryItem] = []
    /// The line that keys act on.
    public private(set) var selectedIndex = 0
    /// What is to be said instead of lines; `nil` when there are lines.
    public var message: String? { isEmpty ? scan?.text ?? note : note }
    /// Whether a search has found more tracks than are shown.
    public private(set) var isCut = false
    /// Whether the library has no tracks. A view offers to add a folder then.
    public private(set) var isEmpty = false
    /// The scan that is running; `nil` for none.
    public private(set) var scan: LibraryScan?

    /// The message in place of an empty list.
    private var note: String?
    private let library: any LibraryBrowsing
    /// The lines that were selected in the outer levels.
    private var selections: [Int] = []
    @ObservationIgnored private var task: Task<Void, Never>?
    @ObservationIgnored private var news: Task<Void, Never>?
    @ObservationIgnored private var isOpen = false
    @ObservationIgnored private var isLoading = false
    /// Whether the shown level could not be read.
    @ObservationIgnored private var hasFailed = false
    /// Whether the library has changed since the question that waits for its answer.
    @ObservationIgnored private var isOutdated = false

    init(_ library: any LibraryBrowsing) { self.library = library }

    /// The selected line.
    public var selected: LibraryItem? { item(at: selectedIndex) }

    /// A line; `nil` for one that is not there.
    func item(at index: Int) -> LibraryItem? { items.indices.contains(index) ? items[index] : nil }

    /// Waits until the lines are those of the shown level.
    package func settle() async {
        // Another question, or a change of the library, replaces the one that is waited for.
        var awaited: Task<Void, Never>?
        repeat {
            awaited = task
            await awaited?.value
        } while awaited != task
    }

    // MARK: Moving

    /// Reads the shown level, and follows the library from the first time on.
    func open(_ report: @escaping @MainActor (String) -> Void) {
        guard !isOpen else { return loadAfterFailure() }
        isOpen = true
        load()
        news = Task { [weak self, library] in
            for await news in library.news {
                switch news {
                case .changed: self?.reload()
                case .scan(let scan):
                    self?.scan = scan
                    if scan == nil { self?.loadAfterFailure() }
                case .problem(let text): report(text)
                }
            }
        }
    }

    func moveSelection(by lines: Int) {
        guard !items.isEmpty else { return }
        // Numbers as large as the list, so that "the first" and "the last" do not overflow.
        let step = min(max(lines, -items.count), items.count)
        selectedIndex = min(max(0, selectedIndex + step), items.count - 1)
    }

    func select(_ index: Int) { if items.indices.contains(index) { selectedIndex = index } }

    /// Shows the selected artist's albums or the selected album's tracks.
    ///
    /// - Returns: The entry when the selected line is a track.
    func enter() -> PlaylistEntry? {
        switch selected?.content {
        case .genre(let name): go(to: .genre(name))
        case .artist(let name): go(to: .albums(by: name))
        case .album(let title, let artist): go(to: .tracks(by: artist, on: title))
        case .track(let entry): return entry
        case .folder, nil: break
        }
        return nil
    }

    private func go(to level: Level) {
        selections.append(selectedIndex)
        path.append(level)
        (items, selectedIndex) = ([], 0)
        load()
    }

    /// Shows the outer level.
    ///
    /// - Returns: Whether there is one.
    func leave() -> Bool {
        guard path.count > 1 else { return false }
        path.removeLast()
        items = []
        selectedIndex = selections.popLast() ?? 0
        load()
        return true
    }

    /// Shows another of the outermost levels.
    ///
    /// - Parameter level: The level; `nil` for the one after the present one.
    func show(_ level: Level?) {
        let levels = Self.outermost
        let present = levels.firstIndex(of: path[0]) ?? 0
        let level = level ?? levels[(present + 1) % levels.count]
        guard path != [level] else { return loadAfterFailure() }
        (path, selections, items, selectedIndex) = ([level], [], [], 0)
        load()
    }

    /// Shows what contains words; without words the level before.
    func search(_ text: String) {
        if case .found? = path.last {
            guard !text.isEmpty else { return _ = leave() }
            path[path.count - 1] = .found(text)
            selectedIndex = 0
            load()
        } else if !text.isEmpty {
            go(to: .found(text))
        }
    }

    /// Shows what contains words, and waits until it is found.
    ///
    /// - Returns: The first track; `nil` for none, and when something else is shown by then.
    func find(_ text: String) async -> PlaylistEntry? {
        search(text)
        await settle()
        guard path.last == .found(text), case .track(let entry)? = items.first?.content else { return nil }
        return entry
    }

    /// The tracks of a line.
    func tracks(of item: LibraryItem) async throws -> [PlaylistEntry] {
        let items: [LibraryItem]
        switch item.content {
        case .genre(let name): items = try await library.tracks(in: name)
        case .artist(let name): items = try await library.tracks(by: name, on: nil, in: item.genre)
        case .album(let title, let artist): items = try await library.tracks(by: artist, on: title, in: item.genre)
        case .track(let entry): return [entry]
        case .folder: return []
        }
        return items.compactMap { if case .track(let entry) = $0.content { entry } else { nil } }
    }

    /// Adds a folder.
    ///
    /// - Parameter path: A path as a person types it.
    /// - Returns: The folder as it is shown.
    func addFolder(_ path: String) async throws -> String {
        let folder = try await library.addFolder(path)
        reload()
        return folder
    }

    /// Takes a folder out of the library; its files stay.
    ///
    /// - Parameter path: The folder.
    /// - Returns: The folder as it is shown.
    func removeFolder(_ path: String) async throws -> String {
        let folder = try await library.removeFolder(path)
        reload()
        return folder
    }

    func notePlayed(_ entry: PlaylistEntry) {
        guard entry.url.isFileURL, entry.part == nil else { return }
        Task { [library] in await library.notePlayed(entry.url) }
    }

    // MARK: Reading

    /// Reads the shown level again. During a scan the library changes all the time: a question that waits for its answer goes on.
    private func reload() {
        if isLoading { isOutdated = true } else { load(again: true) }
    }

    /// Reads the shown level again if it could not be read, since its disk may have woken up meanwhile.
    private func loadAfterFailure() { if hasFailed, !isLoading { load(again: true) } }

    /// Reads the shown level. What an earlier question brings is no longer wanted.
    ///
    /// - Parameter again: Whether the shown lines are those of this level, so that the selected one stays selected.
    private func load(again: Bool = false) {
        task?.cancel()
        (isLoading, isOutdated) = (true, false)
        let (level, genre) = (path[path.count - 1], self.genre)
        task = Task { [weak self, library] in
            let result: Result<[LibraryItem], any Error>
            do {
                result = .success(try await Self.items(of: level, below: genre, in: library))
            } catch {
                result = .failure(error)
            }
            guard !Task.isCancelled, let self, self.path.last == level else { return }
            self.isLoading = false
            self.show(result, of: level, keepsSelection: again)
            if self.isOutdated { self.load(again: true) }
        }
    }

    /// The genre that the shown level lies in; `nil` outside of genres.
    private var genre: String? {
        for case .genre(let genre) in path { return genre }
        return nil
    }

    private static func items(
        of level: Level, below genre: String?, in library: any LibraryBrowsing
    ) async throws -> [LibraryItem] {
        var items =
            switch level {
            case .artists: try await library.artists(in: nil)
            case .genres: try await library.genres()
            case .first(let order): try await library.tracks(ordered: order)
            case .genre(let genre): try await library.artists(in: genre)
            case .albums(let artist): try await library.albums(by: artist, in: genre)
            case .tracks(let artist, let album): try await library.tracks(by: artist, on: album, in: genre)
            case .found(let text): try await library.tracks(containing: text)
            case .folders: try await library.folders()
            }
        // What is added of a line is of the genre, too.
        if let genre { for index in items.indices { items[index].genre = genre } }
        return items
    }

    private func show(_ result: Result<[LibraryItem], any Error>, of level: Level, keepsSelection: Bool) {
        isEmpty = false
        isCut = false
        hasFailed = false
        switch result {
        case .success(let found):
            var items = found
            if case .found = level, items.count > Self.foundLimit {
                isCut = true
                items = Array(items.prefix(Self.foundLimit))
            }
            // A scan may have brought lines before the selected one.
            let kept = keepsSelection ? selected?.content : nil
            self.items = items
            selectedIndex =
                items.firstIndex { $0.content == kept } ?? min(selectedIndex, max(0, items.count - 1))
            guard items.isEmpty else { return note = nil }
            switch level {
            case .artists, .first(.newest): (isEmpty, note) = (true, "the library is empty")
            case .folders: (isEmpty, note) = (true, "the library has no folders")
            case .genres: note = "no track of the library names a genre"
            case .first(.mostPlayed): note = "no track of the library was played yet"
            case .found(let text): note = "nothing in the library contains \(text)"
            default: note = "nothing is left here"
            }
        case .failure(let error):
            hasFailed = true
            items = []
            note = "\(error)"
        }
    }
}
