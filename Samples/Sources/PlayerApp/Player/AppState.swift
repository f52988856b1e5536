public import DescantCore
public import Foundation
public import Observation

/// The state of the player app, which views render.
@MainActor
@Observable
public final class AppState: InteractiveState {
    /// The playlist.
    public private(set) var entries: [PlaylistEntry]
    /// How many lengths of tracks are known, and how long these tracks are together, in seconds.
    private(set) var knownLength = KnownLength()
    /// The present track's place in the playlist; `nil` before the first one sounds.
    public internal(set) var currentIndex: Int?
    /// The line that keys act on.
    public internal(set) var selectedIndex = 0
    /// What is typed; `nil` while keys are commands.
    public internal(set) var prompt: Prompt? {
        didSet {
            guard prompt?.filter != oldValue?.filter else { return }
            filterWords = (prompt?.filter ?? "").split(separator: " ").map(SearchText.Word.init)
            matches = nil
        }
    }
    /// The player's activity.
    public private(set) var activity = PlayerActivity.idle
    /// Seconds heard of the present track.
    public private(set) var position: TimeInterval = 0
    /// Length of the present track in seconds; `nil` while unknown.
    public private(set) var duration: TimeInterval?
    /// The volume, 0…1, also while the sound is muted.
    public internal(set) var volume: Double
    /// Whether the sound is muted.
    public internal(set) var isMuted = false
    /// How the playlist is played.
    public internal(set) var modes: PlaybackModes
    /// The curve of crossfades.
    public internal(set) var crossfadeCurve = FadeCurve.equalPower
    /// The volume of the overlay, 0…1, also of the one that starts next.
    public internal(set) var overlayVolume = 1.0
    /// The number of the last change that ``entries`` contain.
    @ObservationIgnored var shownEdit = 0
    /// Whether another program has changed the list last.
    @ObservationIgnored var isChangedElsewhere = false
    /// Seconds until the sleep timer ends playback; `nil` without a timer and while unknown.
    public private(set) var sleepRemaining: TimeInterval?
    /// What the present track, a station, plays now; `nil` for another track, and while it is unknown.
    public private(set) var song: String?
    /// The chapters of the present track, in order.
    public private(set) var chapters: [Chapter] = []
    /// The words of the present track.
    public private(set) var lyrics: Lyrics?
    /// The cover of the present track.
    public private(set) var cover: CoverArt?
    /// Whether the words are shown in the place of the playlist.
    public internal(set) var showsLyrics = false
    /// Whether the cover is shown, where there is room.
    public private(set) var showsCover: Bool
    /// Whether the library is shown in the place of the playlist.
    public internal(set) var showsLibrary = false
    /// The library; `nil` when there is none.
    public let library: LibraryState?
    /// Where sound goes.
    public private(set) var output = OutputStatus()
    /// What has paused the player, such as a call; `nil` when nothing has, or a person.
    public private(set) var pauseReason: String?
    /// The levels of the mix; `nil` before sound comes out.
    public private(set) var levels: ChannelLevels?
    /// Whether the spectrum is shown in the place of the levels.
    public private(set) var showsSpectrum = false
    /// The level of each band of the spectrum in dB, from the lowest up; empty without sound.
    public private(set) var spectrum: [Float] = []
    /// The running crossfade.
    public private(set) var crossfade: CrossfadeStatus?
    /// The overlay; `nil` when there is none.
    public private(set) var overlay: OverlayStatus?
    /// The messages.
    public package(set) var notices = NoticeLog()
    /// Whether the keys are shown.
    public private(set) var showsHelp = false
    /// Why playback has ended and the app waits for a command; `nil` while it has not.
    public private(set) var ending: PlaybackEnding?
    /// Whether the app is to end.
    public package(set) var isDone = false
    /// Where sound goes and how tracks follow, for the heading: "gstreamer · PulseAudio".
    public let heading: String

    let player: any PlayerControlling
    /// The changes of the playlist that can be undone, the newest last.
    var edits: [PlaylistEdit] = []
    /// The places to which an undo has moved tracks back, until a view has selected them.
    @ObservationIgnored var returnedPlaces: Set<Int>?
    /// The words of the filter; empty for the whole playlist.
    @ObservationIgnored private(set) var filterWords: [SearchText.Word] = []
    /// The texts of ``entries``; `nil` until a filter is typed, and when the playlist's files have changed since.
    @ObservationIgnored var searchIndex: SearchIndex?
    /// The places of the entries that match the filter; `nil` when they are not computed.
    @ObservationIgnored var matches: [Int]? {
        didSet { matchesVersion += 1 }
    }
    /// Counts the changes of ``shownIndices``, and of the files at these places.
    @ObservationIgnored private(set) var matchesVersion = 0
    /// Counts the changes of the playlist's files.
    @ObservationIgnored private(set) var listVersion = 0
    /// How many entries were compared with a filter.
    @ObservationIgnored var comparisons = 0
    /// Writes the playlist to a file.
    @ObservationIgnored var lastSave: Task<String, any Error>?
    private let staysOpen: Bool
    /// The equaliser that the person has brought, to which the key returns.
    let ownEqualizer: EqualizerSettings
    /// Seconds of the present track that were heard; `nil` when it was counted as played since it began.
    @ObservationIgnored var heard: TimeInterval? = 0

    /// Creates the state.
    ///
    /// - Parameters:
    ///   - player: The player.
    ///   - entries: The playlist.
    ///   - volume: The volume at the start, 0…1.
    ///   - modes: How the playlist is played at the start.
    ///   - heading: Where sound goes, for the heading.
    ///   - staysOpen: Whether the app waits for a command when everything was played.
    ///   - showsCover: Whether the cover is shown, where there is room.
    ///   - notices: The first messages, as warnings.
    ///   - library: The media library, which is asked when it is shown first and when a track was played; `nil` for none.
    public init(
        player: any PlayerControlling, entries: [PlaylistEntry], volume: Double = 1,
        modes: PlaybackModes = PlaybackModes(), heading: String = "", staysOpen: Bool = false,
        showsCover: Bool = true, notices: [String] = [], library: (any LibraryBrowsing)? = nil
    ) {
        self.notices = NoticeLog(notices.map { Notice(.warning, $0) })
        self.library = library.map(LibraryState.init)
        self.showsCover = showsCover
        self.player = player
        self.entries = entries
        knownLength = KnownLength(of: entries)
        self.volume = volume
        self.modes = modes
        ownEqualizer = modes.equalizer
        self.heading = heading
        self.staysOpen = staysOpen
    }

    /// The present track.
    public var current: PlaylistEntry? {
        guard let currentIndex, entries.indices.contains(currentIndex) else { return nil }
        return entries[currentIndex]
    }

    /// Whether playback has ended and the app waits for a command.
    public var hasEnded: Bool { ending != nil }

    package var updates: AsyncStream<PlayerUpdate> { player.updates }

    package func perform(_ intent: PlayerIntent) async throws {
        if answer(intent) { return }
        if try await performOnLibrary(intent) { return }
        switch intent {
        case .togglePause: try await player.togglePause()
        case .stop: await player.halt()
        case .seek(let seconds): try await player.seek(by: seconds)
        case .seekToShare(let share):
            guard let duration else { throw Refusal("the length of this track is not known") }
            try await player.seek(to: share * duration)
        case .nextChapter, .previousChapter: try await moveToChapter(intent == .nextChapter)
        case .next: try await player.next()
        case .previous: try await player.previous()
        case .changeVolume(let difference):
            volume = Self.volumeStep(volume, by: difference)
            isMuted = false
            await player.setVolume(volume)
        case .toggleMute:
            isMuted.toggle()
            await player.setVolume(isMuted ? 0 : volume)
        case .changeRepeat:
            modes.repeats = modes.repeats.next
            await player.setRepeat(modes.repeats)
        case .toggleShuffle:
            modes.isShuffled.toggle()
            await player.setShuffle(modes.isShuffled)
        case .changeRate(let difference):
            try await setRate(Self.step(modes.rate, by: difference, within: PlaybackModes.rates))
        case .resetRate: try await setRate(1)
        case .changeCrossfade:
            try await player.setCrossfade(modes.nextCrossfade)
            modes.crossfade = modes.nextCrossfade
        case .changeLoudness:
            modes.loudness = modes.loudness.next
            await player.setLoudness(modes.loudness)
        case .sleep(let setting): try await setSleep(setting)
        case .changeSleep: try await setSleep(modes.sleep.next)
        case .toggleLyrics:
            // They take the place of the library, too.
            showsLyrics = showsLibrary || !showsLyrics
            showsLibrary = false
        case .toggleLibrary: try toggleLibrary()
        case .toggleCover: showsCover.toggle()
        case .toggleSpectrum:
            try await player.showSpectrum(!showsSpectrum)
            showsSpectrum.toggle()
            spectrum = []
        case .toggleOverlay: try await player.toggleOverlay()
        case .toggleHelp: showsHelp.toggle()
        case .dismiss:
            if !showsHelp, prompt == nil { showsLyrics = false }
            showsHelp = false
            selectFormerLine(of: prompt)
            prompt = nil
        case .quit: isDone = true
        default: try await performOnList(intent)
        }
    }

    private func setSleep(_ setting: SleepSetting) async throws {
        try await player.setSleep(setting)
        modes.sleep = setting
        sleepRemaining = nil
    }

    private func setRate(_ rate: Double) async throws {
        try await player.setRate(rate)
        modes.rate = rate
    }

    package func apply(_ update: PlayerUpdate) {
        switch update {
        case .activity(let activity):
            self.activity = activity
            if activity == .playing { notices.retract(.silence) }
            if activity == .playing || activity == .preparing { ending = nil } else { spectrum = [] }
        case .track(let index): begin(index)
        case .playlist(let entries, let current, let edit):
            // An older list than the one that is shown comes late.
            guard edit >= shownEdit else { return }
            shownEdit = edit
            // When another program has changed the list, the line that keys act on is that of the same track.
            if isChangedElsewhere, let moved = MovedPlaces(from: self.entries.map(\.url), to: entries.map(\.url)) {
                selectedIndex = moved.target(of: selectedIndex)
                if let line = prompt?.formerLine { prompt?.formerLine = moved.target(of: line) }
            }
            show(entries, current: current)
        // The places of earlier changes are those of another list now.
        case .playlistChangesElsewhere: (edits, isChangedElsewhere) = ([], true)
        case .song(let song): self.song = song
        case .details(let index, let entry): describe(index, entry)
        case .manyDetails(let entries): for (index, entry) in entries { describe(index, entry) }
        case .position(let position, let duration):
            self.duration = duration ?? self.duration
            countPlay(from: self.position, to: position)
            self.position = position
        case .levels(let levels): self.levels = levels
        case .spectrum(let levels): spectrum = showsSpectrum ? levels : []
        case .crossfade(let progress): crossfade = progress
        case .crossfadeRemaining(let seconds): crossfade?.remaining = seconds
        case .overlay(let status):
            overlay = status
            overlayVolume = status?.volume ?? overlayVolume
        case .volume(let volume):
            self.volume = volume
            isMuted = false
        case .modes(let modes):
            self.modes = modes
            if modes.sleep == .off { sleepRemaining = nil }
        case .sleepRemaining(let seconds): sleepRemaining = modes.sleep == .off ? nil : seconds
        case .chapters(let chapters): self.chapters = chapters
        case .lyrics(let lyrics): self.lyrics = lyrics
        case .cover(let cover): self.cover = cover
        case .output(let status): output = status
        case .pauseReason(let reason): pauseReason = reason
        case .notice(let notice): notices.add(notice)
        case .noticeOver(let topic): notices.retract(topic)
        case .ended(let ending):
            self.ending = ending
            if !staysOpen { isDone = true }
        case .finished: isDone = true
        }
    }

    private func describe(_ index: Int, _ entry: PlaylistEntry) {
        // The list may have changed since the place was found.
        guard entries.indices.contains(index), entries[index].url == entry.url else { return }
        knownLength.replace(entries[index], by: entry)
        entries[index] = entry
        updateMatch(at: index)
        if index == currentIndex { duration = entry.duration ?? duration }
    }

    /// Takes over a list of the player, also before the player tells it.
    func show(_ entries: [PlaylistEntry], current: Int?) {
        self.entries = entries
        knownLength = KnownLength(of: entries)
        listVersion += 1
        searchIndex = nil
        matches = nil
        currentIndex = current
        selectedIndex = min(selectedIndex, max(0, entries.count - 1))
    }

    /// A track became the present one. The selection goes with it, unless the person has moved it elsewhere.
    private func begin(_ index: Int) {
        if prompt == nil, selectedIndex == currentIndex ?? 0 { selectedIndex = index }
        if prompt?.formerLine == currentIndex ?? 0 { prompt?.formerLine = index }
        currentIndex = index
        position = 0
        chapters = []
        song = nil
        heard = 0
        duration = current?.duration
        ending = nil
    }
}

/// The length of the tracks whose length is known. It is kept up to date with each entry, so that a view need not add up a hundred thousand
/// of them after each batch of tags.
struct KnownLength: Equatable {
    /// How many tracks.
    private(set) var count = 0
    /// Their length together, in seconds.
    private(set) var seconds: TimeInterval = 0

    init(of entries: [PlaylistEntry] = []) { for entry in entries { add(entry, 1) } }

    /// Counts an entry as it is now instead of as it was.
    mutating func replace(_ entry: PlaylistEntry, by changed: PlaylistEntry) {
        guard entry.duration != changed.duration else { return }
        add(entry, -1)
        add(changed, 1)
    }

    private mutating func add(_ entry: PlaylistEntry, _ sign: Int) {
        // What a damaged playlist announces must not swallow the lengths of the others.
        guard let duration = entry.duration, duration.isFinite else { return }
        count += sign
        seconds += Double(sign) * min(max(0, duration), 1e9)
    }
}

/// Why the app does not carry out an intent.
struct Refusal: Error, CustomStringConvertible {
    let description: String
    /// Commands that have to do with the reason.
    let hints: [Notice.Hint]

    init(_ description: String, hints: [Notice.Hint] = []) {
        self.description = description
        self.hints = hints
    }
}
