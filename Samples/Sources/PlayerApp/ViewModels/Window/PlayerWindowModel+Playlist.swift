public import Foundation

/// The list of tracks in a window. A line is the place of a track among those that the filter shows.
extension PlayerWindowModel {
    /// One line.
    public struct Row: Sendable, Equatable {
        /// The title.
        public let title: String
        /// Artist and album, or why the track cannot be played.
        public let detail: String
        /// The length; empty while unknown.
        public let time: String
        /// Whether it is the present track.
        public let isCurrent: Bool
        /// Whether it cannot be played.
        public let hasFailed: Bool
        /// What a screen reader says.
        public let description: String
    }

    /// What the lines stand for. While their ``rowKeysVersion`` is the same, so are the keys.
    public var rowKeys: RowKeys {
        let version = rowKeysVersion
        if lastKeys.version == version { return lastKeys }
        let urls = lastKeys.listVersion == state.listVersion ? lastKeys.urls : state.entries.map(\.url)
        lastKeys = RowKeys(version: version, listVersion: state.listVersion, urls: urls, places: state.shownIndices)
        return lastKeys
    }

    /// The version of ``rowKeys``, which need not be made for it.
    public var rowKeysVersion: Int {
        // A change is counted when the places are found.
        _ = state.shownIndices
        return state.matchesVersion
    }

    /// Returns a line; `nil` when there is no such line.
    ///
    /// - Parameter index: The line, from 0.
    public func row(at index: Int) -> Row? {
        guard let place = place(of: index) else { return nil }
        let entry = state.entries[place]
        let names = [entry.artist, entry.album].compactMap { $0 }.filter { !$0.isEmpty }.joined(separator: " – ")
        let isCurrent = place == state.currentIndex
        let time = entry.duration.map(ClockText.text) ?? ""
        let spoken = [
            entry.title, entry.failure ?? names, time, isCurrent ? (showsPause ? "playing" : "present track") : "",
        ]
        return Row(
            title: entry.title, detail: entry.failure ?? names, time: time, isCurrent: isCurrent,
            hasFailed: entry.failure != nil,
            description: spoken.filter { !$0.isEmpty }.joined(separator: ", "))
    }

    /// The line of the present track; `nil` when there is none, and while the filter hides it.
    public var currentLine: Int? { state.currentIndex.flatMap { state.shownIndices.firstIndex(of: $0) } }

    /// Shows the page of the playlist, and ends a filter that hides the present track.
    public func showCurrent() {
        show(.playlist)
        if state.currentIndex != nil, currentLine == nil { filter("") }
    }

    /// The number of tracks and their length: "12 tracks, 48:10"; "at least" that while some lengths are unknown. While the list is filtered,
    /// the number of those that are shown: "12 of 3,400 tracks".
    public var listSummary: String {
        let (count, known) = (state.entries.count, state.knownLength)
        let tracks = count == 1 ? "1 track" : "\(CountText.text(count)) tracks"
        guard filterText.isEmpty else { return "\(CountText.text(state.shownIndices.count)) of \(tracks)" }
        let total = ClockText.text(known.seconds)
        return known.count == 0 ? tracks : "\(tracks), \(known.count < count ? "at least " : "")\(total)"
    }

    /// The words that the list is filtered by.
    public var filterText: String { state.prompt?.filter ?? "" }

    /// The text in place of the lines when the filter leaves none; `nil` when there are lines.
    public var filterMessage: String? {
        filterText.isEmpty || !state.shownIndices.isEmpty ? nil : "Nothing contains “\(filterText)”"
    }

    /// Filters the list.
    ///
    /// - Parameter words: The lines that contain all of these words stay; without words, all of them.
    public func filter(_ words: String) {
        guard words != filterText else { return }
        selection = []
        send(.filter(words))
    }

    /// Filters the list, and plays the first track that is left.
    ///
    /// - Parameter words: The lines that contain all of these words stay; without words nothing happens.
    public func playFirst(with words: String) {
        filter(words)
        if !words.isEmpty { send(.filter(words, playsFirst: true)) }
    }

    /// Whether a change of the list can be taken back.
    public var canUndo: Bool { !state.edits.isEmpty }

    /// Notes which lines are selected.
    ///
    /// - Parameter lines: The lines, from 0.
    public func select(_ lines: Set<Int>) {
        noteSelectionKeys()
        isSelectionAhead = false
        if lines != selection { selection = lines }
    }

    /// Moves the selection with its tracks when others have come or gone since the last call. Views call it before they show the
    /// selection.
    public func followSelection() {
        let before = selectionKeys
        let hasChanged = noteSelectionKeys()
        if let places = state.returnedPlaces {
            state.returnedPlaces = nil
            isSelectionAhead = false
            let shown = state.shownIndices
            selection = Set(shown.indices.filter { places.contains(shown[$0]) })
            return
        }
        // Where as many have come as gone, tracks were moved, and the selection is where they were moved to. A player may tell moves late and
        // out of turn, so a selection never follows them.
        guard hasChanged, !selection.isEmpty, let change = ListChange(from: before, to: selectionKeys),
            change.added != change.removed, let places = MovedPlaces(from: before, to: selectionKeys)
        else { return }
        selection = Set(selection.compactMap { places.place(of: $0) })
    }

    /// Brings the selection up to date with a command that was carried out.
    func noteDone() {
        // Each change by itself: a move among other changes would not be recognised.
        if isSelectionAhead || state.returnedPlaces != nil { followSelection() }
    }

    /// A command that has waited, with the places that its tracks have now, without those that are gone.
    func renewed(_ intent: PlayerIntent) -> PlayerIntent {
        switch intent {
        case .insert(let urls, let target?, let plays, let keys?):
            let change = change(since: keys)
            return .insert(urls, at: change?.target(of: target) ?? target, plays: plays, of: renewed(keys))
        case .remove(let places, let keys?):
            return .remove(self.places(places, after: change(since: keys)), of: renewed(keys))
        case .move(let places, let target, let keys?):
            // They come before the next track that is not moved with them.
            let (moved, end) = (Set(places), max(target, keys.urls.count))
            let next = (target..<end).first { !moved.contains($0) } ?? end
            let change = change(since: keys)
            return .move(
                self.places(places, after: change), to: change?.target(of: next) ?? next, of: renewed(keys))
        default: return intent
        }
    }

    /// The places of tracks after a change, without those that are gone.
    func places(_ places: [Int], after change: MovedPlaces?) -> [Int] {
        guard let change else { return places }
        return places.compactMap { change.place(of: $0) }
    }

    /// The keys of the present list for a command that had others.
    private func renewed(_ keys: RowKeys) -> RowKeys {
        var now = rowKeys
        now.areAheadOfMoves = keys.areAheadOfMoves
        return now
    }

    /// Where the tracks of the whole playlist lie that lay elsewhere when there were some keys; `nil` when they lie where a command with
    /// these keys names them.
    func change(since keys: RowKeys) -> MovedPlaces? {
        guard keys.listVersion != state.listVersion, let change = ListChange(from: keys.urls, to: rowKeys.urls),
            !(keys.areAheadOfMoves && change.added == change.removed)
        else { return nil }
        return MovedPlaces(from: keys.urls, to: rowKeys.urls)
    }

    /// The keys for a command that names the selected tracks.
    var selectedKeys: RowKeys {
        var keys = rowKeys
        keys.areAheadOfMoves = isSelectionAhead
        return keys
    }

    /// Notes what the lines stand for.
    ///
    /// - Returns: Whether that has changed.
    @discardableResult
    private func noteSelectionKeys() -> Bool {
        guard rowKeysVersion != selectionKeys.version else { return false }
        selectionKeys = rowKeys
        return true
    }

    /// Plays the track of a line.
    ///
    /// - Parameter line: The line, from 0.
    public func play(line: Int) { if let place = place(of: line) { send(.play(place)) } }

    /// Removes the selected tracks; ``PlayerIntent/undo`` brings them back. The next track is selected.
    public func removeSelection() {
        let places = selectedPlaces
        guard !places.isEmpty else { return }
        // The selection goes with its track when the others are gone.
        selection = lineBesideSelection.map { [$0] } ?? []
        send(.remove(places, of: selectedKeys))
    }

    /// The first line behind the first selected one that is not selected, or else the one before; `nil` when all are selected.
    private var lineBesideSelection: Int? {
        guard let first = selection.min() else { return nil }
        return (first..<max(first, rowKeys.count)).first { !selection.contains($0) } ?? (first > 0 ? first - 1 : nil)
    }

    /// Moves the selected tracks up or down by one line. Tracks that do not lie together are brought together.
    ///
    /// - Parameter down: Whether down.
    public func moveSelection(down: Bool) {
        followSelection()
        guard let first = selection.min(), let last = selection.max() else { return }
        guard filterText.isEmpty else {
            return state.notices.add(Notice(.information, "tracks can be moved when the filter is empty"))
        }
        if moveSelection(before: down ? last + 2 : first - 1) { movedLine = down ? selection.max() : selection.min() }
    }

    /// Returns the line to which keys have moved tracks since the last call. A view brings it into sight.
    ///
    /// - Returns: `nil` when keys have moved none.
    public func takeMovedLine() -> Int? {
        defer { movedLine = nil }
        return movedLine
    }

    /// Moves the selected tracks to the end.
    ///
    /// - Returns: Whether they are moved; not while the list is filtered.
    public func moveSelectionToEnd() -> Bool { moveSelection(before: state.entries.count) }

    /// Moves the selected tracks.
    ///
    /// - Parameter line: The line that they come to lie before; the number of lines for the end.
    /// - Returns: Whether they are moved; not while the list is filtered.
    @discardableResult
    public func moveSelection(before line: Int) -> Bool {
        let places = selectedPlaces
        // Between the tracks that a filter shows there may be others.
        guard filterText.isEmpty, !places.isEmpty, (0...state.entries.count).contains(line) else { return false }
        let start = line - places.count(where: { $0 < line })
        let keys = selectedKeys
        selection = Set(start..<start + places.count)
        isSelectionAhead = true
        send(.move(places, to: line, of: keys))
        return true
    }

    /// Adds files, folders, playlists and addresses; books are opened in the reader.
    ///
    /// - Parameters:
    ///   - urls: What was dropped.
    ///   - line: The line that they come to lie before; `nil` for the end.
    public func drop(_ urls: [URL], before line: Int?) {
        let music = openBooks(among: urls)
        guard !music.isEmpty else { return }
        // Behind the last line of a filtered list there may be other tracks.
        let target = line.flatMap { line in place(of: line) ?? place(of: line - 1).map { $0 + 1 } }
        let plays = state.entries.isEmpty && music.count == urls.count
        send(.insert(music, at: target, plays: plays, of: rowKeys))
    }

    /// The places of the selected tracks in the playlist, which ascend.
    var selectedPlaces: [Int] {
        followSelection()
        return selection.sorted().compactMap { place(of: $0) }
    }

    /// The place of a line's track in the playlist.
    func place(of line: Int) -> Int? {
        let shown = state.shownIndices
        return shown.indices.contains(line) ? shown[line] : nil
    }
}
