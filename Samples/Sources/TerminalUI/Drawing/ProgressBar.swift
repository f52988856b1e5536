/// A bar that shows a share of a whole.
public enum ProgressBar {
    /// Draws a seek bar: passed part, knob, coming part.
    ///
    /// - Parameters:
    ///   - share: The share that has passed, 0…1; clamped.
    ///   - zone: The share at the end in which the next track fades in, 0…1; clamped.
    ///   - marks: The shares at which chapters begin, 0…1; those outside are left out.
    ///   - screen: Where to draw.
    ///   - row: The row.
    ///   - column: The first column.
    ///   - width: Columns.
    ///   - glyphs: The characters to draw with.
    public static func drawSeekBar(
        _ share: Double, zone: Double = 0, marks: [Double] = [], on screen: inout Screen, row: Int, column: Int,
        width: Int, glyphs: Glyphs
    ) {
        guard width > 2 else { return }
        let knob = Int((clamped(share) * Double(width - 1)).rounded())
        screen.put(String(repeating: glyphs.passed, count: knob), row: row, column: column, style: .accent)
        screen.put(String(glyphs.knob), row: row, column: column + knob, style: .accent)
        screen.put(
            String(repeating: glyphs.coming, count: width - knob - 1), row: row, column: column + knob + 1, style: .dim)
        let cells = min(width - knob - 1, Int((clamped(zone) * Double(width)).rounded(.up)))
        screen.put(
            String(repeating: glyphs.coming, count: cells), row: row, column: column + width - cells, style: .second)
        for mark in marks where mark > 0 && mark < 1 {
            let place = Int((mark * Double(width - 1)).rounded())
            guard place != knob else { continue }
            screen.put(String(glyphs.mark), row: row, column: column + place, style: place < knob ? .accent : .plain)
        }
    }

    /// Draws a filled bar.
    ///
    /// - Parameters:
    ///   - share: The share that is filled, 0…1; clamped.
    ///   - style: The style of the filled part.
    ///   - screen: Where to draw.
    ///   - row: The row.
    ///   - column: The first column.
    ///   - width: Columns.
    ///   - glyphs: The characters to draw with.
    public static func drawGauge(
        _ share: Double, style: TextStyle, on screen: inout Screen, row: Int, column: Int, width: Int, glyphs: Glyphs
    ) {
        let filled = Int((clamped(share) * Double(width)).rounded())
        screen.put(String(repeating: glyphs.full, count: filled), row: row, column: column, style: style)
        screen.put(
            String(repeating: glyphs.empty, count: width - filled), row: row, column: column + filled, style: .dim)
    }

    /// A bar as plain text.
    ///
    /// - Parameters:
    ///   - share: The share that is filled, 0…1; clamped.
    ///   - width: Columns.
    ///   - glyphs: The characters to draw with.
    public static func text(_ share: Double, width: Int, glyphs: Glyphs) -> String {
        let filled = Int((clamped(share) * Double(width)).rounded())
        return String(repeating: glyphs.full, count: filled) + String(repeating: glyphs.empty, count: width - filled)
    }

    private static func clamped(_ share: Double) -> Double { share.isFinite ? min(1, max(0, share)) : 0 }
}
