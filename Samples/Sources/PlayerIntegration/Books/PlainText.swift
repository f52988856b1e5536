internal import Foundation

/// Paragraphs and headings of a plain text, Markdown's among them.
enum PlainText {
    /// A shorter line was broken on purpose, as in verse, lists and addresses.
    private static let shortLine = 45

    /// Divides a text: an empty line, or an indented one, begins a paragraph.
    ///
    /// Lines that were broken only to fit are joined. Headings are lines with `#` in front of them, lines underlined with `=` or `-`,
    /// and paragraphs such as "Chapter 7".
    ///
    /// - Parameter text: The text.
    static func blocks(of text: String) -> [BookBlock] {
        var blocks: [BookBlock] = []
        var lines: [Substring] = []
        func flush() {
            blocks += Self.blocks(ofParagraph: lines)
            lines = []
        }
        for line in text.split(omittingEmptySubsequences: false, whereSeparator: \.isNewline) {
            let isEmpty = line.allSatisfy(\.isWhitespace)
            if isEmpty || beginsParagraph(line, after: lines.last) { flush() }
            if !isEmpty { lines.append(line) }
        }
        flush()
        return blocks
    }

    private static func beginsParagraph(_ line: Substring, after previous: Substring?) -> Bool {
        guard let previous else { return false }
        let isIndented = line.hasPrefix("    ") || line.hasPrefix("\t") || line.hasPrefix("\u{3000}")
        let wasIndented = previous.hasPrefix("    ") || previous.hasPrefix("\t") || previous.hasPrefix("\u{3000}")
        // The first line of a paragraph is indented, verse and code are throughout.
        return isIndented && (!wasIndented || previous.count >= shortLine)
    }

    private static func blocks(ofParagraph lines: [Substring]) -> [BookBlock] {
        var blocks: [BookBlock] = []
        var index = 0
        while index < lines.count {
            let first = lines[index]
            if let title = markdownHeading(first) {
                blocks.append(heading(title))
                index += 1
            } else if index + 1 < lines.count, isUnderline(lines[index + 1]), first.count < 100 {
                blocks.append(heading(String(first)))
                index += 2
            } else {
                let end = lines[index...].firstIndex { markdownHeading($0) != nil } ?? lines.count
                blocks.append(block(of: Array(lines[index..<end])))
                index = end
            }
        }
        return blocks
    }

    /// Creates a block from lines without Markdown headings: a chapter line with its subtitle, or a paragraph.
    private static func block(of lines: [Substring]) -> BookBlock {
        if lines.count <= 2, let first = lines.first, isChapterLine(first) {
            return heading(lines.joined(separator: " "))
        }
        return BookBlock(text: joined(lines))
    }

    private static func heading(_ title: String) -> BookBlock {
        let title = title.trimmingCharacters(in: .whitespaces)
        return BookBlock(text: title, isHeading: true, chapter: title)
    }

    private static func joined(_ lines: [Substring]) -> String {
        var text = ""
        for (index, line) in lines.enumerated() {
            text += line
            guard index + 1 < lines.count else { break }
            text += line.count < shortLine || beginsItem(lines[index + 1]) ? "\n" : " "
        }
        return text
    }

    private static func beginsItem(_ line: Substring) -> Bool {
        line.drop(while: \.isWhitespace).prefixMatch(of: #/(?:[-*+•]|[0-9]{1,3}[.)])\s/#) != nil
    }

    private static func markdownHeading(_ line: Substring) -> String? {
        guard let match = line.prefixMatch(of: #/#{1,6}\s+/#) else { return nil }
        let title = line[match.range.upperBound...].trimmingCharacters(in: CharacterSet(charactersIn: "# \t"))
        return title.isEmpty ? nil : title
    }

    private static func isUnderline(_ line: Substring) -> Bool {
        let line = line.trimmingCharacters(in: .whitespaces)
        return line.count >= 3 && (line.allSatisfy { $0 == "=" } || line.allSatisfy { $0 == "-" })
    }

    /// "Chapter 7", "PART II: The Sea", "Kapitel 3", "第三章".
    private static func isChapterLine(_ line: Substring) -> Bool {
        guard line.count <= 80 else { return false }
        let line = line.drop(while: \.isWhitespace)
        let western =
            #/(?i)(?:chapter|part|book|kapitel|teil|chapitre|partie|cap[ií]tulo|capitolo|parte)\s+(?:[0-9]{1,4}|[ivxlcdm]{1,8}|one|two|three|four|five|six|seven|eight|nine|ten)\b/#
        return line.prefixMatch(of: western) != nil || line.prefixMatch(of: #/第[0-9一二三四五六七八九十百零〇]{1,6}[章回部]/#) != nil
    }
}
