internal import Foundation

/// The readable paragraphs and headings of an HTML or XHTML document.
struct MarkupText {
    /// The paragraphs in their order.
    private(set) var blocks: [BookBlock] = []
    /// The title of the document.
    private(set) var title: String?
    /// The language of the document.
    private(set) var language: String?

    private var text = ""
    private var heading: String?
    /// The element that is being left out, and the number of open elements of its name.
    private var skipped: (name: String, depth: Int)?
    private var isTitle = false

    /// Elements that begin a paragraph.
    private static let divisions: Set<String> = [
        "p", "div", "li", "h1", "h2", "h3", "h4", "h5", "h6", "blockquote", "section", "article", "tr", "td", "th",
        "dd",
        "dt", "pre", "body", "figcaption", "hr", "header", "footer", "aside", "main", "ul", "ol", "table", "caption",
    ]
    /// Elements that are left out: navigation, pronunciations beside ideographs, content for programs.
    private static let unread: Set<String> = [
        "nav", "rt", "rp", "script", "style", "template", "math", "svg", "object",
    ]
    /// Headings that begin a chapter.
    private static let chapterHeadings: Set<String> = ["h1", "h2"]
    /// Reads a document.
    ///
    /// - Parameters:
    ///   - document: HTML or XHTML.
    ///   - name: The name in errors.
    /// - Throws: ``InputError`` when its elements are nested too deep.
    init(_ document: String, name: String) throws(InputError) {
        for token in try MarkupParser.tokens(of: document, name: name) {
            switch token {
            case .start(let name, let attributes): start(name, attributes)
            case .end(let name): end(name)
            case .text(let characters): add(characters)
            }
        }
        flush()
    }

    private mutating func start(_ name: String, _ attributes: [String: String]) {
        endReading(by: name, among: ["rt", "rp", "rb", "rtc"])
        if let skipped {
            if skipped.name == name { self.skipped?.depth += 1 }
            return
        }
        let isNoteMark = name == "a" && (attributes["type"] ?? "").contains("noteref")
        if Self.unread.contains(name) || isNoteMark {
            skipped = (name, 1)
            return
        }
        if name == "html", let tag = attributes["lang"], !tag.isEmpty { language = language ?? tag }
        if name == "title" {
            flush()
            isTitle = true
        }
        if name == "br" { text += "\n" }
        guard Self.divisions.contains(name) else { return }
        flush()
        if name.count == 2, name.first == "h", name != "hr" { heading = name }
    }

    private mutating func end(_ name: String) {
        endReading(by: name, among: ["ruby", "rtc"])
        if let skipped {
            guard skipped.name == name else { return }
            self.skipped = skipped.depth > 1 ? (name, skipped.depth - 1) : nil
            return
        }
        if name == "title", isTitle {
            title = title ?? Self.joined(text)
            text = ""
            isTitle = false
        }
        guard Self.divisions.contains(name) else { return }
        flush()
        if name == heading { heading = nil }
    }

    /// Ends a pronunciation beside ideographs at an element that cannot lie in it: its end tag is optional.
    private mutating func endReading(by name: String, among enders: Set<String>) {
        guard let skipped, skipped.name == "rt" || skipped.name == "rp" else { return }
        if enders.contains(name) || Self.divisions.contains(name) { self.skipped = nil }
    }

    private mutating func add(_ characters: String) {
        guard skipped == nil else { return }
        // Line breaks of the source are white space; those of the text are `br`.
        text += String(characters.map { $0.isNewline || $0 == "\t" ? " " : $0 })
    }

    private mutating func flush() {
        defer { text = "" }
        let paragraph = BookAssembler.tidied(text)
        guard !paragraph.isEmpty else { return }
        guard let heading else { return blocks.append(BookBlock(text: paragraph)) }
        let title = Self.joined(paragraph)
        blocks.append(
            BookBlock(text: title, isHeading: true, chapter: Self.chapterHeadings.contains(heading) ? title : nil))
    }

    private static func joined(_ text: String) -> String {
        text.split(whereSeparator: \.isWhitespace).joined(separator: " ")
    }
}
