import CLibArchive
import Foundation
import PlayerApp

/// Reads bytes as a book, as a playlist in XML, or as lyrics; the first byte says which.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzOne(_ bytes: UnsafePointer<UInt8>, _ size: Int) -> CInt {
    guard size > 0 else { return 0 }
    let data = Data(bytes: bytes + 1, count: size - 1)
    do {
        switch bytes[0] % 6 {
        case 0: try check(EPUBReader.read(data, name: "archive"))
        case 1: try check(EPUBReader.read(archive(of: data), name: "documents"))
        case 2:
            let text = try TextDecoding(data, name: "markup").text
            let document = try MarkupText(text, name: "markup")
            try check(EPUBReader.Content(language: document.language, blocks: document.blocks))
        case 3:
            try check(EPUBReader.Content(blocks: PlainText.blocks(of: TextDecoding(data, name: "text").text)))
        case 4:
            let folder = URL(fileURLWithPath: "/music")
            let text = try TextDecoding(data, name: "list").text
            let entries = try XSPFReader.entries(in: text, relativeTo: folder, name: "list")
            let written = XSPFPlaylist.text(of: entries, relativeTo: folder)
            let copy = try XSPFReader.entries(in: written, relativeTo: folder, name: "copy")
            guard copy.count == entries.count else {
                fatalError("XSPF: of \(entries.count) tracks \(copy.count) are read back")
            }
        default:
            guard let lyrics = Lyrics(parsing: String(decoding: data, as: UTF8.self)) else { break }
            let times = lyrics.lines.compactMap(\.time)
            guard times.isEmpty || times.count == lyrics.lines.count, times == times.sorted() else {
                fatalError("the lines of lyrics are not in order")
            }
            _ = lyrics.line(at: 10)
        }
    } catch {
        guard error is InputError else { fatalError("an error that names no file: \(error)") }
    }
    return 0
}

/// Makes a book, whose places have to lie in its text and be in order.
private func check(_ content: EPUBReader.Content) throws {
    let book = try BookAssembler.book(title: "title", language: content.language, blocks: content.blocks)
    for ranges in [book.paragraphs, book.sentences] {
        var end = 0
        for range in ranges {
            guard range.lowerBound >= end, range.upperBound <= book.length else {
                fatalError("\(range) of \(book.length) bytes")
            }
            end = range.upperBound
        }
    }
    guard book.chapters.allSatisfy({ $0.start < book.length }) else { fatalError("a chapter begins behind the text") }
    _ = BookSections(book)
}

/// An archive with valid checksums, of documents that a byte of 0 separates.
private func archive(of data: Data) -> Data {
    let paths = ["META-INF/container.xml", "book/package.opf", "book/contents.xhtml", "book/1.xhtml", "book/2.xhtml"]
    var memory = [UInt8](repeating: 0, count: 2 * data.count + 1 << 16)
    var used = 0
    let archive = archive_write_new()
    archive_write_set_format_zip(archive)
    archive_write_set_options(archive, "zip:compression=store")
    archive_write_open_memory(archive, &memory, memory.count, &used)
    for (path, document) in zip(paths, data.split(separator: 0, omittingEmptySubsequences: false)) {
        let entry = archive_entry_new()
        archive_entry_set_pathname(entry, path)
        archive_entry_set_size(entry, la_int64_t(document.count))
        archive_entry_set_filetype(entry, 0o100000)
        archive_write_header(archive, entry)
        _ = document.withUnsafeBytes { archive_write_data(archive, $0.baseAddress, $0.count) }
        archive_entry_free(entry)
    }
    archive_write_close(archive)
    archive_write_free(archive)
    return Data(memory[..<used])
}
