/// A stretch of text that is spoken in one breath: a sentence, or a part of one that is too long.
public struct TextSegment: Sendable, Hashable {
    /// What follows the segment, from the least to the maximum.
    public enum Boundary: Int, Sendable, Hashable, Comparable, CaseIterable {
        /// The same word: a run of characters without a space was too long.
        case run
        /// The same sentence.
        case clause
        /// Another sentence.
        case sentence
        /// Another paragraph, heading or item of a list.
        case paragraph

        /// By the length of the pause.
        ///
        /// - Parameters:
        ///   - left: A boundary.
        ///   - right: Another boundary.
        public static func < (left: Boundary, right: Boundary) -> Bool { left.rawValue < right.rawValue }
    }

    /// The place in the text, in UTF-8 bytes, without white space around it; whole grapheme clusters, except within clusters
    /// of more than 32 scalars.
    public var utf8Range: Range<Int>
    /// Whether a sentence begins here.
    public var beginsSentence: Bool
    /// What follows.
    public var boundary: Boundary

    /// Creates a segment.
    ///
    /// - Parameters:
    ///   - utf8Range: The place in the text, in UTF-8 bytes.
    ///   - beginsSentence: Whether a sentence begins here.
    ///   - boundary: What follows.
    public init(utf8Range: Range<Int>, beginsSentence: Bool = true, boundary: Boundary = .sentence) {
        self.utf8Range = utf8Range
        self.beginsSentence = beginsSentence
        self.boundary = boundary
    }
}
