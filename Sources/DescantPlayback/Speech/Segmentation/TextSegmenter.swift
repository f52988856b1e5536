/// Divides text into what is spoken in one breath: sentences, and parts of those that are too long.
///
/// Knows abbreviations, initials, decimals, quotes, ellipses, lists, and the marks of Latin, Greek, Cyrillic, Arabic, Indic and
/// East Asian scripts, also mixed. It takes time in proportion to the text, whatever the text is: a run of characters without a
/// space is divided as well. Stretches without anything to speak belong to no segment.
public struct TextSegmenter: Sendable, Hashable {
    /// The language as a BCP 47 tag, for its rules of writing; `nil` for those that are common.
    public var language: String?
    /// The longest segment, in Unicode scalars; 1 or more.
    public var longestSegment: Int
    /// The longest run without a space, in Unicode scalars; 1 or more. Ideographs do not count.
    public var longestRun: Int

    /// Creates a segmenter.
    ///
    /// - Parameters:
    ///   - language: The language as a BCP 47 tag.
    ///   - longestSegment: The longest segment, in Unicode scalars.
    ///   - longestRun: The longest run without a space, in Unicode scalars.
    public init(language: String? = nil, longestSegment: Int = 400, longestRun: Int = 100) {
        self.language = language
        self.longestSegment = longestSegment
        self.longestRun = longestRun
    }

    /// The segments of a text, in order.
    ///
    /// - Parameter text: The text; damaged UTF-8 counts as what Swift repairs it to.
    public func segments(of text: String) -> [TextSegment] {
        let scanned = ScannedText(text)
        let divider = SentenceDivider(scanned, limit: longestSegment, longestRun: longestRun)
        var segments: [TextSegment] = []
        SentenceBreaker(scanned, language: language).forEachSentence { sentence, boundary in
            let before = segments.count
            divider.forEachPiece(of: sentence, boundary: boundary) { piece, isFirst, boundary in
                segments.append(
                    TextSegment(
                        utf8Range: scanned.offsets[piece.lowerBound]..<scanned.offsets[piece.upperBound],
                        beginsSentence: isFirst, boundary: boundary))
            }
            // A stretch without words, such as a line of asterisks, sets apart what is before it.
            if segments.count == before, let last = segments.indices.last {
                segments[last].boundary = max(segments[last].boundary, boundary)
            }
        }
        return segments
    }
}

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
