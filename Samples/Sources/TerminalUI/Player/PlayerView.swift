internal import Foundation
public import PlayerApp

/// Draws the player: heading, cover, track, meters, seek bar, transitions, playlist or words, messages and keys.
///
/// Rows that do not fit are left out, the least important first; nothing is ever drawn outside the screen.
@MainActor
public struct PlayerView {
    let glyphs: Glyphs
    let keys: KeyBindings
    private let showsColors: Bool
    private let margin = 2
    /// What the mouse finds on the screen that was drawn last.
    let targets = MouseTargets()

    /// Columns that parts are drawn in.
    struct Span {
        var left: Int
        var width: Int
        var end: Int { left + width }
    }

    /// Creates the view.
    ///
    /// - Parameters:
    ///   - glyphs: The characters to draw with.
    ///   - keys: The keys that help shows.
    ///   - showsColors: Whether the terminal shows colours, which a cover needs.
    public init(glyphs: Glyphs = .unicode, keys: KeyBindings = KeyBindings(), showsColors: Bool = true) {
        self.glyphs = glyphs
        self.keys = keys
        self.showsColors = showsColors
    }

    /// Draws the state.
    ///
    /// - Parameters:
    ///   - state: The state to show.
    ///   - screen: An empty screen.
    public func draw(_ state: AppState, on screen: inout Screen) {
        targets.removeAll()
        let whole = Span(left: margin, width: max(1, screen.width - 2 * margin))
        var row = drawHeading(state, on: &screen, whole)
        guard !state.showsHelp else { return drawHelp(on: &screen, from: min(1, row), whole) }
        let part = drawCover(state, on: &screen, from: row, whole)
        row = drawTrack(state, on: &screen, from: row, part)
        // A small screen shows lists rather than levels.
        if !state.showsLibrary || isRoomy(screen) { row = drawMeters(state, on: &screen, from: row, part) }
        row = drawSeekBar(state, on: &screen, from: row, part)
        row = drawStatus(state, on: &screen, from: row, part)
        row = drawTransitions(state, on: &screen, from: row, part)
        let message = PlayerMessage(
            state, keys: keys, width: whole.width, rows: screen.height >= 12 ? 3 : 1, note: glyphs.note)
        let typed = state.prompt.flatMap { prompt in
            Self.label(of: prompt.purpose).map { (prompt: prompt, label: $0) }
        }
        let list = row..<max(row, screen.height - 1 - max(1, message.lines.count + (typed == nil ? 0 : 1)))
        if state.showsLibrary, let library = state.library {
            drawLibrary(library, on: &screen, rows: list, whole)
        } else if state.showsLyrics {
            drawLyrics(state, on: &screen, rows: list, whole)
        } else {
            drawPlaylist(state, on: &screen, rows: list, whole)
        }
        drawFooter(typed, message, on: &screen, whole)
    }

    /// Returns what a click or a turn of the wheel means on the screen that was drawn last; `nil` for nothing.
    ///
    /// - Parameter mouse: What the mouse did.
    public func intent(for mouse: Mouse) -> PlayerIntent? { targets.intent(for: mouse) }

    /// How many lines of the list were seen when it was drawn last, at least 1.
    public var page: Int { targets.page }

    /// Whether there is room for empty rows between the parts.
    private func isRoomy(_ screen: Screen) -> Bool { screen.height >= 20 }

    private func drawHeading(_ state: AppState, on screen: inout Screen, _ span: Span) -> Int {
        guard screen.height >= 8 else { return 0 }
        let name = "\(glyphs.note) Descant"
        screen.put(name, row: 0, column: span.left, style: .accent, limit: span.width)
        let room = span.width - DisplayWidth.columns(of: name) - 2
        let device = state.output.device.map {
            [state.heading, $0].filter { !$0.isEmpty }.joined(separator: glyphs.separator)
        }
        let heading = DisplayWidth.clip(device ?? state.heading, to: max(0, room))
        screen.put(heading, row: 0, column: span.end - DisplayWidth.columns(of: heading), style: .dim)
        return isRoomy(screen) ? 2 : 1
    }

    /// Draws the cover to the left of the track, where there is room: as a picture, or with two rows of pixels in each row of text.
    ///
    /// - Returns: The columns that are left beside it.
    private func drawCover(_ state: AppState, on screen: inout Screen, from row: Int, _ span: Span) -> Span {
        guard state.showsCover, showsColors, isRoomy(screen), span.width >= 66, let cover = state.cover,
            screen.pictureCell != nil || !glyphs.eighths.isEmpty
        else { return span }
        // The rows of track, meters, seek bar, status and transitions, whatever the number of channels.
        let size = cover.cells(rows: 10, cell: screen.pictureCell ?? .halfBlock)
        guard size.columns <= span.width / 2 else { return span }
        if screen.pictureCell != nil {
            screen.show(cover, rows: row..<row + size.rows, columns: span.left..<span.left + size.columns)
        } else {
            drawHalfBlocks(of: cover, size, on: &screen, row: row, column: span.left)
        }
        return Span(left: span.left + size.columns + 3, width: span.width - size.columns - 3)
    }

    private func drawHalfBlocks(
        of cover: CoverArt, _ size: (columns: Int, rows: Int), on screen: inout Screen, row: Int, column: Int
    ) {
        func color(_ column: Int, _ row: Int) -> CoverArt.Color {
            cover.color(column: column, row: row, width: size.columns, height: 2 * size.rows)
        }
        for line in 0..<size.rows {
            for place in 0..<size.columns {
                screen.put(
                    "▀", row: row + line, column: column + place,
                    style: .pixels(top: color(place, 2 * line), bottom: color(place, 2 * line + 1)))
            }
        }
    }

    private func drawTrack(_ state: AppState, on screen: inout Screen, from row: Int, _ span: Span) -> Int {
        guard let track = state.current else {
            screen.put(state.activity.rawValue, row: row, column: span.left, style: .dim, limit: span.width)
            return row + 1
        }
        screen.put(track.title, row: row, column: span.left, style: .strong, limit: span.width)
        guard screen.height >= 12 else { return row + 1 }
        let facts = [state.chapterTitle, state.song, track.artist, track.album].compactMap { $0 }.joined(
            separator: glyphs.separator)
        screen.put(
            facts.isEmpty ? track.url.lastPathComponent : facts, row: row + 1, column: span.left, limit: span.width)
        guard screen.height >= 16 else { return row + 2 }
        screen.put(track.format ?? "", row: row + 2, column: span.left, style: .dim, limit: span.width)
        return row + (isRoomy(screen) ? 4 : 3)
    }

    private func drawMeters(_ state: AppState, on screen: inout Screen, from row: Int, _ span: Span) -> Int {
        guard screen.height >= 10, span.width >= 24 else { return row }
        if state.showsSpectrum {
            let rows = row..<row + (isRoomy(screen) ? 4 : 2)
            SpectrumBars(levels: state.spectrum).draw(
                on: &screen, rows: rows, column: span.left, width: span.width, glyphs: glyphs)
            return rows.upperBound + (isRoomy(screen) ? 1 : 0)
        }
        let channels = max(1, min(state.levels?.peak.count ?? 2, screen.height >= 14 ? 8 : 2))
        let names = channels == 1 ? ["M"] : ["L", "R", "C", "W", "l", "r", "s", "S"]
        for channel in 0..<channels {
            let bar = LevelBar(
                rms: state.levels.flatMap { $0.rms.indices.contains(channel) ? $0.rms[channel] : nil } ?? 0,
                peak: state.levels.flatMap { $0.peak.indices.contains(channel) ? $0.peak[channel] : nil } ?? 0)
            screen.put(names[channel], row: row + channel, column: span.left, style: .dim)
            bar.draw(on: &screen, row: row + channel, column: span.left + 2, width: span.width - 11, glyphs: glyphs)
            screen.put(bar.label, row: row + channel, column: span.end - 8, style: .dim)
        }
        return row + channels + (isRoomy(screen) ? 1 : 0)
    }

    private func drawSeekBar(_ state: AppState, on screen: inout Screen, from row: Int, _ span: Span) -> Int {
        let passed = Timecode.text(state.position)
        let total = Timecode.text(state.duration)
        screen.put(passed, row: row, column: span.left, limit: span.width)
        screen.put(total, row: row, column: span.end - total.count)
        let share = state.duration.map { $0 > 0 ? state.position / $0 : 0 } ?? 0
        let column = span.left + passed.count + 1
        let width = span.width - passed.count - total.count - 2
        ProgressBar.drawSeekBar(
            share, zone: crossfadeZone(state),
            marks: state.chapterMarks, on: &screen, row: row, column: column, width: width, glyphs: glyphs)
        if width > 2 { targets.add(row..<row + 1, column..<column + width, .seekBar) }
        return row + 1
    }

    /// The share of the track in which the next one fades in, where one follows. The player shortens it for short tracks.
    private func crossfadeZone(_ state: AppState) -> Double {
        guard let duration = state.duration, duration > 0, let index = state.currentIndex else { return 0 }
        let modes = state.modes
        // The order of chance and a repeated track do not lead to the next line.
        if !modes.isShuffled, modes.repeats != .track {
            let next = state.entries.dropFirst(index + 1).first
            if next == nil, modes.repeats == .off { return 0 }
            if modes.gaplessAlbums, let album = next?.album, album == state.current?.album { return 0 }
        }
        return min(0.4, modes.crossfade * modes.rate / duration)
    }

    private func drawStatus(_ state: AppState, on screen: inout Screen, from row: Int, _ span: Span) -> Int {
        let sign =
            switch state.activity {
            case .playing, .preparing: glyphs.playing
            case .paused: glyphs.paused
            default: glyphs.stopped
            }
        var column = screen.put(
            "\(sign) \(state.activity.rawValue)", row: row, column: span.left, limit: span.width)
        targets.add(row..<row + 1, span.left..<column, .intent(.togglePause))
        column = max(column + 2, span.left + 14)
        guard span.width >= 32 else { return row + 1 }
        let volumeStart = column
        column = screen.put("vol ", row: row, column: column, style: .dim)
        let gauge = span.width >= 50 ? 10 : 5
        ProgressBar.drawGauge(
            state.isMuted ? 0 : state.volume, style: .accent, on: &screen, row: row, column: column, width: gauge,
            glyphs: glyphs)
        let volume = state.isMuted ? " muted" : " \(Int((state.volume * 100).rounded()))%"
        column = screen.put(volume, row: row, column: column + gauge, style: state.isMuted ? .high : .plain)
        targets.add(row..<row + 1, volumeStart..<column, .volume)
        if let index = state.currentIndex {
            let place = "\(index + 1)/\(state.entries.count)"
            screen.put(place, row: row, column: max(column + 1, span.end - place.count), style: .dim)
        }
        return row + 1
    }

    /// How the playlist is played, where that is not as usual.
    private func modes(_ state: AppState) -> String {
        var words: [String] = []
        switch state.modes.sleep {
        case .off: break
        case .after(let minutes):
            words.append("sleep " + (state.sleepRemaining.map(Timecode.text) ?? "\(minutes):00"))
        case .endOfTrack: words.append("sleep after this track")
        }
        switch state.modes.repeats {
        case .off: break
        case .track: words.append("repeat track")
        case .playlist: words.append("repeat all")
        }
        if state.modes.isShuffled { words.append("shuffle") }
        if state.modes.rate != 1 { words.append(Self.number(state.modes.rate) + glyphs.times) }
        if state.modes.crossfade > 0, state.crossfade == nil {
            words.append("crossfade \(Self.number(state.modes.crossfade)) s")
        }
        if let equalizer = state.modes.equalizer.shownName { words.append("eq \(equalizer)") }
        if state.modes.loudness != .off { words.append("\(state.modes.loudness.rawValue) gain") }
        return words.joined(separator: glyphs.separator)
    }

    private static func number(_ value: Double) -> String { String(format: "%g", (value * 100).rounded() / 100) }

    private func drawTransitions(_ state: AppState, on screen: inout Screen, from row: Int, _ span: Span) -> Int {
        guard screen.height >= 11 else { return row }
        let modes = DisplayWidth.clip(modes(state), to: span.width)
        let end = span.end - DisplayWidth.columns(of: modes)
        screen.put(modes, row: row, column: end, style: .second)
        let limit = modes.isEmpty ? span.end : max(span.left, end - 1)
        var column = span.left
        if let crossfade = state.crossfade {
            let left = (crossfade.remaining * 10).rounded() / 10
            column = screen.put("crossfade ", row: row, column: column, style: .second, limit: limit - column)
            let gauge = min(10, max(0, limit - column))
            ProgressBar.drawGauge(
                crossfade.share, style: .second, on: &screen, row: row, column: column, width: gauge, glyphs: glyphs)
            column = screen.put(
                " \(left) s   ", row: row, column: column + gauge, style: .second,
                limit: max(0, limit - column - gauge))
        }
        if let overlay = state.overlay {
            let sign = overlay.isPlaying ? glyphs.playing : glyphs.paused
            let percent = Int((overlay.volume * 100).rounded())
            screen.put(
                "overlay \(sign) \(overlay.name) \(percent)%", row: row, column: column, style: .low,
                limit: max(0, limit - column))
        }
        return row + (isRoomy(screen) ? 2 : 1)
    }

    private func drawPlaylist(_ state: AppState, on screen: inout Screen, rows: Range<Int>, _ span: Span) {
        let room = rows.count
        let shown = state.shownIndices
        targets.add(rows, 0..<screen.width, .list)
        guard room > 0, !shown.isEmpty else { return }
        let place = shown.firstIndex { $0 >= state.selectedIndex } ?? shown.count - 1
        let first = max(0, min(place - room / 2, shown.count - room))
        for (line, index) in shown[first..<min(first + room, shown.count)].enumerated() {
            let entry = state.entries[index]
            let isCurrent = index == state.currentIndex
            let style: TextStyle =
                index == state.selectedIndex
                ? .selected : entry.failure != nil ? .critical : isCurrent ? .accent : .plain
            let row = rows.lowerBound + line
            screen.put(
                self.line(of: entry, isCurrent: isCurrent, width: span.width), row: row, column: span.left,
                style: style, limit: span.width)
            targets.add(row..<row + 1, span.left..<span.end, .intent(.choose(index)))
        }
    }

    /// An entry and its length, or the reason why it could not be played.
    private func line(of entry: PlaylistEntry, isCurrent: Bool, width: Int) -> String {
        let name = [entry.title, entry.artist].compactMap { $0 }.joined(separator: " – ")
        let text = "\(isCurrent ? glyphs.playing : " ") \(DisplayWidth.printable(name))"
        let reason = entry.failure.map(DisplayWidth.printable)
        // The reason gets what the name leaves, and half of the line at least.
        let room = max(width / 2, width - DisplayWidth.columns(of: text) - 1)
        let right = reason.map { DisplayWidth.clip($0, to: room) } ?? Timecode.text(entry.duration)
        return DisplayWidth.fit(text, to: max(0, width - DisplayWidth.columns(of: right) - 1)) + " " + right
    }

    /// Draws the words of the track: the line that is sung in the middle, or the part that belongs to the position.
    private func drawLyrics(_ state: AppState, on screen: inout Screen, rows: Range<Int>, _ span: Span) {
        guard let lyrics = state.lyrics else {
            if !rows.isEmpty {
                screen.put(
                    "there are no words for this track", row: rows.lowerBound, column: span.left, style: .dim,
                    limit: span.width)
            }
            return
        }
        let count = lyrics.lines.count
        let present = lyrics.line(at: state.position)
        let share = state.duration.map { $0 > 0 ? min(1, state.position / $0) : 0 } ?? 0
        let middle = lyrics.isSynchronized ? present ?? 0 : Int(share * Double(count))
        let first = max(0, min(middle - rows.count / 2, count - rows.count))
        for (row, index) in zip(rows, first..<count) {
            screen.put(
                lyrics.lines[index].text, row: row, column: span.left,
                style: index == present ? .accent : lyrics.isSynchronized ? .dim : .plain, limit: span.width)
        }
    }

    private func drawHelp(on screen: inout Screen, from row: Int, _ span: Span) {
        for (line, entry) in keys.help.enumerated() {
            screen.put(entry.key, row: row + line, column: span.left, style: .strong, limit: span.width)
            screen.put(entry.meaning, row: row + line, column: span.left + 11, limit: max(0, span.width - 11))
        }
    }

    /// Draws the keys, above them the line that is typed with its label, and above that the message.
    private func drawFooter(
        _ typed: (prompt: Prompt, label: String)?, _ message: PlayerMessage, on screen: inout Screen, _ span: Span
    ) {
        guard screen.height >= 5 else { return }
        screen.put(
            keys.summary(width: span.width), row: screen.height - 1, column: span.left, style: .dim, limit: span.width)
        guard screen.height >= 6 else { return }
        var end = screen.height - 1
        if let typed {
            end -= 1
            drawPrompt(typed.prompt, typed.label, on: &screen, row: end, span)
        }
        for (row, line) in message.lines.enumerated() {
            screen.put(
                line, row: end - message.lines.count + row, column: span.left, style: message.style, limit: span.width)
        }
    }

    /// What stands before a line that is typed; `nil` for a question that one key answers.
    private static func label(of purpose: Prompt.Purpose) -> String? {
        switch purpose {
        case .search: "search: "
        case .save: "save as: "
        case .input: "add: "
        case .folder: "add the folder: "
        case .removal, .replacement: nil
        }
    }

    private func drawPrompt(_ prompt: Prompt, _ label: String, on screen: inout Screen, row: Int, _ span: Span) {
        // The end of a long line is what the person types.
        var text = prompt.text[...]
        while DisplayWidth.columns(of: String(text)) > max(1, span.width - label.count - 1) { text.removeFirst() }
        let column = screen.put(label, row: row, column: span.left, style: .strong, limit: span.width)
        let end = screen.put(String(text), row: row, column: column, limit: max(0, span.end - column))
        screen.put(" ", row: row, column: end, style: .selected)
    }
}
