internal import Foundation

/// What an EPUB says of itself: title, language, and its documents in the order of reading.
struct EPUBPackage {
    /// The book's title.
    private(set) var title: String?
    /// Its language.
    private(set) var language: String?
    /// The paths of the documents in the order of reading.
    private(set) var documents: [String] = []
    /// The path of the table of contents, of either kind.
    private(set) var contents: String?

    /// Reads a package document.
    ///
    /// - Parameters:
    ///   - text: The document.
    ///   - path: Its path in the archive.
    init(_ text: String, at path: String) {
        var items: [String: String] = [:]
        var (navigation, oldContents): (String?, String?)
        var order: [String] = []
        var element = ""
        for token in MarkupScanner(text) {
            switch token {
            case .start("item", let values):
                guard let id = values["id"], let href = values["href"] else { break }
                let target = Self.resolve(href, from: path)
                items[id] = target
                if (values["properties"] ?? "").split(separator: " ").contains("nav") { navigation = target }
                if values["media-type"] == "application/x-dtbncx+xml" { oldContents = target }
            case .start("itemref", let values):
                if let id = values["idref"], values["linear"] != "no" { order.append(id) }
            case .start(let name, _): element = name
            case .end: element = ""
            case .text(let characters) where element == "title" && title == nil: title = Self.name(characters)
            case .text(let characters) where element == "language" && language == nil: language = Self.name(characters)
            case .text: break
            }
        }
        documents = order.compactMap { items[$0] }
        contents = navigation ?? oldContents
    }

    private static func name(_ text: String) -> String? {
        let name = text.split(whereSeparator: \.isWhitespace).joined(separator: " ")
        return name.isEmpty ? nil : name
    }

    /// The path that a reference leads to, without the place inside the document. It cannot leave the archive.
    static func resolve(_ reference: String, from base: String) -> String {
        let bare = reference.prefix { $0 != "#" && $0 != "?" }
        let decoded = String(bare).removingPercentEncoding ?? String(bare)
        var parts = decoded.hasPrefix("/") ? [] : base.split(separator: "/").dropLast().map(String.init)
        for part in decoded.split(separator: "/") {
            switch part {
            case ".": break
            case "..": _ = parts.popLast()
            default: parts.append(String(part))
            }
        }
        return parts.joined(separator: "/")
    }

    /// The titles that a table of contents gives to documents: XHTML of EPUB 3, or NCX of EPUB 2.
    ///
    /// - Parameters:
    ///   - text: The table of contents.
    ///   - path: Its path in the archive.
    static func titles(_ text: String, at path: String) -> [String: String] {
        var titles: [String: String] = [:]
        var label = ""
        var link: String?
        for token in MarkupScanner(text) {
            switch token {
            case .start("a", let values):
                link = values["href"]
                label = ""
            case .start("navlabel", _): label = ""
            case .start("content", let values): note(label, values["src"], from: path, in: &titles)
            case .end("a"):
                note(label, link, from: path, in: &titles)
                link = nil
            case .text(let characters): label += characters
            case .start, .end: break
            }
        }
        return titles
    }

    private static func note(_ label: String, _ link: String?, from path: String, in titles: inout [String: String]) {
        guard let link, let label = name(label) else { return }
        let target = resolve(link, from: path)
        // The first title of a document is that of its beginning.
        if titles[target] == nil { titles[target] = label }
    }
}
