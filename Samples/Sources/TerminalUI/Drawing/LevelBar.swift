internal import Foundation

/// A level meter of one channel as a bar: -60 dBFS at its left end, full scale at its right end.
public struct LevelBar: Sendable, Equatable {
    /// The level at the left end, in dBFS.
    public static let floor = -60.0

    /// RMS in dBFS; -infinity for silence.
    public let rms: Double
    /// Peak in dBFS; -infinity for silence.
    public let peak: Double

    /// Creates a bar.
    ///
    /// - Parameters:
    ///   - rms: Linear RMS.
    ///   - peak: Linear peak.
    public init(rms: Float, peak: Float) {
        self.rms = 20 * log10(Double(rms))
        self.peak = 20 * log10(Double(peak))
    }

    /// The share of the bar that a level fills, 0…1.
    ///
    /// - Parameter decibels: A level in dBFS.
    public static func share(of decibels: Double) -> Double {
        guard decibels > floor else { return 0 }
        return min(1, 1 - decibels / floor)
    }

    /// The style of a cell at a place on the bar: above -12 dBFS high, above -1 critical.
    ///
    /// - Parameter share: The place, 0…1.
    public static func style(at share: Double) -> TextStyle {
        let decibels = floor * (1 - share)
        return decibels > -1 ? .critical : decibels > -12 ? .high : .low
    }

    /// The peak as text: "-12.3 dB", " -inf dB".
    public var label: String {
        guard peak.isFinite, peak > -99 else { return " -inf dB" }
        let text = String(format: "%.1f", peak)
        return String(repeating: " ", count: max(0, 5 - text.count)) + text + " dB"
    }

    /// The bar as plain text for logs and pipes.
    ///
    /// - Parameters:
    ///   - width: Columns.
    ///   - glyphs: The characters to draw with.
    public func text(width: Int, glyphs: Glyphs) -> String {
        let filled = Int((Self.share(of: rms) * Double(width)).rounded())
        let mark = peak > Self.floor ? min(width - 1, Int(Self.share(of: peak) * Double(width))) : -1
        return String((0..<width).map { $0 < filled ? glyphs.full : $0 == mark ? "|" : glyphs.empty })
    }

    /// Draws the bar.
    ///
    /// - Parameters:
    ///   - screen: Where to draw.
    ///   - row: The row.
    ///   - column: The first column.
    ///   - width: Columns.
    ///   - glyphs: The characters to draw with.
    public func draw(on screen: inout Screen, row: Int, column: Int, width: Int, glyphs: Glyphs) {
        let filled = Self.share(of: rms) * Double(width)
        let mark = peak > Self.floor ? min(width - 1, Int(Self.share(of: peak) * Double(width))) : -1
        for cell in 0..<width {
            let style = Self.style(at: Double(cell) / Double(width))
            let part = filled - Double(cell)
            if part >= 1 {
                screen.put(String(glyphs.full), row: row, column: column + cell, style: style)
            } else if cell == mark {
                screen.put(glyphs.eighths.isEmpty ? "|" : "▕", row: row, column: column + cell, style: style)
            } else if part >= 0.125, !glyphs.eighths.isEmpty {
                screen.put(String(glyphs.eighths[Int(part * 8) - 1]), row: row, column: column + cell, style: style)
            } else {
                screen.put(glyphs.eighths.isEmpty ? "." : "·", row: row, column: column + cell, style: .dim)
            }
        }
    }
}
