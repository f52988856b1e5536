/// A book in pieces that a window shows one at a time: chapters, and parts of long ones.
///
/// A text view lays a piece out in a few milliseconds, however long the book is.
public struct BookSections: Sendable, Equatable {
    /// A piece of a book as a text view takes it: with places in characters (Unicode scalars), from 0.
    public struct Section: Sendable, Equatable {
        /// The piece, in UTF-8 bytes of the book.
        public let range: Range<Int>
        /// Its text.
        public let text: String
        /// The headings in it, in characters of the text.
        public let headings: [Range<Int>]
    }

    /// After how many bytes a piece of a long chapter ends with the next paragraph.
    static let length = 32 << 10
    /// After how many bytes it ends with the next sentence, within a paragraph.
    static let longest = 2 * length

    /// Where the pieces begin, in UTF-8 bytes; the first one at 0.
    let starts: [Int]
    private let book: Book

    /// Divides a book.
    ///
    /// - Parameter book: The book.
    public init(_ book: Book) {
        self.book = book
        var starts = [0]
        // A chapter begins with its heading, which is a paragraph.
        let chapters = book.chapters.map {
            book.paragraphs.isEmpty ? $0.start : book.paragraphs[book.paragraph(at: $0.start)].lowerBound
        }
        for (start, end) in zip([0] + chapters, chapters + [book.length]) where start < end {
            if start > starts[starts.count - 1] { starts.append(start) }
            while let next = Self.cut(after: starts[starts.count - 1], in: book, before: end) { starts.append(next) }
        }
        self.starts = starts
    }

    /// Where a piece that begins at a place is to end before a limit; `nil` when it reaches to the limit.
    private static func cut(after start: Int, in book: Book, before end: Int) -> Int? {
        guard end - start > length else { return nil }
        let paragraph = book.paragraph(at: start + length) + 1
        if book.paragraphs.indices.contains(paragraph) {
            let next = book.paragraphs[paragraph].lowerBound
            if next - start <= longest { return next < end ? next : nil }
        } else if end - start <= longest {
            return nil
        }
        // The place lies in a sentence or before the next one.
        guard let sentence = book.sentenceIndex(at: start + length), book.sentences.indices.contains(sentence + 1)
        else {
            return nil
        }
        let next = book.sentences[sentence + 1].lowerBound
        return next < end ? next : nil
    }

    /// The range of the piece that a place lies in.
    ///
    /// - Parameter place: The place, in UTF-8 bytes; clamped to the book.
    func range(at place: Int) -> Range<Int> {
        let index = max(0, (starts.firstIndex { $0 > place } ?? starts.count) - 1)
        return starts[index]..<(index + 1 < starts.count ? starts[index + 1] : book.length)
    }

    /// The piece of a range.
    ///
    /// - Parameter range: What ``range(at:)`` has returned.
    func section(_ range: Range<Int>) -> Section {
        // A text view refuses the character that ends strings of C.
        let text = String(
            String.UnicodeScalarView(book.string(range).unicodeScalars.map { $0.value == 0 ? "\u{FFFD}" : $0 }))
        let first = book.paragraph(at: range.lowerBound)
        let headings = book.headings.filter { heading in
            heading >= first && book.paragraphs.indices.contains(heading)
                && range.contains(book.paragraphs[heading].lowerBound)
        }
        return Section(
            range: range, text: text,
            headings: headings.sorted().map { characters(of: book.paragraphs[$0], in: range) })
    }

    /// Converts a place of the book into characters of a piece.
    ///
    /// - Parameters:
    ///   - bytes: The place, in UTF-8 bytes of the book.
    ///   - range: The range of the piece.
    /// - Returns: The place; empty for a place that lies outside of the piece.
    func characters(of bytes: Range<Int>, in range: Range<Int>) -> Range<Int> {
        let part = bytes.clamped(to: range)
        let start = book.string(range.lowerBound..<part.lowerBound).unicodeScalars.count
        return start..<start + book.string(part).unicodeScalars.count
    }

    /// Converts a character of a piece into a place of the book.
    ///
    /// - Parameters:
    ///   - character: The character, from 0; clamped to the piece.
    ///   - range: The range of the piece.
    func place(ofCharacter character: Int, in range: Range<Int>) -> Int {
        let scalars = book.string(range).unicodeScalars.prefix(max(0, character))
        return range.lowerBound + scalars.reduce(0) { $0 + UTF8.width($1) }
    }
}
