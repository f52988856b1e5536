internal import Descant
internal import Foundation
internal import PlayerApp

/// A paragraph of a book that is being assembled.
struct BookBlock: Sendable, Hashable {
    /// The text. Line breaks are kept, other white space is collapsed.
    var text: String
    /// Whether it is a heading.
    var isHeading = false
    /// The title of the chapter that begins here.
    var chapter: String?
}

/// Builds a book from paragraphs.
enum BookAssembler {
    /// The maximum length of a book, in bytes of UTF-8.
    static let limit = 16 << 20

    /// Makes a book.
    ///
    /// - Parameters:
    ///   - title: The title, which errors name.
    ///   - language: The language as a BCP 47 tag.
    ///   - blocks: The paragraphs; empty ones are left out.
    /// - Throws: ``InputError`` when no text is left, or more than ``limit``.
    static func book(title: String, language: String?, blocks: [BookBlock]) throws -> Book {
        var text = ""
        var paragraphs: [Range<Int>] = []
        var headings: Set<Int> = []
        var chapters: [Book.Chapter] = []
        var pending: String?
        for block in blocks {
            pending = block.chapter ?? pending
            let clean = tidied(block.text)
            guard !clean.isEmpty else { continue }
            if !text.isEmpty { text += "\n\n" }
            let start = text.utf8.count
            text += clean
            guard text.utf8.count <= limit else {
                throw InputError(
                    description: "\(title): longer than \(limit >> 20) MB of text; read it in parts")
            }
            if block.isHeading { headings.insert(paragraphs.count) }
            if let pending { chapters.append(Book.Chapter(title: tidied(pending), start: start)) }
            pending = nil
            paragraphs.append(start..<text.utf8.count)
        }
        guard !paragraphs.isEmpty else { throw InputError(description: "\(title): there is no text in it") }
        let segments = TextSegmenter(language: language).segments(of: text)
        return Book(
            title: title, language: language, text: text, paragraphs: paragraphs, headings: headings,
            sentences: sentences(of: segments), chapters: chapters)
    }

    private static func sentences(of segments: [TextSegment]) -> [Range<Int>] {
        var sentences: [Range<Int>] = []
        for segment in segments {
            if segment.beginsSentence || sentences.isEmpty {
                sentences.append(segment.utf8Range)
            } else {
                let start = sentences.removeLast().lowerBound
                sentences.append(start..<segment.utf8Range.upperBound)
            }
        }
        return sentences
    }

    /// Whether a character is neither visible nor spoken: soft hyphens, byte order marks, direction controls.
    private static func isUnseen(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar {
        case "\u{AD}", "\u{FEFF}", "\u{202A}"..."\u{202E}", "\u{2066}"..."\u{2069}": true
        default: false
        }
    }

    /// Returns text without control characters, soft hyphens and repeated white space.
    static func tidied(_ text: String) -> String {
        text.split(whereSeparator: \.isNewline).map { line in
            var scalars = String.UnicodeScalarView()
            for scalar in line.unicodeScalars where !isUnseen(scalar) {
                let isBlank = scalar.properties.generalCategory == .control || scalar.properties.isWhitespace
                if !isBlank { scalars.append(scalar) } else if scalars.last != " " { scalars.append(" ") }
            }
            return String(scalars).trimmingCharacters(in: .whitespaces)
        }.filter { !$0.isEmpty }.joined(separator: "\n")
    }
}
