public import Foundation

/// The page of the media library: genres, artists, their albums, the tracks of an album, and what was found.
extension PlayerWindowModel {
    /// A line of the library.
    public struct LibraryRow: Sendable, Equatable {
        /// The name.
        public let title: String
        /// A number of albums or tracks, or a length.
        public let detail: String
        /// Whether the line is a track, which is played, rather than something that has lines of its own.
        public let isTrack: Bool
        /// Whether the line is a folder, which can be removed from the library.
        public let isFolder: Bool
    }

    /// Whether there is a library.
    public var hasLibrary: Bool { state.library != nil }

    /// What the page shows: the way from the outermost level.
    public var libraryTitle: String {
        switch state.library?.path.last {
        case .genre(let genre): genre
        case .albums(let artist): Self.name(artist)
        case .tracks(let artist, let album): "\(Self.name(artist)) – \(album.isEmpty ? "(no album)" : album)"
        case .found(let text): "\(foundTracks) with “\(text)”"
        case .artists, .genres, .first, .folders, nil: Self.libraryViews[libraryView]
        }
    }

    private var foundTracks: String {
        state.library?.isCut == true ? "The first \(LibraryState.foundLimit) of more tracks" : "Tracks"
    }

    /// The names of the outermost levels.
    public static let libraryViews = ["Artists", "Genres", "Most played", "Newest", "Folders"]

    /// Which of the outermost levels is shown, or leads to what is shown.
    public var libraryView: Int { state.library.flatMap { LibraryState.outermost.firstIndex(of: $0.path[0]) } ?? 0 }

    /// Shows one of the outermost levels.
    ///
    /// - Parameter index: Its place among them.
    public func showLibrary(_ index: Int) {
        guard index != libraryView, LibraryState.outermost.indices.contains(index) else { return }
        state.library?.show(LibraryState.outermost[index])
    }

    /// Shows the outermost level that was chosen again from its first line on.
    ///
    /// - Parameter index: Its place among the outermost levels; one that is not shown and does not lead to what is shown is ignored.
    public func showTopOfLibrary(_ index: Int) {
        guard let library = state.library, index == libraryView else { return }
        let level = LibraryState.outermost[index]
        if library.path == [level] { library.select(0) } else { library.show(level) }
    }

    private static func name(_ artist: String) -> String { artist.isEmpty ? "(no artist)" : artist }

    /// The lines of the page.
    public var libraryRows: [LibraryRow] { (state.library?.items ?? []).map(Self.row) }

    /// The line that was chosen last, to which a list returns.
    public var librarySelection: Int { state.library?.selectedIndex ?? 0 }

    /// Notes which line is selected.
    ///
    /// - Parameter line: Its place, from 0.
    public func selectLibrary(_ line: Int) { state.library?.select(line) }

    /// A line of the page; `nil` for one that is not there.
    ///
    /// - Parameter line: Its place, from 0.
    public func libraryRow(at line: Int) -> LibraryRow? {
        state.library?.item(at: line).map(Self.row)
    }

    private static func row(_ item: LibraryItem) -> LibraryRow {
        let isFolder = if case .folder = item.content { true } else { false }
        return LibraryRow(title: item.title, detail: item.detail, isTrack: item.isTrack, isFolder: isFolder)
    }

    /// A command for a line of the library, with what the line stands for now: when its turn comes, another level may be shown.
    ///
    /// - Returns: The command; `nil` for a line that is not there. Other commands are returned as they are.
    func named(_ intent: PlayerIntent) -> PlayerIntent? {
        guard let library = state.library else { return intent }
        switch intent {
        case .enterLibrary(let line, nil):
            library.select(line)
            return library.item(at: line).map { .enterLibrary(line, of: $0) }
        case .addFromLibrary(let line, nil):
            library.select(line)
            return library.item(at: line).map { .addFromLibrary(line, of: $0) }
        case .playFromLibrary(let line, nil):
            library.select(line)
            return library.item(at: line).map { .playFromLibrary(line, of: $0) }
        default: return intent
        }
    }

    /// The text in place of an empty list, such as that nothing was found; `nil` when the list has lines.
    public var libraryMessage: String? { state.library?.message }

    /// Whether the page offers to add the first folder, in place of an empty list.
    public var offersFolder: Bool { state.library.map { $0.isEmpty && $0.scan == nil } ?? false }

    /// How far a scan has come, beside the lines of the list; `nil` when there is none.
    public var libraryScan: String? {
        guard let library = state.library, library.message == nil else { return nil }
        return library.scan?.text
    }

    /// Adds folders to the library.
    ///
    /// - Parameter folders: The folders.
    public func addToLibrary(_ folders: [URL]) {
        for folder in folders {
            // The path of another computer's folder may be that of one here.
            send(.addFolder(folder.isFileURL ? folder.path : folder.absoluteString))
        }
    }

    /// What removes the folder of a line from the library, and what the person is asked before; `nil` for other lines.
    ///
    /// - Parameter line: Its place, from 0.
    public func folderRemoval(at line: Int) -> (question: String, intent: PlayerIntent)? {
        guard let items = state.library?.items, items.indices.contains(line),
            case .folder(let path) = items[line].content
        else { return nil }
        return (items[line].removalQuestion, .removeFolder(path))
    }

    /// Whether there is an outer level.
    public var canLeaveLibrary: Bool { (state.library?.path.count ?? 1) > 1 }

    /// Reads the library, from the first time on that its page is shown.
    public func openLibrary() { state.openLibrary() }

    /// Shows the tracks that contain words, and without words the level before.
    ///
    /// - Parameter text: The words, also the beginnings of words.
    public func searchLibrary(_ text: String) { state.library?.search(text) }

    /// Shows the tracks that contain words, and plays the first of them behind the present one.
    ///
    /// - Parameter text: The words; without words nothing happens.
    public func playFirstInLibrary(with text: String) { if !text.isEmpty { send(.playFound(text)) } }

    /// Shows the outer level.
    public func leaveLibrary() { _ = state.library?.leave() }
}
