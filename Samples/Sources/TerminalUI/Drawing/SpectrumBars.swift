/// The bands of a spectrum as upright bars: -70 dB and less are empty, -10 dB fill them.
struct SpectrumBars {
    private static let lowest: Float = -70
    private static let highest: Float = -10
    /// Columns of a bar and the gap behind it.
    private static let step = 3

    /// The level of each band in dB, from the lowest up.
    let levels: [Float]

    /// The share of a bar that a level fills, 0…1.
    static func share(of level: Float) -> Double {
        guard level > lowest else { return 0 }
        return Double(min(1, (level - lowest) / (highest - lowest)))
    }

    /// Draws the bars, as many as the columns have room for; neighbouring bands share one where there is little.
    func draw(on screen: inout Screen, rows: Range<Int>, column: Int, width: Int, glyphs: Glyphs) {
        let count = min(levels.count, (width + 1) / Self.step)
        guard count > 0, !rows.isEmpty else { return }
        for bar in 0..<count {
            let bands = levels[bar * levels.count / count..<(bar + 1) * levels.count / count]
            let steps = Self.share(of: bands.max() ?? Self.lowest) * Double(rows.count * glyphs.heights.count)
            for line in 0..<rows.count {
                let filled = Int(steps.rounded()) - line * glyphs.heights.count
                guard filled > 0 else { break }
                let cell = String(
                    repeating: glyphs.heights[min(filled, glyphs.heights.count) - 1], count: Self.step - 1)
                let style: TextStyle = 2 * line >= rows.count ? .high : .low
                screen.put(cell, row: rows.upperBound - 1 - line, column: column + bar * Self.step, style: style)
            }
        }
    }
}
