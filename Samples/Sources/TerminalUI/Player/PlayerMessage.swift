internal import PlayerApp

/// What the player tells the person below the playlist.
@MainActor
struct PlayerMessage {
    /// The rows of text; empty when there is nothing to tell.
    let lines: [String]
    /// How they are shown.
    let style: TextStyle

    /// Chooses the message. What keeps the sound away comes before messages, and those before the reason of the selected entry.
    ///
    /// - Parameters:
    ///   - state: The state to tell about.
    ///   - keys: The keys that messages name.
    ///   - width: The columns of a row.
    ///   - rows: The maximum number of rows; longer texts are cut off.
    ///   - note: The sign before the words that are sung.
    init(_ state: AppState, keys: KeyBindings, width: Int, rows: Int, note: String) {
        guard let (text, style) = Self.message(of: state, keys) ?? Self.words(of: state, note: note) else {
            (lines, self.style) = ([], .plain)
            return
        }
        let printable = DisplayWidth.printable(text)
        let bytes = Array(printable.utf8)
        let ranges = TextWrapper(width: width).lines(of: printable)
        var lines = ranges.prefix(rows).map { String(decoding: bytes[$0], as: UTF8.self) }
        if let last = ranges.prefix(rows).last, ranges.count > rows {
            lines[lines.count - 1] = DisplayWidth.clip(
                String(decoding: bytes[last.lowerBound...], as: UTF8.self), to: width)
        }
        (self.lines, self.style) = (lines, style)
    }

    private static func message(of state: AppState, _ keys: KeyBindings) -> (String, TextStyle)? {
        if let question = state.prompt?.question { return ("\(question) y: yes, any other key: no", .high) }
        // Above a line that is typed stands what came meanwhile, such as why it is typed again.
        guard state.prompt == nil else { return state.notices.shown.map { line(of: $0, keys) } }
        if let problem = state.output.problem { return (problem, .critical) }
        if state.activity == .paused, let reason = state.pauseReason {
            let hints = [Notice.Hint(.togglePause, "plays now")]
            return line(of: Notice(.warning, "paused by \(reason)", hints: hints), keys)
        }
        if let notice = state.notices.shown { return line(of: notice, keys) }
        if !state.showsLibrary, let selected = state.selected, let failure = selected.failure {
            return ("\(selected.title): \(failure)", .critical)
        }
        return state.ending.map { line(of: notice(of: $0), keys) }
    }

    private static func notice(of ending: PlaybackEnding) -> Notice {
        func notice(_ severity: Notice.Severity, _ text: String, _ effect: String) -> Notice {
            Notice(severity, text, hints: [Notice.Hint(.togglePause, effect), Notice.Hint(.quit, "quits")])
        }
        switch ending {
        case .played: return notice(.information, "the playlist has ended", "plays the track again")
        case .sleepTimer(let isWithinTrack):
            let effect = isWithinTrack ? "goes on" : "plays the track again"
            return notice(.information, "the sleep timer has stopped the music", effect)
        case .failure(let reason): return notice(.error, reason, "tries again")
        }
    }

    private static func line(of notice: Notice, _ keys: KeyBindings) -> (String, TextStyle) {
        let style: TextStyle =
            switch notice.severity {
            case .information: .dim
            case .warning: .high
            case .error: .critical
            }
        return (notice.line { keys.label(of: $0) }, style)
    }

    /// The words that are sung, while the playlist is shown.
    private static func words(of state: AppState, note: String) -> (String, TextStyle)? {
        guard state.prompt == nil, !state.showsLyrics, let lyrics = state.lyrics,
            let line = lyrics.line(at: state.position), !lyrics.lines[line].text.isEmpty
        else { return nil }
        return ("\(note) \(lyrics.lines[line].text)", .second)
    }
}
