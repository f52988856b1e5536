/// Breaks text into lines by the columns that it takes on a terminal.
///
/// Lines break at spaces and hyphens, and between ideographs, but not in front of closing marks or behind opening ones. A word that is
/// wider than the line is broken anywhere. Writing directions are left to the terminal.
public struct TextWrapper: Sendable {
    /// The columns of a line.
    public let width: Int

    private static let notAtStart = Set("、。，．・：；？！ー）〕］｝〉》」』】’”)]}»…,.;:?!%")
    private static let notAtEnd = Set("（〔［｛〈《「『【‘“([{«")

    /// Creates a wrapper.
    ///
    /// - Parameter width: The columns of a line; at least 1 is used.
    public init(width: Int) { self.width = max(1, width) }

    /// The lines of a text, in UTF-8 bytes, without the white space at their ends.
    ///
    /// - Parameter text: A text; its line breaks are kept.
    public func lines(of text: String) -> [Range<Int>] {
        var lines: [Range<Int>] = []
        var line = Line(start: 0)
        var place = 0
        var previous: Character?
        for character in text {
            let next = place + character.utf8.count
            defer {
                place = next
                previous = character
            }
            if character.isNewline {
                lines.append(line.range)
                line = Line(start: next)
                continue
            }
            if character.isWhitespace {
                line.addSpace(DisplayWidth.columns(of: " "))
                continue
            }
            let columns = DisplayWidth.columns(of: character)
            if Self.canBreak(between: previous, and: character) { line.breakHere(at: place) }
            while line.columns + columns > width, line.range.count > 0 {
                let (full, rest) = line.broken(at: place)
                lines.append(full)
                line = rest
            }
            line.add(columns, until: next, from: place)
        }
        lines.append(line.range)
        return lines
    }

    private static func canBreak(between left: Character?, and right: Character) -> Bool {
        guard let left, !left.isNewline else { return false }
        if left.isWhitespace { return true }
        if notAtStart.contains(right) || notAtEnd.contains(left) { return false }
        if left == "-" || left == "–" || left == "—" || left == "\u{200B}" { return right.isLetter || right.isNumber }
        return isWide(left) || isWide(right)
    }

    /// Whether a character is an ideograph or an emoji. Others, such as a consonant with a vowel sign, take two columns
    /// as well, and are parts of words.
    private static func isWide(_ character: Character) -> Bool {
        character.unicodeScalars.contains { $0.value == 0xFE0F || DisplayWidth.columns(of: Character($0)) == 2 }
    }

    /// A line that is being filled.
    private struct Line {
        private let start: Int
        /// Where the last character that is no white space ends.
        private var end: Int
        private(set) var columns = 0
        /// The last place where the line can be broken: the text up to there, and the columns that go to the next line.
        private var chance: (end: Int, start: Int, columns: Int)?

        init(start: Int, end: Int? = nil, columns: Int = 0) {
            self.start = start
            self.end = end ?? start
            self.columns = columns
        }

        var range: Range<Int> { start..<end }

        mutating func addSpace(_ width: Int) {
            // Spaces at the beginning of a line that was broken are not shown.
            if end > start { columns += width }
        }

        mutating func breakHere(at place: Int) { if end > start { chance = (end, place, columns) } }

        mutating func add(_ width: Int, until next: Int, from place: Int) {
            if end == start {
                self = Line(start: place, end: next, columns: width)
            } else {
                end = next
                columns += width
            }
        }

        /// The part that fits, and the remaining line.
        func broken(at place: Int) -> (Range<Int>, Line) {
            guard let chance else { return (range, Line(start: place)) }
            return (
                start..<chance.end,
                Line(start: chance.start, end: max(chance.start, end), columns: columns - chance.columns)
            )
        }
    }
}
