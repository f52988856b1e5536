/// A long text to be read aloud: paragraphs, sentences and chapters as places in one text.
///
/// Places are UTF-8 bytes of ``text``, as the marks of a voice are.
public struct Book: Sendable, Equatable {
    /// Where a chapter begins.
    public struct Chapter: Sendable, Hashable {
        /// The title to show.
        public var title: String
        /// The place.
        public var start: Int

        /// Creates a chapter.
        ///
        /// - Parameters:
        ///   - title: The title.
        ///   - start: The place.
        public init(title: String, start: Int) {
            self.title = title
            self.start = start
        }
    }

    /// The title of the book.
    public let title: String
    /// Its language as a BCP 47 tag, if it says so.
    public let language: String?
    /// Everything that is read aloud; paragraphs are separated by an empty line.
    public let text: String
    /// The paragraphs in their order; headings are paragraphs, too.
    public let paragraphs: [Range<Int>]
    /// Which paragraphs are headings.
    public let headings: Set<Int>
    /// The sentences in their order. The text between them is not spoken.
    public let sentences: [Range<Int>]
    /// The chapters in their order; may be none.
    public let chapters: [Chapter]

    private let bytes: [UInt8]
    /// The characters before each paragraph.
    private let characterStarts: [Int]

    /// Creates a book.
    ///
    /// - Parameters:
    ///   - title: The title.
    ///   - language: Its language as a BCP 47 tag.
    ///   - text: Everything that is read aloud.
    ///   - paragraphs: The paragraphs in their order, each within the text.
    ///   - headings: Which paragraphs are headings.
    ///   - sentences: The sentences in their order, each within the text.
    ///   - chapters: The chapters in their order.
    public init(
        title: String, language: String? = nil, text: String, paragraphs: [Range<Int>], headings: Set<Int> = [],
        sentences: [Range<Int>], chapters: [Chapter] = []
    ) {
        self.title = title
        self.language = language
        self.text = text
        self.paragraphs = paragraphs
        self.headings = headings
        self.sentences = sentences
        self.chapters = chapters
        let bytes = Array(text.utf8)
        self.bytes = bytes
        var counted = 0
        var end = 0
        characterStarts = paragraphs.map { paragraph in
            counted += String(decoding: bytes[end..<paragraph.lowerBound], as: UTF8.self).count
            defer {
                counted += String(decoding: bytes[paragraph], as: UTF8.self).count
                end = paragraph.upperBound
            }
            return counted
        }
    }

    /// The length of the text.
    public var length: Int { bytes.count }

    /// Returns the text of a range, clamped to the book.
    ///
    /// - Parameter range: The place.
    public func string(_ range: Range<Int>) -> String {
        String(decoding: bytes[range.clamped(to: 0..<bytes.count)], as: UTF8.self)
    }

    /// The index of the paragraph that a place lies in, or of the one before; 0 before the first one.
    ///
    /// - Parameter place: The place.
    public func paragraph(at place: Int) -> Int { max(0, Self.count(paragraphs) { $0.lowerBound <= place } - 1) }

    /// Returns the index of the sentence that a place lies in, or of the next one; `nil` after the last one.
    ///
    /// - Parameter place: The place.
    public func sentenceIndex(at place: Int) -> Int? {
        let index = Self.count(sentences) { $0.upperBound <= place }
        return index < sentences.count ? index : nil
    }

    /// The index of the chapter that a place lies in; `nil` before the first one.
    ///
    /// - Parameter place: The place.
    public func chapterIndex(at place: Int) -> Int? {
        let index = Self.count(chapters) { $0.start <= place } - 1
        return index >= 0 ? index : nil
    }

    /// The number of characters (grapheme clusters) before a place.
    ///
    /// - Parameter place: The place.
    public func characterOffset(of place: Int) -> Int {
        guard !paragraphs.isEmpty else { return 0 }
        let index = paragraph(at: place)
        let start = paragraphs[index].lowerBound
        return characterStarts[index] + (place > start ? string(start..<min(place, length)).count : 0)
    }

    /// The number of elements at the beginning of a list that meet a condition which no later element meets (binary search).
    private static func count<Element>(_ list: [Element], while holds: (Element) -> Bool) -> Int {
        var low = 0
        var high = list.count
        while low < high {
            let middle = (low + high) / 2
            if holds(list[middle]) { low = middle + 1 } else { high = middle }
        }
        return low
    }
}
