internal import Foundation
public import Observation

/// What the view of the library shows: one level of artists, albums and tracks, or what was found.
///
/// Questions to the library run beside the state: a disk that is slow delays its own lines and nothing else.
@MainActor
@Observable
public final class LibraryState {
    /// A level of the library.
    public enum Level: Sendable, Equatable {
        /// All artists.
        case artists
        /// An artist's albums.
        case albums(by: String)
        /// An album's tracks.
        case tracks(by: String, on: String)
        /// The tracks that contain words.
        case found(String)
    }

    /// The levels from the outermost to the shown one.
    public private(set) var path: [Level] = [.artists]
    /// The lines of the shown level.
    public private(set) var items: [LibraryItem] = []
    /// The line that keys act on.
    public private(set) var selectedIndex = 0
    /// What is to be said instead of lines; `nil` when there are lines.
    public private(set) var message: String?

    private let library: any LibraryBrowsing
    /// The lines that were selected in the outer levels.
    private var selections: [Int] = []
    @ObservationIgnored private var task: Task<Void, Never>?
    @ObservationIgnored private var news: Task<Void, Never>?
    @ObservationIgnored private var isOpen = false

    init(_ library: any LibraryBrowsing) { self.library = library }

    /// The selected line.
    public var selected: LibraryItem? { items.indices.contains(selectedIndex) ? items[selectedIndex] : nil }

    /// Waits until the lines are those of the shown level.
    package func settle() async { await task?.value }

    // MARK: Moving

    /// Reads the shown level, and follows the library from the first time on.
    func open(_ report: @escaping @MainActor (String) -> Void) {
        guard !isOpen else { return }
        isOpen = true
        load()
        news = Task { [weak self, library] in
            for await news in library.news {
                switch news {
                case .changed: self?.load(again: true)
                case .problem(let text): report(text)
                }
            }
        }
    }

    /// Ends what runs for the view.
    func close() {
        task?.cancel()
        news?.cancel()
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
        case .artist(let name): go(to: .albums(by: name))
        case .album(let title, let artist): go(to: .tracks(by: artist, on: title))
        case .track(let entry): return entry
        case nil: break
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
        // Another search, or news of the library, replaces the one that is waited for.
        var awaited: Task<Void, Never>?
        repeat {
            awaited = task
            await awaited?.value
        } while awaited != task
        guard path.last == .found(text), case .track(let entry)? = items.first?.content else { return nil }
        return entry
    }

    /// The tracks of the selected line.
    func tracks() async throws -> [PlaylistEntry] {
        let items: [LibraryItem]
        switch selected?.content {
        case .artist(let name): items = try await library.tracks(by: name, on: nil)
        case .album(let title, let artist): items = try await library.tracks(by: artist, on: title)
        case .track(let entry): return [entry]
        case nil: return []
        }
        return items.compactMap { if case .track(let entry) = $0.content { entry } else { nil } }
    }

    func notePlayed(_ entry: PlaylistEntry) {
        guard entry.url.isFileURL, entry.part == nil else { return }
        Task { [library] in await library.notePlayed(entry.url) }
    }

    // MARK: Reading

    /// Reads the shown level. What an earlier question brings is no longer wanted.
    ///
    /// - Parameter again: Whether the shown lines are those of this level, so that the selected one stays selected.
    private func load(again: Bool = false) {
        task?.cancel()
        let level = path[path.count - 1]
        task = Task { [weak self, library] in
            let result: Result<[LibraryItem], any Error>
            do {
                result = .success(try await Self.items(of: level, in: library))
            } catch {
                result = .failure(error)
            }
            guard !Task.isCancelled, let self, self.path.last == level else { return }
            self.show(result, of: level, keepsSelection: again)
        }
    }

    private static func items(of level: Level, in library: any LibraryBrowsing) async throws -> [LibraryItem] {
        switch level {
        case .artists: try await library.artists()
        case .albums(let artist): try await library.albums(by: artist)
        case .tracks(let artist, let album): try await library.tracks(by: artist, on: album)
        case .found(let text): try await library.tracks(containing: text)
        }
    }

    private func show(_ result: Result<[LibraryItem], any Error>, of level: Level, keepsSelection: Bool) {
        switch result {
        case .success(let items):
            // A scan may have brought lines before the selected one.
            let kept = keepsSelection ? selected?.content : nil
            self.items = items
            selectedIndex =
                items.firstIndex { $0.content == kept } ?? min(selectedIndex, max(0, items.count - 1))
            switch level {
            case .found(let text) where items.isEmpty: message = "nothing in the library contains \(text)"
            case .artists where items.isEmpty:
                message = "the library is empty; add a folder: descant library add ~/Music"
            default: message = items.isEmpty ? "nothing is left here" : nil
            }
        case .failure(let error):
            items = []
            message = "\(error)"
        }
    }
}
