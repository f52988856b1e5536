/// Converts ranges of a text.
///
/// All ranges of this library are UTF-8 bytes from the beginning of the text: those of ``SpeechEvent``, of utterances, marks and
/// warnings, and the current word of a progress. Characters are counted only where a name says so, as in
/// `MediaPosition.characterOffset`. Ranges are clamped to the text.
public struct TextRanges: Sendable, Hashable {
    /// The text.
    public let text: String

    /// Creates a converter.
    ///
    /// - Parameter text: The text that the ranges belong to.
    public init(_ text: String) {
        // Offsets of bytes are found at once in a string that is stored as UTF-8.
        var text = text
        text.makeContiguousUTF8()
        self.text = text
    }

    /// The words of a range, for a view that highlights them.
    ///
    /// - Parameter range: UTF-8 bytes.
    public subscript(utf8 range: Range<Int>) -> Substring { text[indices(ofUTF8: range)] }

    /// The indices of a range.
    ///
    /// - Parameter range: UTF-8 bytes.
    public func indices(ofUTF8 range: Range<Int>) -> Range<String.Index> {
        let range = range.clamped(to: 0..<text.utf8.count)
        let start = text.utf8.index(text.startIndex, offsetBy: range.lowerBound)
        return start..<text.utf8.index(start, offsetBy: range.count)
    }

    /// A range in characters, as Swift counts them; takes as long as counting the text does.
    ///
    /// - Parameter range: UTF-8 bytes.
    public func characters(ofUTF8 range: Range<Int>) -> Range<Int> {
        let indices = indices(ofUTF8: range)
        let start = text[..<indices.lowerBound].count
        return start..<start + text[indices].count
    }

    /// A range in UTF-8 bytes; takes as long as counting the text does.
    ///
    /// - Parameter range: Characters, as Swift counts them.
    public func utf8(ofCharacters range: Range<Int>) -> Range<Int> {
        let start = text.index(text.startIndex, offsetBy: max(0, range.lowerBound), limitedBy: text.endIndex)
        guard let start else { return text.utf8.count..<text.utf8.count }
        let length = max(0, range.upperBound - max(0, range.lowerBound))
        let end = text.index(start, offsetBy: length, limitedBy: text.endIndex) ?? text.endIndex
        let offset = text.utf8.distance(from: text.startIndex, to: start)
        return offset..<offset + text.utf8.distance(from: start, to: end)
    }
}
