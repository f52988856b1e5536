/// A text that is shown as it is heard: every word and sign of it, with a line for each sentence.
public struct HighlightedText: Sendable {
    private let bytes: [UInt8]
    /// Where the text begins that was not shown, in UTF-8 bytes.
    private var shown = 0
    private var isAtLineStart = true

    /// Creates a text of which nothing was shown.
    ///
    /// - Parameter text: The text.
    public init(_ text: String) { bytes = Array(text.utf8) }

    /// Returns what is to be shown at a mark: up to the end of a word with the signs that follow it, or up to the beginning of a
    /// sentence.
    ///
    /// - Parameter mark: The word or sentence that is heard.
    public mutating func text(at mark: SpokenMark) -> String {
        guard mark.kind == "word" else {
            let text = take(until: mark.start)
            guard !isAtLineStart else { return text }
            isAtLineStart = true
            return text + "\n"
        }
        return take(until: endOfSigns(after: mark.end))
    }

    /// Returns what was not shown; the speech has ended.
    public mutating func rest() -> String { take(until: bytes.count) }

    /// Signs without a space before them belong to the word.
    private func endOfSigns(after end: Int) -> Int {
        let start = min(max(0, end), bytes.count)
        let signs = String(decoding: bytes[start...].prefix(64), as: UTF8.self).prefix { character in
            character.isPunctuation || character.isSymbol
        }
        return start + signs.utf8.count
    }

    private mutating func take(until end: Int) -> String {
        let end = min(end, bytes.count)
        guard shown < end else { return "" }
        defer { shown = end }
        var text = ""
        for character in String(decoding: bytes[shown..<end], as: UTF8.self) {
            // A control character of a file must not reach the terminal.
            let isControl = character.unicodeScalars.contains { $0.properties.generalCategory == .control }
            guard character.isWhitespace || isControl else {
                text.append(character)
                isAtLineStart = false
                continue
            }
            if !isAtLineStart, text.last != " " { text.append(" ") }
        }
        return text
    }
}
