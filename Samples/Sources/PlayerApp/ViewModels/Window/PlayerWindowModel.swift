internal import DescantCore
public import Foundation
public import Observation

/// What a player's window shows, and its commands. Commands return at once; what they change is shown when it has changed.
@MainActor
@Observable
public final class PlayerWindowModel {
    /// The state that is shown.
    public let state: AppState
    /// What the person has chosen.
    public internal(set) var preferences: ViewPreferences
    /// The selected lines of the list, from 0.
    public internal(set) var selection: Set<Int> = []
    /// Whether the desktop prefers dark windows.
    public var systemIsDark = false
    /// The page that is shown.
    public internal(set) var page = Page.playlist
    /// The page that reads books aloud; `nil` for a window without one.
    public private(set) var reader: ReaderPanelModel?
    /// The position that the seek bar was moved to, until the player is there.
    private(set) var wantedPosition: TimeInterval?
    /// The overlap of tracks that was chosen, until the player has it.
    var wantedCrossfade: TimeInterval?
    /// The speed that was chosen, until the player has it.
    var wantedRate: Double?

    @ObservationIgnored private(set) lazy var intents = IntentQueue<PlayerIntent>(
        renew: { [weak self] in self?.renewed($0) ?? $0 },
        perform: { [weak self, state] in
            await state.send($0, dismisses: false)
            self?.noteDone()
        })
    @ObservationIgnored private let storage: (any PlayerStorage)?
    /// What the lines stood for when the selection was made or moved last.
    @ObservationIgnored var selectionKeys = RowKeys.none
    /// Whether the selection was made by moving its tracks: it is where they will lie after the moves that wait, rather than where they are
    /// shown.
    @ObservationIgnored var isSelectionAhead = false
    /// The line to which keys have moved tracks, until a view has brought it into sight.
    @ObservationIgnored var movedLine: Int?
    /// The keys of the lines, as they were asked for last.
    @ObservationIgnored var lastKeys = RowKeys.none
    /// Whether the music and the book were heard when that was looked at last.
    @ObservationIgnored var sounding = (music: false, book: false)
    /// The sleep timers of the music and the book when they were looked at last.
    @ObservationIgnored var sleeping = (music: SleepSetting.off, book: SleepSetting.off)
    /// What was heard last.
    @ObservationIgnored var heard = Heard.music
    /// Writes the preferences; `nil` while they are not written.
    @ObservationIgnored private var saving: Task<Void, Never>?

    /// Creates a model.
    ///
    /// - Parameters:
    ///   - state: The state that is shown.
    ///   - preferences: What the person chose earlier.
    ///   - storage: Keeps the preferences; `nil` keeps nothing.
    ///   - books: Opens books; `nil` for a window that plays music only.
    public init(
        _ state: AppState, preferences: ViewPreferences = ViewPreferences(), storage: (any PlayerStorage)? = nil,
        books: (any BookOpening)? = nil
    ) {
        self.state = state
        self.preferences = preferences
        self.storage = storage
        state.crossfadeCurve = preferences.crossfadeCurve
        state.modes.equalizer = preferences.equalizer
        if let books {
            reader = ReaderPanelModel(
                books, lastFile: preferences.book,
                report: { [state] in state.notices.add($0) },
                remember: { [weak self] url in self?.change { $0.book = url } })
            followSound()
            followSleep()
        }
        if let page = preferences.window.flatMap({ Page(rawValue: $0.page) }), isAvailable(page) { show(page) }
    }

    /// Begins to carry out a command of the person, who has seen the message that is shown.
    ///
    /// - Parameter intent: The command.
    public func send(_ intent: PlayerIntent) { send(intent) {} }

    /// Begins to carry out a command of the person.
    ///
    /// - Parameters:
    ///   - intent: The command.
    ///   - done: Called after the last command of its lane.
    func send(_ intent: PlayerIntent, done: @escaping @MainActor () -> Void) {
        guard let intent = named(intent) else { return }
        state.notices.dismiss()
        intents.send(intent, done: done)
    }

    /// Writes the playlist to a file that a dialog has chosen, which has asked whether one is to be replaced.
    ///
    /// - Parameter url: The file; its extension gives the format.
    public func savePlaylist(to url: URL) {
        // The path of another computer's file may be that of one here.
        guard url.isFileURL else {
            return state.notices.add(
                Notice(
                    .error,
                    "playlists are saved on this computer, and \(url.absoluteString) is not; choose another place"))
        }
        send(.save(url.path, replaces: true))
    }

    /// Whether the window is to close.
    public var isDone: Bool { state.isDone }

    // MARK: The present track

    /// The window's title.
    public var windowTitle: String { state.current.map { "\($0.title) – Descant" } ?? "Descant" }

    /// The title of the present track, or what to do without one.
    public var title: String { state.current?.title ?? (state.entries.isEmpty ? "Nothing to play yet" : "Stopped") }

    /// Chapter, or what a station plays, artist and album, as far as they are known.
    public var subtitle: String {
        guard let current = state.current else {
            return state.entries.isEmpty ? "Open files or folders, or drop them here" : ""
        }
        let parts = [state.chapterTitle, state.song, current.artist, current.album]
        return parts.compactMap { $0 }.filter { !$0.isEmpty }.joined(separator: " – ")
    }

    /// Codec, sample rate and channels of the present track; empty while unknown.
    public var format: String { state.current?.format ?? "" }

    // MARK: Transport

    /// Whether the button pauses rather than plays.
    public var showsPause: Bool { state.activity == .playing || state.activity == .preparing }

    /// Whether there is something to play.
    public var canPlay: Bool { !state.entries.isEmpty }

    /// Whether the position can be chosen.
    public var canSeek: Bool {
        state.activity != .preparing && state.activity != .stopping && state.current != nil && (state.duration ?? 0) > 0
    }

    /// The position of the seek bar, in seconds.
    public var seekPosition: Double { min(wantedPosition ?? state.position, seekLength) }

    /// The length of the seek bar, in seconds.
    public var seekLength: Double { max(state.duration ?? 0, 0) }

    /// The beginnings of the chapters on the seek bar, in seconds.
    public var chapterStarts: [Double] {
        state.chapterMarks.filter { $0 > 0 && $0 < 1 }.map { $0 * seekLength }
    }

    /// The time at the left of the seek bar.
    public var elapsedText: String { ClockText.text(wantedPosition ?? state.position) }

    /// The time at the right of the seek bar: the length, or what is left as a negative time. Empty while the length is unknown.
    public var lengthText: String {
        guard let duration = state.duration else { return "" }
        guard preferences.showsRemainingTime else { return ClockText.text(duration) }
        return "−" + ClockText.text(max(0, duration - (wantedPosition ?? state.position)))
    }

    /// What a screen reader says of the seek bar: "1:05 of 3:20".
    public var seekDescription: String {
        state.duration.map { "\(elapsedText) of \(ClockText.text($0))" } ?? elapsedText
    }

    /// Moves to a position. While the bar is dragged, only the newest position waits for the player.
    ///
    /// - Parameter seconds: From the beginning of the track.
    public func seek(to seconds: TimeInterval) {
        guard canSeek else { return }
        wantedPosition = min(max(0, seconds), seekLength)
        send(.seekTo(seconds)) { [weak self] in self?.wantedPosition = nil }
    }

    /// The volume to show, 0…1: 0 while the sound is muted.
    public var shownVolume: Double { state.isMuted ? 0 : state.volume }

    /// The steps of the loudspeaker's picture: 0 for silence, 3 for loud.
    public var volumeLevel: Int { shownVolume == 0 ? 0 : min(3, Int(shownVolume * 3) + 1) }

    /// Sets the volume and remembers it.
    ///
    /// - Parameter volume: 0…1.
    public func setVolume(_ volume: Double) {
        guard volume != shownVolume else { return }
        send(.setVolume(volume))
        change { $0.volume = min(1, max(0, volume)) }
    }

    /// What the repeat button says.
    public var repeatText: String {
        switch state.modes.repeats {
        case .off: "Repeat is off"
        case .track: "Repeats the track"
        case .playlist: "Repeats the playlist"
        }
    }

    // MARK: Lyrics

    /// The lines of the words of the present track.
    public var lyricsLines: [String] { state.lyrics?.lines.map(\.text) ?? [] }

    /// The line that is sung; `nil` before the first one and without times.
    public var lyricsLine: Int? { state.lyrics?.line(at: state.position) }

    /// Goes to where a line is sung.
    ///
    /// - Parameter line: The line; ignored for one without a time.
    public func seek(toLyricsLine line: Int) {
        guard let lines = state.lyrics?.lines, lines.indices.contains(line), let time = lines[line].time else { return }
        seek(to: time)
    }

    // MARK: Messages

    /// A message above everything.
    public struct Banner: Sendable, Equatable {
        /// One line.
        public let text: String
        /// Whether something has failed.
        public let isError: Bool
        /// Whether the person can take back what the message is about.
        public let canUndo: Bool
        /// Whether it stays until it is no longer true.
        public let isLasting: Bool
    }

    /// What keeps the player from being heard; `nil` when nothing does.
    public var lastingBanner: Banner? {
        if let problem = state.output.problem {
            return Banner(text: problem, isError: true, canUndo: false, isLasting: true)
        }
        if state.activity == .paused, let reason = state.pauseReason {
            return Banner(
                text: "Paused by \(reason); space plays now", isError: false, canUndo: false, isLasting: true)
        }
        return nil
    }

    /// The newest message, until the person has seen it; `nil` for none.
    public var banner: Banner? {
        // Music and book have messages of their own.
        let newest = [state.notices, reader?.book?.notices].compactMap { $0 }.filter { $0.shown != nil }
            .max { $0.lastAdded < $1.lastAdded }
        return newest?.shown.map { notice in
            // The only key that the window's messages name; a button undoes.
            let text = notice.line { $0 == .togglePause ? "space" : nil }
            let canUndo = notice.hints.contains { $0.intent == .undo } && !state.edits.isEmpty
            return Banner(text: text, isError: notice.severity == .error, canUndo: canUndo, isLasting: false)
        }
    }

    /// Hides the message, which the person has seen.
    public func dismissBanner() {
        state.notices.dismiss()
        reader?.book?.notices.dismiss()
    }

    /// Where sound goes, and how tracks follow.
    public var statusText: String {
        var parts = [state.output.device ?? state.heading]
        if let crossfade = state.crossfade { parts.append("crossfading \(Int((crossfade.share * 100).rounded())) %") }
        if state.modes.rate != 1 { parts.append("\(state.modes.rate) × speed") }
        if let sleepText { parts.append(sleepText) }
        return parts.filter { !$0.isEmpty }.joined(separator: " · ")
    }

    // MARK: Preferences

    /// Whether the window is dark.
    public var isDark: Bool {
        switch preferences.appearance {
        case .system: systemIsDark
        case .light: false
        case .dark: true
        }
    }

    /// The place of the present appearance among all of them.
    public var appearanceIndex: Int { Appearance.allCases.firstIndex(of: preferences.appearance) ?? 0 }

    /// Sets whether the window is dark, and remembers it.
    ///
    /// - Parameter index: A place among all appearances; others are ignored.
    public func setAppearance(_ index: Int) {
        if Appearance.allCases.indices.contains(index) { change { $0.appearance = Appearance.allCases[index] } }
    }

    /// Shows the time that is left, or the length of the track.
    ///
    /// - Parameter isOn: Whether the time that is left.
    public func setShowsRemainingTime(_ isOn: Bool) { change { $0.showsRemainingTime = isOn } }

    /// The widths and heights that a window may have, in pixels.
    private static let windowLengths = 200...20_000

    /// The size of the window in pixels, while it does not fill the screen: as it was left, or the standard size.
    public var windowSize: (width: Int, height: Int) {
        guard let kept = preferences.window, Self.windowLengths.contains(kept.width),
            Self.windowLengths.contains(kept.height)
        else { return (980, 700) }
        return (kept.width, kept.height)
    }

    /// Whether the window has filled the screen when it was left.
    public var isWindowMaximized: Bool { preferences.window?.isMaximized ?? false }

    /// Remembers the window with its page as it is left.
    ///
    /// - Parameters:
    ///   - width: The width in pixels, while it does not fill the screen.
    ///   - height: The height in pixels, while it does not fill the screen.
    ///   - isMaximized: Whether it fills the screen.
    public func keepWindow(width: Int, height: Int, isMaximized: Bool) {
        let frame = WindowFrame(width: width, height: height, isMaximized: isMaximized, page: page.rawValue)
        change { $0.window = frame }
    }

    /// Waits until the preferences that are being written have been. A program calls it before it ends, with a limit: the disk may hang.
    public func finishSaving() async { await saving?.value }

    /// Changes what is remembered, and writes it.
    ///
    /// - Parameter change: Changes the preferences.
    public func change(_ change: (inout ViewPreferences) -> Void) {
        let before = preferences
        change(&preferences)
        guard let storage, preferences != before, saving == nil else { return }
        saving = Task {
            var saved: ViewPreferences?
            // What changes while a version is written is written next.
            while saved != preferences {
                saved = preferences
                do {
                    try await storage.save(preferences)
                } catch {
                    state.notices.add(Notice(.warning, "the preferences are not kept: \(error)"))
                    break
                }
            }
            saving = nil
        }
    }
}

/// Times as people read them.
enum ClockText {
    /// Minutes and seconds, "3:07", or hours, "1:02:03".
    static func text(_ seconds: TimeInterval) -> String {
        guard seconds.isFinite else { return "" }
        let whole = Int(min(max(0, seconds), 1e9))
        let (hours, minutes) = (whole / 3600, whole / 60 % 60)
        func two(_ number: Int) -> String { number < 10 ? "0\(number)" : "\(number)" }
        return hours > 0 ? "\(hours):\(two(minutes)):\(two(whole % 60))" : "\(minutes):\(two(whole % 60))"
    }
}
