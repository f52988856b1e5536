internal import Foundation

/// The commands of the library's view.
extension AppState {
    /// Performs an intent on the library: one that names a line or a folder, or one on the list while that is the library's.
    ///
    /// - Returns: Whether the intent was one of these.
    func performOnLibrary(_ intent: PlayerIntent) async throws -> Bool {
        if try await performOnNamed(intent) { return true }
        guard showsLibrary, let library else { return false }
        return try await performOnShown(intent, library)
    }

    private func performOnNamed(_ intent: PlayerIntent) async throws -> Bool {
        switch intent {
        case .enterLibrary(let line, let item):
            guard let library else { throw Self.noLibrary }
            try await enter(line, of: library, meaning: item)
        case .addFromLibrary(let line, let item):
            guard let library else { throw Self.noLibrary }
            if item == nil { library.select(line) }
            try await add(item ?? library.selected, of: library)
        case .playFromLibrary(let line, let item):
            guard let library else { throw Self.noLibrary }
            if item == nil { library.select(line) }
            try await insert(item ?? library.selected, of: library, plays: true)
        case .playFound(let text):
            guard let library else { throw Self.noLibrary }
            try await enter(library.find(text))
        case .addFolder(let path): try await addFolder(path)
        case .removeFolder(let path):
            guard let library else { throw Self.noLibrary }
            let folder = try await library.removeFolder(path)
            notices.add(Notice(.information, "removed \(folder) from the library; its files stay"))
        default: return false
        }
        return true
    }

    private func performOnShown(_ intent: PlayerIntent, _ library: LibraryState) async throws -> Bool {
        switch intent {
        case .moveSelection(let lines): library.moveSelection(by: lines)
        case .choose(let index):
            if library.selectedIndex == index { try await enter(library) } else { library.select(index) }
        case .playSelection:
            if case .folder? = library.selected?.content {
                throw Refusal(
                    "a folder is not played", hints: [Notice.Hint(.removeSelection, "removes it from the library")])
            }
            try await enter(library)
        case .addSelection: try await add(library.selected, of: library)
        case .insertSelection(let plays): try await insert(library.selected, of: library, plays: plays)
        case .browse(let level): library.show(level)
        case .resetRate: if !library.leave() { showsLibrary = false }
        case .dismiss where prompt == nil && !showsHelp: if !library.leave() { showsLibrary = false }
        case .dismiss where prompt?.purpose == .search:
            // Without a word nothing was searched, and what an earlier search has found stays.
            if prompt?.text.isEmpty == false { library.search("") }
            prompt = nil
        case .type, .erase:
            guard prompt?.purpose == .search else { return false }
            edit(intent)
            library.search(prompt?.text ?? "")
        case .accept:
            guard prompt?.purpose == .search else { return false }
            prompt = nil
        case .removeSelection:
            guard let folder = library.selected, case .folder = folder.content else {
                throw Refusal(
                    "this is the library",
                    hints: [
                        Notice.Hint(.toggleLibrary, "shows the playlist"),
                        Notice.Hint(.browse(nil), "shows the folders"),
                    ])
            }
            prompt = Prompt(purpose: .removal(folder), text: "")
        case .moveEntry, .undo:
            throw Refusal("this is the library", hints: [Notice.Hint(.toggleLibrary, "shows the playlist")])
        default: return false
        }
        return true
    }

    /// Adds a folder to the library.
    func addFolder(_ path: String) async throws {
        guard let library else { throw Self.noLibrary }
        notices.add(Notice(.information, "added \(try await library.addFolder(path)) to the library"))
    }

    func toggleLibrary() throws {
        guard library != nil else { throw Self.noLibrary }
        showsLibrary.toggle()
        prompt = nil
        openLibrary()
    }

    static let noLibrary = Refusal(
        "there is no library here: the program descant-library is not installed beside this one")

    /// Reads the library from the first time on that it is shown.
    func openLibrary() { library?.open { [weak self] text in self?.notices.add(Notice(.warning, text)) } }

    private func enter(_ library: LibraryState) async throws {
        try await enter(library.enter())
    }

    /// Opens or plays a line, or the item that it stood for when it was chosen.
    private func enter(_ line: Int, of library: LibraryState, meaning item: LibraryItem?) async throws {
        if case .track(let entry)? = item?.content {
            // Another level may be shown by now.
            try await enter(entry)
        } else if item == nil || item == library.item(at: line) {
            library.select(line)
            try await enter(library)
        }
    }

    /// Plays a track of the library behind the present one.
    private func enter(_ entry: PlaylistEntry?) async throws {
        guard let entry else { return }
        let index = placeBehindCurrent
        try await insert([entry], at: index)
        playAdded(at: index)
    }

    /// The place behind the present track; the end of the playlist without one.
    private var placeBehindCurrent: Int {
        entries.isEmpty ? 0 : min((currentIndex ?? entries.count - 1) + 1, entries.count)
    }

    /// Plays a track that was added. It begins at once, and later changes of the playlist do not wait until it is open.
    func playAdded(at index: Int) {
        Task.immediate {
            do {
                try await player.jump(to: index)
            } catch is CancellationError {
                // A later command has made it void.
            } catch {
                notices.add(Notice(.warning, "\(error)"))
            }
        }
    }

    /// Adds the tracks of a line to the end of the playlist.
    private func add(_ item: LibraryItem?, of library: LibraryState) async throws {
        let (added, name) = try await tracks(of: item, in: library)
        try await insert(added, at: entries.count)
        notices.add(Notice(.information, "added \(name) to the playlist"))
    }

    /// Adds the tracks of a line behind the present track, and plays the first of them if it is to be heard.
    private func insert(_ item: LibraryItem?, of library: LibraryState, plays: Bool) async throws {
        let (added, name) = try await tracks(of: item, in: library)
        let index = placeBehindCurrent
        try await insert(added, at: index)
        let place = currentIndex == nil ? "added \(name) to the playlist" : "inserted \(name) behind the present track"
        notices.add(Notice(.information, place))
        if plays { playAdded(at: index) }
    }

    /// The tracks of a line, and what they are called in a message.
    private func tracks(
        of item: LibraryItem?, in library: LibraryState
    ) async throws -> (tracks: [PlaylistEntry], name: String) {
        guard let item else { throw Refusal("there is nothing to add") }
        if case .folder = item.content {
            throw Refusal(
                "artists, genres, albums and tracks are added", hints: [Notice.Hint(.browse(nil), "shows them")])
        }
        let name = if case .track(let entry) = item.content { entry.title } else { item.title }
        let tracks = try await library.tracks(of: item)
        guard !tracks.isEmpty else { throw Refusal("\(name) has no tracks any more") }
        return (tracks, tracks.count == 1 ? name : "\(tracks.count) tracks of \(name)")
    }

    /// Counts a track as played when half of it was heard, or four minutes, as scrobblers do.
    func countPlay(from last: TimeInterval, to position: TimeInterval) {
        guard let library, let current, var heard else { return }
        // The position is told at least once a second, at a speed of at most 3. A longer step is a seek, and one back may be the beginning of
        // the next track, which is told a moment later.
        guard (0...4).contains(position - last) else { return }
        heard += position - last
        self.heard = heard
        guard let duration, duration > 0, heard >= min(duration / 2, 240) else { return }
        self.heard = nil
        library.notePlayed(current)
    }
}
