internal import Foundation
public import PlayerApp

/// Draws the reader: title, chapter, text with the sentence and the word that sound, progress, messages and keys.
///
/// Rows that do not fit are left out, the least important first; nothing is ever drawn outside the screen.
@MainActor
public final class ReaderView {
    private let glyphs: Glyphs
    private let page = ReaderPage()

    /// The maximum length of a line, because longer ones are hard to read.
    private static let longestLine = 88

    /// Creates the view. It remembers which page was in view.
    ///
    /// - Parameter glyphs: The characters to draw with.
    public init(glyphs: Glyphs = .unicode) { self.glyphs = glyphs }

    /// Draws the state.
    ///
    /// - Parameters:
    ///   - state: The state to show.
    ///   - screen: An empty screen.
    public func draw(_ state: ReaderState, on screen: inout Screen) {
        let margin = screen.width >= 40 ? 2 : 0
        let frame = Frame(column: margin, width: max(1, screen.width - 2 * margin))
        let top = drawHeading(state, on: &screen, in: frame)
        let bottom = drawFooter(state, on: &screen, in: frame)
        if state.showsHelp {
            drawHelp(on: &screen, in: frame, rows: top..<max(top, bottom))
        } else {
            drawText(state, on: &screen, in: frame, rows: top..<max(top, bottom))
        }
    }

    /// The columns that are drawn in.
    private struct Frame {
        let column: Int
        let width: Int
    }

    // MARK: Heading

    /// - Returns: The first free row.
    private func drawHeading(_ state: ReaderState, on screen: inout Screen, in frame: Frame) -> Int {
        guard screen.height >= 8 else { return 0 }
        let voice = [state.engine, state.voice ?? "", rate(of: state)].filter { !$0.isEmpty }
        let facts = DisplayWidth.clip(voice.joined(separator: glyphs.separator), to: frame.width * 2 / 3)
        let room = frame.width - DisplayWidth.columns(of: facts) - 2
        screen.put(
            "\(glyphs.note) \(state.book.title)", row: 0, column: frame.column, style: .accent, limit: max(0, room))
        screen.put(facts, row: 0, column: frame.column + frame.width - DisplayWidth.columns(of: facts), style: .dim)
        guard screen.height >= 12 else { return 1 }
        screen.put(state.chapter ?? "", row: 1, column: frame.column, style: .dim, limit: frame.width)
        return screen.height >= 16 ? 3 : 2
    }

    private func rate(of state: ReaderState) -> String {
        let hundredths = Int((state.rate * 100).rounded())
        let digits = hundredths % 10 == 0 ? String(format: "%.1f", state.rate) : String(format: "%.2f", state.rate)
        return digits + glyphs.times
    }

    // MARK: Text

    private func drawText(_ state: ReaderState, on screen: inout Screen, in frame: Frame, rows: Range<Int>) {
        let width = min(frame.width, Self.longestLine)
        let column = frame.column + (frame.width - width) / 2
        let sentence = state.sentence ?? state.book.length..<state.book.length
        let shown = page.rows(
            of: state.book, sentence: sentence, place: state.word?.lowerBound ?? state.place, width: width,
            height: rows.count)
        for (row, line) in zip(rows, shown) {
            guard let text = line.text else { continue }
            let style: TextStyle = state.book.headings.contains(line.paragraph) ? .accent : .plain
            draw(text, of: state, sentence: sentence, usual: style, on: &screen, row: row, column: column)
        }
    }

    /// Draws a line, the sentence stronger than the rest and the word as if it were selected.
    private func draw(
        _ line: Range<Int>, of state: ReaderState, sentence: Range<Int>, usual: TextStyle, on screen: inout Screen,
        row: Int, column: Int
    ) {
        let word = state.word ?? line.upperBound..<line.upperBound
        let places = [sentence.lowerBound, sentence.upperBound, word.lowerBound, word.upperBound]
        let cuts = ([line.lowerBound] + places.filter { line.contains($0) }.sorted() + [line.upperBound])
        var column = column
        for (start, end) in zip(cuts, cuts.dropFirst()) where start < end {
            let style: TextStyle = word.contains(start) ? .selected : sentence.contains(start) ? .strong : usual
            column = screen.put(state.book.string(start..<end), row: row, column: column, style: style)
        }
    }

    private func drawHelp(on screen: inout Screen, in frame: Frame, rows: Range<Int>) {
        for (row, entry) in zip(rows, ReaderKeys.help) {
            screen.put(entry.key, row: row, column: frame.column, style: .strong, limit: frame.width)
            screen.put(entry.meaning, row: row, column: frame.column + 12, limit: max(0, frame.width - 12))
        }
    }

    // MARK: Footer

    /// - Returns: The row behind the last free one.
    private func drawFooter(_ state: ReaderState, on screen: inout Screen, in frame: Frame) -> Int {
        let height = screen.height
        guard height >= 3 else { return height }
        var row = height - 1
        if height >= 5 {
            screen.put(ReaderKeys.summary, row: row, column: frame.column, style: .dim, limit: frame.width)
            row -= 1
        }
        if height >= 6 {
            if let notice = state.notices.shown {
                let style: TextStyle =
                    switch notice.severity {
                    case .information: .dim
                    case .warning: .high
                    case .error: .critical
                    }
                screen.put(notice.text, row: row, column: frame.column, style: style, limit: frame.width)
            }
            row -= 1
        }
        drawProgress(state, on: &screen, row: row, in: frame)
        return height >= 16 ? row - 1 : row
    }

    private func drawProgress(_ state: ReaderState, on screen: inout Screen, row: Int, in frame: Frame) {
        let sign =
            switch state.activity {
            case .playing, .preparing: glyphs.playing
            case .paused: glyphs.paused
            default: glyphs.stopped
            }
        let word = frame.width >= 60 ? " \(state.activity.rawValue)" : ""
        let percent = "\(sign)\(word) \(Int(state.share * 100))%"
        let column = screen.put(percent, row: row, column: frame.column, limit: frame.width) + 1
        guard frame.width >= 24 else { return }
        let estimate = state.remaining != nil && state.isEstimated ? glyphs.about : ""
        var facts = "\(estimate)\(Timecode.text(state.remaining)) left"
        if let sleep = sleep(of: state), frame.width >= 60 { facts = "\(sleep)  \(facts)" }
        if frame.width >= 60 { facts += state.isMuted ? "  muted" : "  vol \(Int((state.volume * 100).rounded()))%" }
        let end = frame.column + frame.width - DisplayWidth.columns(of: facts)
        screen.put(facts, row: row, column: end)
        ProgressBar.drawSeekBar(
            state.share, on: &screen, row: row, column: column, width: end - 1 - column, glyphs: glyphs)
    }

    /// When the reader falls asleep; `nil` without a timer.
    private func sleep(of state: ReaderState) -> String? {
        switch state.sleep {
        case .off: nil
        case .after: "sleep \(Timecode.text(state.sleepRemaining))"
        case .endOfTrack: "sleep after this chapter"
        }
    }
}
