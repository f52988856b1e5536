internal import Foundation

/// Divides a text into pieces that are spoken one after the other. flite makes all of a piece's features before its first
/// sample, so a piece is a sentence, and a long sentence is several.
enum FlitePieces {
    private static let longest = 240

    /// The pieces, as ranges of bytes.
    ///
    /// - Parameter text: ASCII.
    static func ranges(in text: [UInt8]) -> [Range<Int>] {
        var pieces: [Range<Int>] = []
        var start = 0
        var lastSpace: Int?
        for (index, byte) in text.enumerated() {
            let isSpace = byte == UInt8(ascii: " ")
            let endsSentence =
                isSpace && index > start && ".!?".utf8.contains(text[index - 1]) && !isInitial(text, before: index)
            if endsSentence || (index - start >= longest && (isSpace || lastSpace != nil)) {
                let end = endsSentence || isSpace ? index : lastSpace ?? index
                pieces.append(start..<end)
                start = end
                lastSpace = nil
            } else if isSpace {
                lastSpace = index
            }
        }
        pieces.append(start..<text.count)
        return pieces.filter { !$0.isEmpty }
    }

    /// Whether the full stop before a place belongs to an initial or a short word such as Dr.
    private static func isInitial(_ text: [UInt8], before index: Int) -> Bool {
        guard text[index - 1] == UInt8(ascii: ".") else { return false }
        let word = text[..<(index - 1)].reversed().prefix { $0 != UInt8(ascii: " ") }
        return word.count <= 2 || word.contains(UInt8(ascii: "."))
    }
}
