public import Foundation
public import PlayerApp

/// Reads text, Markdown, HTML and EPUB files, and folders of chapters, as one book.
public struct BookLoader: Sendable {
    /// The book.
    public let book: Book
    /// Warnings about the files, one line each.
    public let notices: [String]
    /// The first file, or the folder; `nil` for standard input.
    public let source: URL?

    /// The largest file that is read, in bytes.
    private static let fileLimit = 256 << 20

    /// Reads a book.
    ///
    /// - Parameters:
    ///   - names: Files and folders, or `-` for standard input. Several make one book.
    ///   - language: The language; `nil` for that of the book.
    /// - Throws: ``InputError`` naming the file and the reason.
    public init(_ names: [String], language: String? = nil) throws {
        try self.init(names, language: language, limit: BookAssembler.limit)
    }

    /// Reads a book of up to `limit` bytes of text.
    init(_ names: [String], language: String? = nil, limit: Int) throws {
        var parts = try Self.parts(names, limit: limit)
        let first = names.first.flatMap { $0 == "-" ? nil : InputExpander.url(for: $0) }
        source = names.count == 1 ? first : nil
        let title = Self.title(of: parts, source: first)
        // Each of several files begins a chapter.
        if parts.count > 1 { for index in parts.indices { Self.beginChapter(&parts[index]) } }
        book = try BookAssembler.book(
            title: title, language: language ?? parts.lazy.compactMap { Self.tag($0.language) }.first,
            blocks: parts.flatMap(\.blocks))
        notices = parts.flatMap(\.notices)
    }

    /// Reads the files in their order, and throws as soon as they exceed the limit.
    private static func parts(_ names: [String], limit: Int) throws -> [EPUBReader.Content] {
        var parts: [EPUBReader.Content] = []
        var size = 0
        func add(_ part: EPUBReader.Content, _ name: String) throws {
            parts.append(part)
            size += part.blocks.reduce(0) { $0 + $1.text.utf8.count }
            guard size <= limit else {
                throw InputError(description: "\(name): longer than \(limit >> 20) MB of text; read it in parts")
            }
        }
        for name in names {
            if name == "-" {
                try add(try read(try standardInput(), name: "standard input", ending: "txt"), "standard input")
            } else {
                for file in try files(for: name) { try add(try read(file), name) }
            }
        }
        return parts
    }

    /// Returns a language tag that voices know; `nil` when the name is not a language: `und`, `mul`, `zxx`, `mis`, a word, empty.
    private static func tag(_ name: String?) -> String? {
        guard let name = name?.trimmingCharacters(in: .whitespacesAndNewlines).replacing("_", with: "-") else {
            return nil
        }
        let parts = name.split(separator: "-", omittingEmptySubsequences: false)
        guard let language = parts.first, (2...3).contains(language.count),
            language.allSatisfy({ $0.isASCII && $0.isLetter }),
            parts.dropFirst().allSatisfy({ part in
                (1...8).contains(part.count) && part.allSatisfy { $0.isASCII && ($0.isLetter || $0.isNumber) }
            })
        else { return nil }
        return ["und", "mul", "zxx", "mis"].contains(language.lowercased()) ? nil : name
    }

    private static func title(of parts: [EPUBReader.Content], source: URL?) -> String {
        if parts.count == 1, let title = parts[0].title { return title }
        return source?.deletingPathExtension().lastPathComponent ?? "standard input"
    }

    private static func beginChapter(_ part: inout EPUBReader.Content) {
        guard !part.blocks.isEmpty, !part.blocks.prefix(3).contains(where: { $0.chapter != nil }) else { return }
        part.blocks[0].chapter = part.title
    }

    // MARK: Files

    private static func files(for name: String) throws -> [URL] {
        let url = InputExpander.url(for: name)
        guard url.isFileURL else {
            throw InputError(
                description: "\(name): books are read from files; load it first, for instance with curl -O")
        }
        var isFolder: ObjCBool = false
        guard FileManager.default.fileExists(atPath: url.path, isDirectory: &isFolder) else {
            throw InputError(description: "\(name): there is no such file")
        }
        guard isFolder.boolValue else { return [url] }
        let names: [String]
        do {
            names = try FileManager.default.contentsOfDirectory(atPath: url.path)
        } catch {
            throw InputError(description: "\(name): the folder cannot be read: \(error.localizedDescription)")
        }
        let files = names.filter { !$0.hasPrefix(".") }.map { url.appendingPathComponent($0) }
            .filter { BookFile.isBook($0) && isFile($0) }
            .sorted {
                $0.lastPathComponent.compare($1.lastPathComponent, options: [.numeric, .caseInsensitive])
                    == .orderedAscending
            }
        guard !files.isEmpty else {
            throw InputError(
                description: "\(name): no chapters in this folder; files that end in "
                    + BookFile.endings.sorted().joined(separator: ", ") + " are read")
        }
        return files
    }

    private static func attributes(of url: URL) -> [FileAttributeKey: Any]? {
        try? FileManager.default.attributesOfItem(atPath: url.resolvingSymlinksInPath().path)
    }

    private static func isFile(_ url: URL) -> Bool {
        attributes(of: url)?[.type] as? FileAttributeType == .typeRegular
    }

    private static func read(_ url: URL) throws -> EPUBReader.Content {
        guard isFile(url) else {
            throw InputError(description: "\(url.path): not a readable file; for a stream use -")
        }
        guard (attributes(of: url)?[.size] as? Int ?? 0) <= fileLimit else {
            throw InputError(description: "\(url.path): larger than \(fileLimit >> 20) MB")
        }
        let data: Data
        do {
            data = try Data(contentsOf: url, options: .mappedIfSafe)
        } catch {
            throw InputError(description: "\(url.path): \(error.localizedDescription)")
        }
        let name = url.deletingPathExtension().lastPathComponent
        var content = try read(data, name: url.lastPathComponent, ending: url.pathExtension.lowercased())
        content.title = content.title ?? name
        return content
    }

    private static func standardInput() throws -> Data {
        var data = Data()
        while let more = try FileHandle.standardInput.read(upToCount: 1 << 20), !more.isEmpty {
            data += more
            guard data.count <= fileLimit else {
                throw InputError(description: "standard input: more than \(fileLimit >> 20) MB")
            }
        }
        return data
    }

    /// Reads one file, whose format is detected by its content: archives begin with "PK", markup with a bracket.
    private static func read(_ data: Data, name: String, ending: String) throws -> EPUBReader.Content {
        if data.starts(with: [0x50, 0x4B, 0x03, 0x04]) { return try EPUBReader.read(data, name: name) }
        if ending == "epub" { throw InputError(description: "\(name): not an EPUB: the ZIP header is missing") }
        // The limit for bytes is twice that for text, because UTF-16 may take two bytes for one byte of UTF-8.
        guard data.count <= 2 * BookAssembler.limit else {
            throw InputError(description: "\(name): longer than \(2 * BookAssembler.limit >> 20) MB; read it in parts")
        }
        let decoded = try TextDecoding(data, name: name)
        guard !isMarkup(decoded.text, ending: ending) else {
            let document = try MarkupText(decoded.text, name: name)
            return EPUBReader.Content(
                title: document.title, language: document.language, blocks: document.blocks, notices: decoded.notices)
        }
        return EPUBReader.Content(blocks: PlainText.blocks(of: decoded.text), notices: decoded.notices)
    }

    private static func isMarkup(_ text: String, ending: String) -> Bool {
        if ["html", "htm", "xhtml"].contains(ending) { return true }
        let start = text.prefix(200).drop(while: \.isWhitespace).lowercased()
        return start.hasPrefix("<!doctype html") || start.hasPrefix("<html") || start.hasPrefix("<?xml")
    }
}
