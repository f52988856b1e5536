internal import Descant
internal import Foundation
internal import PlayerApp

/// Puts a book together out of its paragraphs.
enum BookAssembler {
    /// The most bytes of a book: four Bibles, or twice the longest novel.
    static let limit = 16 << 20

    /// Makes a book.
    ///
    /// - Parameters:
    ///   - title: What a person calls it.
    ///   - language: Its language.
    ///   - blocks: Its paragraphs; those without anything to read are left out.
    /// - Throws: ``InputError`` when nothing is left, or too much.
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

    /// What is neither seen nor heard: soft hyphens, byte order marks, and controls of direction, which terminals disagree on.
    private static func isUnseen(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar {
        case "\u{AD}", "\u{FEFF}", "\u{202A}"..."\u{202E}", "\u{2066}"..."\u{2069}": true
        default: false
        }
    }

    /// Text without control characters, soft hyphens and white space that nobody sees.
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
