internal import Foundation

/// Reads EPUB 2 and 3 without copy protection: the documents of the spine in their order.
enum EPUBReader {
    /// The text of a book and how it was read.
    struct Content {
        var title: String?
        var language: String?
        var blocks: [BookBlock] = []
        var notices: [String] = []
    }

    /// The number of damaged documents that makes the whole book unreadable.
    private static let damageLimit = 8

    /// Reads a book.
    ///
    /// - Parameters:
    ///   - data: The archive.
    ///   - name: The name in errors.
    ///   - fileLimit: The maximum size of one document, in bytes.
    ///   - limit: The maximum size of all documents, in bytes.
    /// - Throws: ``InputError`` when this is not an EPUB, or it is damaged, protected or too large.
    static func read(
        _ data: Data, name: String, fileLimit: Int = ZipArchive.fileLimit, limit: Int = BookAssembler.limit
    ) throws -> Content {
        let archive = ZipArchive(data, name: name, fileLimit: fileLimit)
        guard let container = try tokens(of: "META-INF/container.xml", in: archive) else {
            throw InputError(description: "\(name): a ZIP archive, but no EPUB: META-INF/container.xml is missing")
        }
        let path = container.lazy.compactMap { token -> String? in
            if case .start("rootfile", let values) = token { values["full-path"] } else { nil }
        }.first
        guard let path, let opf = try tokens(of: path, in: archive) else {
            throw InputError(description: "\(name): the EPUB does not say where its package document is")
        }
        let package = EPUBPackage(opf, at: path)
        guard !package.documents.isEmpty else {
            throw InputError(description: "\(name): the EPUB's list of documents is empty")
        }
        try checkProtection(of: package, in: archive, name: name)
        let titles = try package.contents.flatMap { contents in
            try tokens(of: contents, in: archive).map { EPUBPackage.titles($0, at: contents) }
        }
        let documents = try documents(of: package, in: archive, name: name, limit: limit)
        return try content(of: package, documents: documents, titles: titles ?? [:], name: name, limit: limit)
    }

    /// Unpacks the documents in one pass over the archive.
    private static func documents(
        of package: EPUBPackage, in archive: ZipArchive, name: String, limit: Int
    ) throws -> [String: Result<TextDecoding, any Error>] {
        var documents: [String: Result<TextDecoding, any Error>] = [:]
        var size = 0
        var failures = 0
        try archive.read(Set(package.documents)) { path, data in
            let document = Result { try TextDecoding(try data.get(), name: "\(name): \(path)") }
            documents[path] = document
            switch document {
            case .success(let document): size += document.text.utf8.count
            case .failure(let error):
                failures += 1
                guard failures < damageLimit else { throw tooMuchDamage(name, error) }
            }
            guard size <= limit else { throw tooLong(name, limit) }
        }
        return documents
    }

    private static func content(
        of package: EPUBPackage, documents: [String: Result<TextDecoding, any Error>], titles: [String: String],
        name: String, limit: Int
    ) throws -> Content {
        var content = Content(title: package.title, language: package.language)
        var size = 0
        var repairs: [String] = []
        for path in package.documents {
            do {
                guard let document = try documents[path]?.get() else {
                    throw InputError(description: "\(name): \(path) is missing")
                }
                repairs += document.notices
                size += document.text.utf8.count
                content.blocks += try blocks(of: document.text, title: titles[path], name: "\(name): \(path)")
            } catch let error as InputError {
                content.notices.append("\(error); it is left out")
                guard content.notices.count < damageLimit else { throw tooMuchDamage(name, error) }
            }
            // A spine may contain a document several times.
            guard size <= limit else { throw tooLong(name, limit) }
        }
        if content.blocks.isEmpty, let reason = content.notices.first { throw InputError(description: reason) }
        content.notices += repairs.prefix(damageLimit)
        if repairs.count > damageLimit {
            content.notices.append("\(name): and \(repairs.count - damageLimit) more documents of that kind")
        }
        return content
    }

    private static func blocks(of document: String, title: String?, name: String) throws -> [BookBlock] {
        var blocks = try MarkupText(document, name: name).blocks
        guard let title, !blocks.isEmpty, !blocks.contains(where: { $0.chapter != nil }) else { return blocks }
        blocks[0].chapter = title
        return blocks
    }

    private static func tokens(of path: String, in archive: ZipArchive) throws -> [MarkupToken]? {
        try archive.content(of: path).map { data in
            try MarkupParser.tokens(of: try TextDecoding(data, name: path).text, name: path)
        }
    }

    /// Refuses protected documents; protected fonts are not needed.
    private static func checkProtection(of package: EPUBPackage, in archive: ZipArchive, name: String) throws {
        let documents = Set(package.documents)
        for case .start("cipherreference", let values) in try tokens(of: "META-INF/encryption.xml", in: archive) ?? [] {
            guard let target = values["uri"], documents.contains(EPUBPackage.resolve(target, from: "")) else {
                continue
            }
            throw InputError(description: "\(name): the book is copy-protected and cannot be read")
        }
    }

    private static func tooLong(_ name: String, _ limit: Int) -> InputError {
        InputError(description: "\(name): longer than \(limit >> 20) MB when it is unpacked")
    }

    private static func tooMuchDamage(_ name: String, _ last: any Error) -> InputError {
        InputError(description: "\(name): too much of the EPUB is damaged: \(last)")
    }
}

/// The package document of an EPUB: title, language, and the documents in reading order.
private struct EPUBPackage {
    /// The title of the book.
    private(set) var title: String?
    /// The language of the book.
    private(set) var language: String?
    /// The paths of the documents in reading order.
    private(set) var documents: [String] = []
    /// The path of the table of contents: the navigation document of EPUB 3, else the NCX of EPUB 2.
    private(set) var contents: String?

    /// Reads a package document at a path of the archive.
    init(_ tokens: [MarkupToken], at path: String) {
        var items: [String: String] = [:]
        var (navigation, oldContents): (String?, String?)
        var order: [String] = []
        var element = ""
        for token in tokens {
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

    /// Returns the path that a reference names, without its fragment. The path cannot leave the archive.
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

    /// The table of contents among the lists of a document: pages and landmarks are no chapters.
    private static func chapterList(of tokens: [MarkupToken]) -> ArraySlice<MarkupToken> {
        func start(of name: String, where isWanted: ([String: String]) -> Bool) -> Int? {
            tokens.firstIndex { token in
                guard case .start(name, let values) = token else { return false }
                return isWanted(values)
            }
        }
        let named = start(of: "nav") { ($0["type"] ?? "").split(whereSeparator: \.isWhitespace).contains("toc") }
        let first = named ?? start(of: "nav") { _ in true } ?? start(of: "navmap") { _ in true }
        guard let first, case .start(let name, _) = tokens[first] else { return tokens[...] }
        return tokens[first..<(tokens[first...].firstIndex(of: .end(name)) ?? tokens.endIndex)]
    }

    /// Returns the titles that a table of contents at a path of the archive gives to documents.
    static func titles(_ tokens: [MarkupToken], at path: String) -> [String: String] {
        var titles: [String: String] = [:]
        var label = ""
        var link: String?
        /// The first title of a document names its beginning.
        func note(_ link: String?) {
            guard let link, let label = name(label) else { return }
            let target = resolve(link, from: path)
            if titles[target] == nil { titles[target] = label }
        }
        for token in chapterList(of: tokens) {
            switch token {
            case .start("a", let values):
                link = values["href"]
                label = ""
            case .start("navlabel", _): label = ""
            case .start("content", let values): note(values["src"])
            case .end("a"):
                note(link)
                link = nil
            case .text(let characters): label += characters
            case .start, .end: break
            }
        }
        return titles
    }
}
