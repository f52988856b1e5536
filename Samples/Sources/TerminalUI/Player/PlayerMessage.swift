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
    ///   - width: The columns of a row.
    ///   - rows: The maximum number of rows; longer texts are cut off.
    ///   - note: The sign before the words that are sung.
    init(_ state: AppState, width: Int, rows: Int, note: String) {
        guard let (text, style) = Self.message(of: state) ?? Self.words(of: state, note: note) else {
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

    private static func message(of state: AppState) -> (String, TextStyle)? {
        if case .removal(let folder)? = state.prompt?.purpose {
            return ("\(folder.removalQuestion) y: yes, any other key: no", .high)
        }
        if let problem = state.output.problem { return (problem, .critical) }
        if state.activity == .paused, let reason = state.pauseReason { return ("paused by \(reason)", .high) }
        if let notice = state.notices.shown {
            switch notice.severity {
            case .information: return (notice.text, .dim)
            case .warning: return (notice.text, .high)
            case .error: return (notice.text, .critical)
            }
        }
        if !state.showsLibrary, let selected = state.selected, let failure = selected.failure {
            return ("\(selected.title): \(failure)", .critical)
        }
        guard state.hasEnded else { return nil }
        return ("the playlist has ended; space plays the track again, q quits", .dim)
    }

    /// The words that are sung, while the playlist is shown.
    private static func words(of state: AppState, note: String) -> (String, TextStyle)? {
        guard !state.showsLyrics, let lyrics = state.lyrics, let line = lyrics.line(at: state.position),
            !lyrics.lines[line].text.isEmpty
        else { return nil }
        return ("\(note) \(lyrics.lines[line].text)", .second)
    }
}
