internal import Foundation

/// Reads EPUB 2 and 3 without copy protection: the documents of the spine in their order.
enum EPUBReader {
    /// What was read of a book.
    struct Content {
        var title: String?
        var language: String?
        var blocks: [BookBlock] = []
        var notices: [String] = []
    }

    /// So many documents may be damaged before the whole book counts as damaged.
    private static let damageLimit = 8

    /// Reads a book.
    ///
    /// - Parameters:
    ///   - data: The archive.
    ///   - name: What errors call it.
    ///   - fileLimit: The most bytes of one document.
    ///   - limit: The most bytes of all documents.
    /// - Throws: ``InputError`` for what is no EPUB, is damaged, protected or too large.
    static func read(
        _ data: Data, name: String, fileLimit: Int = ZipArchive.fileLimit, limit: Int = BookAssembler.limit
    ) throws -> Content {
        let archive = try ZipArchive(data, name: name, fileLimit: fileLimit)
        guard let container = try text("META-INF/container.xml", of: archive) else {
            throw InputError(description: "\(name): a ZIP archive, but no EPUB: META-INF/container.xml is missing")
        }
        let path = MarkupScanner(container).lazy.compactMap { token -> String? in
            if case .start("rootfile", let values) = token { values["full-path"] } else { nil }
        }.first
        guard let path, let opf = try text(path, of: archive) else {
            throw InputError(description: "\(name): the EPUB does not say where its package document is")
        }
        let package = EPUBPackage(opf, at: path)
        guard !package.documents.isEmpty else {
            throw InputError(description: "\(name): the EPUB's list of documents is empty")
        }
        try checkProtection(of: package, in: archive, name: name)
        let titles = try package.contents.flatMap { contents in
            try text(contents, of: archive).map { EPUBPackage.titles($0, at: contents) }
        }
        return try content(of: package, titles: titles ?? [:], in: archive, name: name, limit: limit)
    }

    private static func content(
        of package: EPUBPackage, titles: [String: String], in archive: ZipArchive, name: String, limit: Int
    ) throws -> Content {
        var content = Content(title: package.title, language: package.language)
        var size = 0
        var repairs: [String] = []
        for path in package.documents {
            do {
                guard let data = try archive.content(of: path) else {
                    throw InputError(description: "\(name): \(path) is missing")
                }
                let document = try TextDecoding(data, name: "\(name): \(path)")
                repairs += document.notices
                size += document.text.utf8.count
                content.blocks += blocks(of: document.text, title: titles[path])
            } catch let error as InputError {
                content.notices.append("\(error); it is left out")
                guard content.notices.count < damageLimit else {
                    throw InputError(description: "\(name): too much of the EPUB is damaged: \(error)")
                }
            }
            guard size <= limit else {
                throw InputError(description: "\(name): longer than \(limit >> 20) MB when it is unpacked")
            }
        }
        if content.blocks.isEmpty, let reason = content.notices.first { throw InputError(description: reason) }
        content.notices += repairs.prefix(damageLimit)
        if repairs.count > damageLimit {
            content.notices.append("\(name): and \(repairs.count - damageLimit) more documents of that kind")
        }
        return content
    }

    private static func blocks(of document: String, title: String?) -> [BookBlock] {
        var blocks = MarkupText(document).blocks
        guard let title, !blocks.isEmpty, !blocks.contains(where: { $0.chapter != nil }) else { return blocks }
        blocks[0].chapter = title
        return blocks
    }

    private static func text(_ path: String, of archive: ZipArchive) throws -> String? {
        try archive.content(of: path).map { try TextDecoding($0, name: path).text }
    }

    /// Fonts may be protected; documents must not be.
    private static func checkProtection(of package: EPUBPackage, in archive: ZipArchive, name: String) throws {
        guard let list = try text("META-INF/encryption.xml", of: archive) else { return }
        let documents = Set(package.documents)
        for case .start("cipherreference", let values) in MarkupScanner(list) {
            guard let target = values["uri"], documents.contains(EPUBPackage.resolve(target, from: "")) else {
                continue
            }
            throw InputError(description: "\(name): the book is copy-protected and cannot be read")
        }
    }
}
