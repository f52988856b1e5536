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
        case .insert(let urls, let index, let plays): try await insert(urls, at: index, plays: plays)
        case .remove(let indices): try await remove(indices)
        case .move(let indices, let target): try await move(indices, to: target)
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

    private func requireMix() throws -> any MixControlling {
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
        if plays { try await player.jump(to: place) }
    }

    /// Adds tracks, which can be undone. The selected track stays selected.
    func insert(_ added: [PlaylistEntry], at place: Int) async throws {
        let isBeforeSelection = !entries.isEmpty && place <= selectedIndex
        try await player.insert(added, at: place)
        edits.append(.inserted(count: added.count, at: place))
        if isBeforeSelection { selectedIndex += added.count }
    }

    private func remove(_ indices: [Int]) async throws {
        let places = Set(indices).filter(entries.indices.contains).sorted()
        guard !places.isEmpty else { return }
        var removed: [PlaylistEntry] = []
        // From the end, so that the places before stay what they are. The edits are undone from the last one: the lowest place comes first.
        for place in places.reversed() { removed.append(try await player.remove(at: place)) }
        edits.append(.group(zip(removed, places.reversed()).map { .removed($0, at: $1) }))
        let what = places.count == 1 ? removed[0].title : "\(places.count) tracks"
        notices.add(Notice(.information, "removed \(what)"))
    }

    /// Moves tracks so that they lie together, in their order, before the track that is now at the target.
    private func move(_ indices: [Int], to target: Int) async throws {
        let places = Set(indices).filter(entries.indices.contains).sorted()
        let target = min(max(0, target), entries.count)
        var moves: [PlaylistEdit] = []
        // Tracks before the target leave gaps behind: the last of them is moved first.
        let before = places.filter { $0 < target }
        for (number, place) in before.reversed().enumerated() where place != target - 1 - number {
            try await player.move(from: place, to: target - 1 - number)
            moves.append(.moved(from: place, to: target - 1 - number))
        }
        for (number, place) in places.filter({ $0 >= target }).enumerated() where place != target + number {
            try await player.move(from: place, to: target + number)
            moves.append(.moved(from: place, to: target + number))
        }
        guard !moves.isEmpty else { return }
        edits.append(.group(moves))
        selectedIndex = target - before.count
    }

    /// Takes back a change of the playlist; the newest changes of a group first.
    ///
    /// - Parameter edit: The change.
    func revert(_ edit: PlaylistEdit) async throws {
        switch edit {
        case .removed(let entry, let index):
            try await player.insert([entry], at: index)
            selectedIndex = index
        case .moved(let from, let to):
            try await player.move(from: to, to: from)
            selectedIndex = from
        case .inserted(let count, let index):
            let line = selectedIndex
            for place in (index..<index + count).reversed() { try await player.remove(at: place) }
            if line >= index + count { selectedIndex = line - count }
        case .group(let edits): for edit in edits.reversed() { try await revert(edit) }
        }
    }
}
