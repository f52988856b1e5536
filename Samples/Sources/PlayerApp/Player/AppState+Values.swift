internal import DescantCore
internal import Foundation

/// Commands that carry the value they set, as pointers, dialogs and dropped files give them.
extension AppState {
    /// The place of the chapter that is heard; `nil` before the first one begins and without chapters.
    public var currentChapter: Int? { chapters.lastIndex { $0.start <= position + 0.05 } }

    /// The name of the chapter that is heard, or its number for one without a name; `nil` without chapters.
    public var chapterTitle: String? {
        guard let index = currentChapter else { return nil }
        let title = chapters[index].title
        return title.isEmpty ? "chapter \(index + 1) of \(chapters.count)" : title
    }

    /// The shares of the track at which chapters begin, 0…1.
    public var chapterMarks: [Double] {
        guard let duration, duration > 0 else { return [] }
        return chapters.map { $0.start / duration }
    }

    /// Moves to the next chapter, or back: to the beginning of the present one, or within its first 3 s to the one before.
    func moveToChapter(_ isForward: Bool) async throws {
        guard !chapters.isEmpty else { throw Refusal("this track has no chapters") }
        let present = currentChapter
        if isForward {
            let next = present.map { $0 + 1 } ?? 0
            guard next < chapters.count else { throw Refusal("this is the last chapter") }
            return try await player.seek(to: chapters[next].start)
        }
        guard let present else { return try await player.seek(to: 0) }
        let isAtBeginning = position - chapters[present].start < 3
        try await player.seek(
            to: isAtBeginning ? present > 0 ? chapters[present - 1].start : 0 : chapters[present].start)
    }

    /// The player's mixer; `nil` for a player without one.
    var mix: (any MixControlling)? { player as? any MixControlling }

    /// Applies the player's updates until they end.
    public func followPlayer() async { await follow() }

    /// Carries out a command; an error becomes a notice.
    ///
    /// - Parameter intent: The command.
    public func carryOut(_ intent: PlayerIntent) async { await send(intent) }

    func performWithValue(_ intent: PlayerIntent) async throws {
        switch intent {
        case .pause: if let mix { try await mix.pause() } else { try await pause() }
        case .play(let index):
            guard entries.indices.contains(index) else { return }
            selectedIndex = index
            try await player.jump(to: index)
        case .seekTo(let seconds): try await player.seek(to: max(0, min(seconds, duration ?? seconds)))
        case .setVolume(let value):
            volume = min(1, max(0, value))
            isMuted = false
            await player.setVolume(volume)
        case .filter(let text, let playsFirst):
            prompt = text.isEmpty ? nil : Prompt(purpose: .search, text: text)
            if playsFirst, let first = shownIndices.first { try await performWithValue(.play(first)) }
        case .setRate(let rate):
            try await player.setRate(rate)
            modes.rate = rate
        case .setLoudness(let setting):
            modes.loudness = setting
            await player.setLoudness(setting)
        case .save(let path, let replaces): try await save(as: path, replaces: replaces)
        case .insert(let urls, let index, let plays, _): try await insert(urls, at: index, plays: plays)
        case .remove(let indices, _): try await remove(indices)
        case .move(let indices, let target, _): try await move(indices, to: target)
        default: try await performOnMix(intent)
        }
    }

    // MARK: The mixer

    private func performOnMix(_ intent: PlayerIntent) async throws {
        switch intent {
        case .setCrossfade(let seconds):
            try await requireMix().setCrossfade(seconds, curve: crossfadeCurve)
            modes.crossfade = seconds
        case .setCrossfadeCurve(let curve):
            try await requireMix().setCrossfade(modes.crossfade, curve: curve)
            crossfadeCurve = curve
        case .startOverlay(let url): try await requireMix().startOverlay(url, volume: overlayVolume)
        case .setOverlayVolume(let volume):
            overlayVolume = min(1, max(0, volume))
            try await requireMix().setOverlayVolume(overlayVolume)
        case .stopOverlay: try await requireMix().stopOverlay()
        case .setEqualizer(let settings):
            try await requireMix().setEqualizer(settings)
            modes.equalizer = settings
        case .changeEqualizer: try await performOnMix(.setEqualizer(modes.equalizer.next(own: ownEqualizer)))
        default: break
        }
    }

    func requireMix() throws -> any MixControlling {
        guard let mix else { throw Refusal("this player plays one file after the other, without a mixer") }
        return mix
    }

    // MARK: The playlist

    /// Adds what a person has chosen; the first of it is played if it is to be heard.
    private func insert(_ urls: [URL], at index: Int?, plays: Bool) async throws {
        let added = try await mix?.entries(for: urls) ?? urls.map { PlaylistEntry(url: $0) }
        guard !added.isEmpty else { return }
        let place = min(max(0, index ?? .max), entries.count)
        try await insert(added, at: place)
        if plays { playAdded(at: place) }
    }

    /// Adds tracks, which can be undone. The selected track stays selected.
    func insert(_ added: [PlaylistEntry], at place: Int) async throws {
        let isBeforeSelection = !entries.isEmpty && place <= selectedIndex
        try await put(added, at: place)
        edits.append(.inserted(count: added.count, at: place))
        if isBeforeSelection { selectedIndex += added.count }
    }

    /// Removes tracks, which can be undone.
    func remove(at places: Set<Int>) async throws -> [PlaylistEntry] {
        guard !places.isEmpty else { return [] }
        let removed = try await take(at: places)
        edits.append(.removed(removed, at: places.sorted()))
        return removed
    }

    /// Removes tracks and says so.
    func remove(_ indices: [Int]) async throws {
        let removed = try await remove(at: Set(indices).filter(entries.indices.contains))
        guard let first = removed.first else { return }
        let (name, effect) =
            removed.count == 1 ? (first.title, "brings it back") : ("\(removed.count) tracks", "brings them back")
        notices.add(Notice(.information, "removed \(name)", hints: [Notice.Hint(.undo, effect)]))
    }

    /// Moves tracks so that they lie together, in their order, before the track that is now at the target.
    private func move(_ indices: [Int], to target: Int) async throws {
        let places = Set(indices).filter(entries.indices.contains).sorted()
        let target = min(max(0, target), entries.count)
        // Those before the target leave gaps behind.
        let start = target - places.count { $0 < target }
        guard places != Array(start..<start + places.count) else { return }
        let targets = Dictionary(uniqueKeysWithValues: zip(places, start...))
        try await shift(targets)
        edits.append(.moved(targets))
        selectedIndex = start
    }

    /// Takes back a change of the playlist.
    ///
    /// - Parameter edit: The change.
    func revert(_ edit: PlaylistEdit) async throws {
        switch edit {
        case .removed(let removed, let places):
            try await putBack(removed, at: places)
            selectedIndex = min(places[0], max(0, entries.count - 1))
        case .moved(let targets):
            try await shift(Dictionary(uniqueKeysWithValues: targets.map { ($1, $0) }))
            selectedIndex = targets.keys.min() ?? selectedIndex
            returnedPlaces = Set(targets.keys)
        case .inserted(let count, let index):
            let line = selectedIndex
            _ = try await take(at: Set(index..<index + count))
            if line >= index + count { selectedIndex = line - count }
        }
    }

    /// Brings removed tracks back to their places, in two changes of the playlist at most.
    private func putBack(_ removed: [PlaylistEntry], at places: [Int]) async throws {
        guard let first = places.first, let last = places.last else { return }
        // Other programs may have shortened the list since.
        let end = entries.count
        guard last - first >= places.count else { return try await put(removed, at: min(first, end)) }
        try await put(removed, at: end)
        let targets = places.enumerated().map { (end + $0, min($1, end + $0)) }
        do {
            try await shift(Dictionary(uniqueKeysWithValues: targets))
        } catch {
            // Some may be gone, or another program has changed the list in this moment.
            notices.add(Notice(.information, "the tracks are back at the end of the playlist"))
        }
    }

    // MARK: Changes that the player tells later

    /// Whether a change that was carried out has to be shown here, because no list of the player has shown it. Its places are not those of a list
    /// that another program has changed meanwhile, which the player is about to tell.
    ///
    /// - Parameter edit: The number of the change.
    private func mustShow(_ edit: Int) -> Bool {
        guard edit > shownEdit, !isChangedElsewhere else { return false }
        shownEdit = edit
        return true
    }

    /// Adds tracks. The next command may come before the player tells its list.
    private func put(_ added: [PlaylistEntry], at place: Int) async throws {
        isChangedElsewhere = false
        let edit = try await player.insert(added, at: place)
        guard place <= entries.count, mustShow(edit) else { return }
        var list = entries
        list.insert(contentsOf: added, at: place)
        show(list, current: currentIndex.map { $0 < place ? $0 : $0 + added.count })
    }

    /// Moves tracks. The next command may come before the player tells its list.
    ///
    /// - Parameter targets: The tracks' places afterwards by their places before.
    func shift(_ targets: [Int: Int]) async throws {
        isChangedElsewhere = false
        let edit = try await player.move(targets)
        guard targets.allSatisfy({ entries.indices.contains(max($0, $1)) }), mustShow(edit) else { return }
        var order = [Int?](repeating: nil, count: entries.count)
        for (place, target) in targets { order[target] = place }
        // The others keep their order in the places between.
        var others = entries.indices.filter { targets[$0] == nil }.makeIterator()
        let places = order.compactMap { $0 ?? others.next() }
        show(places.map { entries[$0] }, current: currentIndex.flatMap { places.firstIndex(of: $0) })
    }

    /// Removes tracks. The next command may come before the player tells its list.
    private func take(at places: Set<Int>) async throws -> [PlaylistEntry] {
        isChangedElsewhere = false
        let (removed, edit) = try await player.remove(at: places)
        if mustShow(edit) {
            show(
                entries.indices.filter { !places.contains($0) }.map { entries[$0] },
                current: currentIndex.map { current in current - places.count { $0 < current } })
        }
        return removed
    }
}
