internal import Foundation
public import PlayerApp

/// Draws the player: heading, track, meters, seek bar, transitions, playlist, messages and keys.
///
/// Rows that do not fit are left out, the least important first; nothing is ever drawn outside the screen.
@MainActor
public struct PlayerView {
    private let glyphs: Glyphs
    private let margin = 2

    /// Creates the view.
    ///
    /// - Parameter glyphs: The characters to draw with.
    public init(glyphs: Glyphs = .unicode) { self.glyphs = glyphs }

    /// Draws the state.
    ///
    /// - Parameters:
    ///   - state: The state to show.
    ///   - screen: An empty screen.
    public func draw(_ state: AppState, on screen: inout Screen) {
        let width = max(1, screen.width - 2 * margin)
        var row = drawHeading(state, on: &screen, width: width)
        if state.showsHelp {
            drawHelp(on: &screen, from: min(1, row), width: width)
        } else {
            row = drawTrack(state, on: &screen, from: row, width: width)
            row = drawMeters(state, on: &screen, from: row, width: width)
            row = drawSeekBar(state, on: &screen, from: row, width: width)
            row = drawStatus(state, on: &screen, from: row, width: width)
            row = drawTransitions(state, on: &screen, from: row, width: width)
            let message = PlayerMessage(state, width: width, rows: screen.height >= 12 ? 3 : 1)
            let end = screen.height - 1 - max(1, message.lines.count)
            drawPlaylist(state, on: &screen, rows: row..<max(row, end), width: width)
            drawFooter(state, message, on: &screen, width: width)
        }
    }

    /// Whether there is room for empty rows between the parts.
    private func isRoomy(_ screen: Screen) -> Bool { screen.height >= 20 }

    private func drawHeading(_ state: AppState, on screen: inout Screen, width: Int) -> Int {
        guard screen.height >= 8 else { return 0 }
        let name = "\(glyphs.note) Descant"
        screen.put(name, row: 0, column: margin, style: .accent, limit: width)
        let room = width - DisplayWidth.columns(of: name) - 2
        let device = state.output.device.map {
            [state.heading, $0].filter { !$0.isEmpty }.joined(separator: glyphs.separator)
        }
        let heading = DisplayWidth.clip(device ?? state.heading, to: max(0, room))
        screen.put(heading, row: 0, column: margin + width - DisplayWidth.columns(of: heading), style: .dim)
        return isRoomy(screen) ? 2 : 1
    }

    private func drawTrack(_ state: AppState, on screen: inout Screen, from row: Int, width: Int) -> Int {
        guard let track = state.current else {
            screen.put(state.activity.rawValue, row: row, column: margin, style: .dim, limit: width)
            return row + 1
        }
        screen.put(track.title, row: row, column: margin, style: .strong, limit: width)
        guard screen.height >= 12 else { return row + 1 }
        let people = [track.artist, track.album].compactMap { $0 }.joined(separator: glyphs.separator)
        screen.put(people.isEmpty ? track.url.lastPathComponent : people, row: row + 1, column: margin, limit: width)
        guard screen.height >= 16 else { return row + 2 }
        screen.put(track.format ?? "", row: row + 2, column: margin, style: .dim, limit: width)
        return row + (isRoomy(screen) ? 4 : 3)
    }

    private func drawMeters(_ state: AppState, on screen: inout Screen, from row: Int, width: Int) -> Int {
        guard screen.height >= 10, width >= 24 else { return row }
        let channels = max(1, min(state.levels?.peak.count ?? 2, screen.height >= 14 ? 8 : 2))
        let names = channels == 1 ? ["M"] : ["L", "R", "C", "W", "l", "r", "s", "S"]
        for channel in 0..<channels {
            let bar = LevelBar(
                rms: state.levels.flatMap { $0.rms.indices.contains(channel) ? $0.rms[channel] : nil } ?? 0,
                peak: state.levels.flatMap { $0.peak.indices.contains(channel) ? $0.peak[channel] : nil } ?? 0)
            screen.put(names[channel], row: row + channel, column: margin, style: .dim)
            bar.draw(on: &screen, row: row + channel, column: margin + 2, width: width - 11, glyphs: glyphs)
            screen.put(bar.label, row: row + channel, column: margin + width - 8, style: .dim)
        }
        return row + channels + (isRoomy(screen) ? 1 : 0)
    }

    private func drawSeekBar(_ state: AppState, on screen: inout Screen, from row: Int, width: Int) -> Int {
        let passed = Timecode.text(state.position)
        let total = Timecode.text(state.duration)
        screen.put(passed, row: row, column: margin, limit: width)
        screen.put(total, row: row, column: margin + width - total.count)
        let share = state.duration.map { $0 > 0 ? state.position / $0 : 0 } ?? 0
        let column = margin + passed.count + 1
        ProgressBar.drawSeekBar(
            share, on: &screen, row: row, column: column, width: width - passed.count - total.count - 2, glyphs: glyphs)
        return row + 1
    }

    private func drawStatus(_ state: AppState, on screen: inout Screen, from row: Int, width: Int) -> Int {
        let sign =
            switch state.activity {
            case .playing, .preparing: glyphs.playing
            case .paused: glyphs.paused
            default: glyphs.stopped
            }
        var column = screen.put("\(sign) \(state.activity.rawValue)", row: row, column: margin, limit: width)
        column = max(column + 2, margin + 14)
        guard width >= 32 else { return row + 1 }
        column = screen.put("vol ", row: row, column: column, style: .dim)
        let gauge = width >= 60 ? 10 : 5
        ProgressBar.drawGauge(
            state.isMuted ? 0 : state.volume, style: .accent, on: &screen, row: row, column: column, width: gauge,
            glyphs: glyphs)
        let volume = state.isMuted ? " muted" : " \(Int((state.volume * 100).rounded()))%"
        column = screen.put(volume, row: row, column: column + gauge, style: state.isMuted ? .high : .plain)
        if let index = state.currentIndex {
            let place = "\(index + 1)/\(state.entries.count)"
            screen.put(place, row: row, column: max(column + 1, margin + width - place.count), style: .dim)
        }
        return row + 1
    }

    /// How the playlist is played, where that is not as usual.
    private func modes(_ state: AppState) -> String {
        var words: [String] = []
        switch state.modes.repeats {
        case .off: break
        case .track: words.append("repeat track")
        case .playlist: words.append("repeat all")
        }
        if state.modes.isShuffled { words.append("shuffle") }
        if state.modes.rate != 1 {
            words.append(String(format: "%g", (state.modes.rate * 100).rounded() / 100) + glyphs.times)
        }
        return words.joined(separator: glyphs.separator)
    }

    private func drawTransitions(_ state: AppState, on screen: inout Screen, from row: Int, width: Int) -> Int {
        guard screen.height >= 11 else { return row }
        let modes = DisplayWidth.clip(modes(state), to: width)
        let end = margin + width - DisplayWidth.columns(of: modes)
        screen.put(modes, row: row, column: end, style: .second)
        let width = modes.isEmpty ? width : max(0, end - margin - 1)
        var column = margin
        if let crossfade = state.crossfade {
            let left = (crossfade.remaining * 10).rounded() / 10
            column = screen.put("crossfade ", row: row, column: column, style: .second, limit: width)
            let gauge = min(10, max(0, margin + width - column))
            ProgressBar.drawGauge(
                crossfade.share, style: .second, on: &screen, row: row, column: column, width: gauge, glyphs: glyphs)
            column = screen.put(
                " \(left) s   ", row: row, column: column + gauge, style: .second,
                limit: max(0, margin + width - column - gauge))
        }
        if let overlay = state.overlay {
            let sign = overlay.isPlaying ? glyphs.playing : glyphs.paused
            let percent = Int((overlay.volume * 100).rounded())
            screen.put(
                "overlay \(sign) \(overlay.name) \(percent)%", row: row, column: column, style: .low,
                limit: max(0, margin + width - column))
        }
        return row + (isRoomy(screen) ? 2 : 1)
    }

    private func drawPlaylist(_ state: AppState, on screen: inout Screen, rows: Range<Int>, width: Int) {
        let room = rows.count
        let shown = state.shownIndices
        guard room > 0, !shown.isEmpty else { return }
        let place = shown.firstIndex { $0 >= state.selectedIndex } ?? shown.count - 1
        let first = max(0, min(place - room / 2, shown.count - room))
        for (line, index) in shown[first..<min(first + room, shown.count)].enumerated() {
            let entry = state.entries[index]
            let isCurrent = index == state.currentIndex
            let style: TextStyle =
                index == state.selectedIndex
                ? .selected : entry.failure != nil ? .critical : isCurrent ? .accent : .plain
            screen.put(
                self.line(of: entry, isCurrent: isCurrent, width: width), row: rows.lowerBound + line, column: margin,
                style: style, limit: width)
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

    private func drawHelp(on screen: inout Screen, from row: Int, width: Int) {
        for (line, entry) in KeyBindings.help.enumerated() {
            screen.put(entry.key, row: row + line, column: margin, style: .strong, limit: width)
            screen.put(entry.meaning, row: row + line, column: margin + 11, limit: max(0, width - 11))
        }
    }

    private func drawFooter(_ state: AppState, _ message: PlayerMessage, on screen: inout Screen, width: Int) {
        guard screen.height >= 5 else { return }
        screen.put(KeyBindings.summary, row: screen.height - 1, column: margin, style: .dim, limit: width)
        guard screen.height >= 6 else { return }
        if let prompt = state.prompt {
            drawPrompt(prompt, on: &screen, row: screen.height - 2, width: width)
        } else {
            let first = screen.height - 1 - message.lines.count
            for (row, line) in message.lines.enumerated() {
                screen.put(line, row: first + row, column: margin, style: message.style, limit: width)
            }
        }
    }

    private func drawPrompt(_ prompt: Prompt, on screen: inout Screen, row: Int, width: Int) {
        let label = prompt.purpose == .search ? "search: " : "save as: "
        // The end of a long line is what the person types.
        var text = prompt.text[...]
        while DisplayWidth.columns(of: String(text)) > max(1, width - label.count - 1) { text.removeFirst() }
        let column = screen.put(label, row: row, column: margin, style: .strong, limit: width)
        let end = screen.put(String(text), row: row, column: column, limit: max(0, margin + width - column))
        screen.put(" ", row: row, column: end, style: .selected)
    }
}
