internal import Foundation

/// The playlist's selection, search and editing.
extension AppState {
    /// The places of the entries that are shown: all, or those that contain every typed word of a search.
    public var shownIndices: [Int] {
        // They are also read for places that are known: an observer hears of the next change only then.
        let (entries, _) = (entries, prompt)
        if let matches { return matches }
        let found = filterWords.isEmpty ? Array(entries.indices) : places(containing: filterWords, in: entries)
        matches = found
        return found
    }

    private func places(containing words: [SearchText.Word], in entries: [PlaylistEntry]) -> [Int] {
        comparisons += entries.count
        let index = searchIndex ?? SearchIndex(entries)
        searchIndex = index
        return index.places(containing: words, in: entries)
    }

    /// Shows or hides an entry that has changed; the others stay.
    func updateMatch(at index: Int) {
        searchIndex?.replace(at: index, by: entries[index].searchText)
        guard matches != nil, !filterWords.isEmpty else { return }
        comparisons += 1
        // Nothing refers to the matches when they change: they would be copied, all of them.
        let place = matches?.firstIndex(notBelow: index) ?? 0
        let wasShown = matches.map { $0.indices.contains(place) && $0[place] == index } ?? false
        guard entries[index].contains(filterWords) != wasShown else { return }
        if wasShown { matches?.remove(at: place) } else { matches?.insert(index, at: place) }
    }

    /// The entry that keys act on.
    public var selected: PlaylistEntry? {
        entries.indices.contains(selectedIndex) ? entries[selectedIndex] : nil
    }

    func performOnList(_ intent: PlayerIntent) async throws {
        switch intent {
        // The lines that these act on are to be seen.
        case .moveSelection, .selectCurrent, .choose, .playSelection, .removeSelection, .moveEntry, .undo:
            showsLyrics = false
        default: break
        }
        switch intent {
        case .moveSelection(let lines): moveSelection(by: lines)
        case .selectCurrent:
            guard let currentIndex, current != nil else { throw Refusal("no track was played yet") }
            showsLibrary = false
            selectedIndex = currentIndex
        case .choose(let index):
            guard entries.indices.contains(index) else { return }
            if selectedIndex == index { try await player.jump(to: index) } else { selectedIndex = index }
        case .playSelection:
            try requireSelection()
            try await player.jump(to: selectedIndex)
        case .removeSelection: try await removeSelection()
        case .moveEntry(let lines): try await moveEntry(by: lines)
        case .undo: try await undo()
        case .begin(.folder) where !showsLibrary:
            throw library == nil
                ? Self.noLibrary
                : Refusal("folders are added to the library", hints: [Notice.Hint(.toggleLibrary, "shows it")])
        case .begin(let purpose):
            // What a search finds is to be seen.
            if purpose == .search, !showsLibrary { showsLyrics = false }
            prompt = Prompt(
                purpose: purpose, text: "", formerLine: purpose == .search && !showsLibrary ? selectedIndex : nil)
        case .type, .erase: edit(intent)
        case .addSelection, .insertSelection:
            throw library == nil
                ? Self.noLibrary
                : Refusal("tracks are added from the library", hints: [Notice.Hint(.toggleLibrary, "shows it")])
        case .accept: try await accept()
        default: try await performWithValue(intent)
        }
    }

    // MARK: Selection

    private func moveSelection(by lines: Int) { moveSelection(by: lines, in: shownIndices) }

    private func moveSelection(by lines: Int, in shown: [Int]) {
        guard let last = shown.indices.last else { return }
        let place = shown.firstIndex { $0 >= selectedIndex } ?? last
        selectedIndex = shown[min(max(0, place + min(max(lines, -shown.count), shown.count)), last)]
    }

    @discardableResult
    private func requireSelection() throws -> PlaylistEntry {
        guard let selected else { throw Refusal("the playlist is empty") }
        return selected
    }

    // MARK: Typing

    func edit(_ intent: PlayerIntent) {
        guard var prompt else { return }
        switch intent {
        case .type(let character): prompt.text.append(character)
        case .erase: _ = prompt.text.popLast()
        default: return
        }
        self.prompt = prompt
        guard !showsLibrary else { return }
        let shown = shownIndices
        if !shown.contains(selectedIndex), let first = shown.first { selectedIndex = first }
    }

    /// Returns to the line that was selected before a search.
    ///
    /// - Parameter prompt: The search; any other line that is typed changes nothing.
    func selectFormerLine(of prompt: Prompt?) {
        if let line = prompt?.formerLine { selectedIndex = min(line, max(0, entries.count - 1)) }
    }

    private func accept() async throws {
        guard let prompt else { return }
        let isFound = shownIndices.contains(selectedIndex)
        self.prompt = nil
        switch prompt.purpose {
        case .search where prompt.text.isEmpty: break
        case .removal, .replacement: break
        case .search:
            guard isFound else {
                selectFormerLine(of: prompt)
                throw Refusal("nothing in the playlist contains \(prompt.text)")
            }
            try await player.jump(to: selectedIndex)
        case .save:
            if !prompt.text.isEmpty { save(typed: prompt.text) }
        case .input: if !prompt.text.isEmpty { Task { await add(typed: prompt.text) } }
        case .folder:
            guard !prompt.text.isEmpty else { return }
            Task { await send(.addFolder(prompt.text)) }
        }
    }

    /// Takes a key for the answer to a question: y is yes, any other one no.
    ///
    /// - Returns: Whether the intent was an answer.
    func answer(_ intent: PlayerIntent) -> Bool {
        guard let prompt, prompt.question != nil else { return false }
        switch intent {
        case .type, .erase, .accept, .moveSelection, .choose: self.prompt = nil
        default: return false
        }
        let isYes = intent == .type("y") || intent == .type("Y")
        switch prompt.purpose {
        case .removal(let folder):
            guard isYes, case .folder(let path) = folder.content else {
                notices.add(Notice(.information, "\(folder.title) stays in the library"))
                return true
            }
            // The library may be busy, and what comes after this command does not wait.
            Task { await send(.removeFolder(path)) }
        case .replacement(let path):
            if isYes {
                save(typed: path, replaces: true)
            } else {
                notices.add(Notice(.information, "\(path) stays as it is"))
            }
        case .search, .save, .input, .folder: break
        }
        return true
    }

    /// Whether a line can be opened that waits for a key: none is typed, and no help covers it.
    private var canType: Bool { prompt == nil && !showsHelp }

    /// Says why a line could not be used, and opens it again.
    private func retype(_ line: Prompt, because error: any Error) {
        notices.add(Notice(.warning, "\(error)"))
        if canType { prompt = line }
    }

    /// Adds what was named to the end of the playlist. A name that cannot be used is typed again.
    private func add(typed name: String) async {
        do {
            let added = try await requireMix().entries(named: name)
            try await insert(added, at: entries.count)
            let tracks = added.count == 1 ? added[0].title : "\(added.count) tracks"
            notices.add(Notice(.information, "added \(tracks) to the playlist"))
        } catch {
            retype(Prompt(purpose: .input, text: name), because: error)
        }
    }

    /// Writes the playlist to a file by a name that was typed. A file of that name is replaced after a question, and a name that cannot be used
    /// is typed again.
    private func save(typed name: String, replaces: Bool = false) {
        // The disk may be slow, and what comes after this command does not wait. It begins at once, so that an end waits for it.
        Task.immediate {
            do {
                try await save(as: name, replaces: replaces)
            } catch let file as PlaylistFileExists where canType {
                prompt = Prompt(purpose: .replacement(file.path), text: "")
            } catch {
                retype(Prompt(purpose: .save, text: name), because: error)
            }
        }
    }

    /// Writes the playlist to a file and says which one it is, and whose passwords are not in it.
    ///
    /// - Parameter replaces: Whether a file of that name is overwritten.
    func save(as path: String, replaces: Bool = false) async throws {
        let save = Task { [player, entries] in try await player.save(entries, as: path, replaces: replaces) }
        lastSave = save
        let hosts = PlaylistLocation.hostsWithPasswords(in: entries)
        let path = try await save.value
        let left = hosts.isEmpty ? "" : ", without the password of \(hosts.joined(separator: ", "))"
        notices.add(Notice(hosts.isEmpty ? .information : .warning, "saved as \(path)\(left)"))
    }

    /// Waits until the playlist that is being written has been. A program calls it before it ends, with a limit: the disk may hang.
    public func finishWriting() async { _ = await lastSave?.result }

    // MARK: Editing

    private func removeSelection() async throws {
        try requireSelection()
        guard entries.count > 1 else {
            throw Refusal("the last track stays", hints: [Notice.Hint(.quit, "quits")])
        }
        try await remove([selectedIndex])
    }

    private func moveEntry(by lines: Int) async throws {
        try requireSelection()
        let target = selectedIndex + lines
        guard entries.indices.contains(target) else { return }
        let index = selectedIndex
        try await shift([index: target])
        // Keys may have moved the selection meanwhile.
        moveSelection(by: lines, in: Array(entries.indices))
        edits.append(.moved([index: target]))
    }

    private func undo() async throws {
        guard let edit = edits.popLast() else { throw Refusal("there is nothing to undo") }
        do {
            try await revert(edit)
        } catch {
            // Nothing was changed, and what was removed is not lost. In a list that others have changed, its places mean nothing.
            if !isChangedElsewhere { edits.append(edit) }
            throw error
        }
    }
}

extension [Int] {
    /// The place of the first number that is not below another one, in ascending numbers; the end when all are below.
    fileprivate func firstIndex(notBelow number: Int) -> Int {
        var (start, end) = (0, count)
        while start < end {
            let middle = (start + end) / 2
            if self[middle] < number { start = middle + 1 } else { end = middle }
        }
        return start
    }
}

/// A change of the playlist by the person.
enum PlaylistEdit: Sendable, Equatable {
    /// Entries were removed from places, which ascend.
    case removed([PlaylistEntry], at: [Int])
    /// Entries were moved: their places afterwards by their places before.
    case moved([Int: Int])
    /// Entries were added from a place on.
    case inserted(count: Int, at: Int)
}
