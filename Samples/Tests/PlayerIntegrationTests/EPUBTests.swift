import Foundation
import PlayerApp
import Testing

@testable import PlayerIntegration

/// EPUB files as books.
struct EPUBTests {
    private let shelf: Shelf

    init() throws { shelf = try Shelf() }

    private static let container = """
        <?xml version="1.0"?><container xmlns="urn:oasis:names:tc:opendocument:xmlns:container"><rootfiles>
        <rootfile full-path="OEBPS/book.opf" media-type="application/oebps-package+xml"/></rootfiles></container>
        """

    private static func page(_ body: String) -> String {
        "<?xml version=\"1.0\"?><html xmlns=\"http://www.w3.org/1999/xhtml\"><head><title>t</title></head><body>\(body)</body></html>"
    }

    /// A package with a number of documents.
    private static func package(_ documents: [String], contents: String) -> String {
        let items = documents.enumerated().map {
            "<opf:item id='d\($0)' href='\($1)' media-type='application/xhtml+xml'/>"
        }
        let order = documents.indices.map { "<opf:itemref idref='d\($0)'/>" }
        return """
            <opf:package xmlns:opf="http://www.idpf.org/2007/opf"><opf:metadata><dc:title>The Mill &amp; the Sea</dc:title>
            <dc:language>en-GB</dc:language></opf:metadata><opf:manifest>\(items.joined())\(contents)
            <opf:item id="css" href="a.css" media-type="text/css"/></opf:manifest>
            <opf:spine>\(order.joined())<opf:itemref idref="missing"/></opf:spine></opf:package>
            """
    }

    private static let newContents =
        "<opf:item id='n' href='nav.xhtml' properties='nav' media-type='application/xhtml+xml'/>"
    private static let oldContents = "<opf:item id='n' href='toc.ncx' media-type='application/x-dtbncx+xml'/>"

    private func archive(_ change: (inout ZipWriter) -> Void = { _ in }) -> ZipWriter {
        var zip = ZipWriter()
        zip.add("mimetype", Data("application/epub+zip".utf8), stored: true)
        zip.add("META-INF/container.xml", Self.container)
        change(&zip)
        return zip
    }

    /// A book of three documents; only the table of contents has the title of the middle one.
    private func book(_ contents: String, _ change: (inout ZipWriter) -> Void = { _ in }) -> ZipWriter {
        archive { zip in
            zip.add(
                "OEBPS/book.opf", Self.package(["text/1.xhtml", "text/tw%6F.xhtml", "../3.xhtml"], contents: contents))
            zip.add("OEBPS/text/1.xhtml", Self.page("<h1>One</h1><p>First.</p>"))
            zip.add("OEBPS/text/two.xhtml", Self.page("<p>Second.</p>"))
            zip.add("3.xhtml", Self.page("<h2>Three</h2><p>Third &#8212; last.</p>"))
            change(&zip)
        }
    }

    @Test func spineAndTableOfContentsGiveOrderAndTitles() throws {
        let new = book(Self.newContents) {
            $0.add(
                "OEBPS/nav.xhtml",
                Self.page(
                    "<nav epub:type='toc'><ol><li><a href='text/two.xhtml#top'>The <b>Second</b></a></li></ol></nav>"))
        }
        let old = book(Self.oldContents) {
            $0.add(
                "OEBPS/toc.ncx",
                "<ncx><docTitle><text>x</text></docTitle><navMap><navPoint><navLabel><text>The Second</text></navLabel>"
                    + "<content src='text/two.xhtml'/></navPoint></navMap></ncx>")
        }
        for zip in [new, old] {
            let loaded = try shelf.load(zip.archive(), as: "mill.epub")
            #expect(loaded.book.title == "The Mill & the Sea" && loaded.book.language == "en-GB")
            #expect(loaded.book.text == "One\n\nFirst.\n\nSecond.\n\nThree\n\nThird — last.")
            #expect(loaded.book.chapterTitles == ["One", "The Second", "Three"])
            #expect(loaded.notices.isEmpty, "\(loaded.notices)")
        }
    }

    /// The second document is on no list of chapters.
    @Test func listsOfPagesAndLandmarksAreNoChapters() throws {
        let chapters = "<ol><li><a href='1.xhtml'>One</a></li></ol></nav>"
        let pages = "<nav epub:type='page-list'><ol><li><a href='2.xhtml'>12</a></li></ol></nav>"
        let oldPages =
            "<pageList><pageTarget type='normal'><navLabel><text>12</text></navLabel>"
            + "<content src='2.xhtml'/></pageTarget></pageList>"
        let lists: [(item: String, path: String, list: String)] = [
            (Self.newContents, "nav.xhtml", Self.page(pages + "<nav epub:type='toc'>" + chapters)),
            (Self.newContents, "nav.xhtml", Self.page("<nav>" + chapters + pages)),
            (
                Self.oldContents, "toc.ncx",
                "<ncx><navMap><navPoint><navLabel><text>One</text></navLabel><content src='1.xhtml'/></navPoint>"
                    + "</navMap>" + oldPages + "</ncx>"
            ),
        ]
        for (item, path, list) in lists {
            let zip = archive { zip in
                zip.add("OEBPS/book.opf", Self.package(["1.xhtml", "2.xhtml"], contents: item))
                zip.add("OEBPS/1.xhtml", Self.page("<p>First.</p>"))
                zip.add("OEBPS/2.xhtml", Self.page("<p>Second.</p>"))
                zip.add("OEBPS/\(path)", list)
            }
            #expect(try shelf.load(zip.archive(), as: "pages.epub").book.chapterTitles == ["One"], "\(path)")
        }
    }

    @Test func missingDocumentIsSkipped() throws {
        let zip = archive { zip in
            zip.add("OEBPS/book.opf", Self.package(["1.xhtml", "2.xhtml"], contents: ""))
            zip.add("OEBPS/2.xhtml", Self.page("<p>Second.</p>"))
        }
        let loaded = try shelf.load(zip.archive(), as: "gap.epub")
        #expect(loaded.book.text == "Second." && loaded.notices.first?.contains("1.xhtml is missing") == true)
    }

    @Test func doubtfulEncodingIsReported() throws {
        let names = (1...10).map { "\($0).xhtml" }
        let zip = archive { zip in
            zip.add("OEBPS/book.opf", Self.package(names, contents: ""))
            for name in names {
                zip.add("OEBPS/\(name)", Data("<p>Größe".utf8) + Data([0xFF]) + Data("</p>".utf8))
            }
        }
        let notices = try shelf.load(zip.archive(), as: "old.epub").notices
        #expect(notices.count == 9 && notices.last == "old.epub: and 2 more documents of that kind")
        #expect(notices.first == "old.epub: OEBPS/1.xhtml: 1 place is not valid UTF-8 and cannot be read")
    }

    // MARK: Hostile archives

    @Test func zipBombIsRefused() throws {
        let zip = archive { zip in
            zip.add("OEBPS/book.opf", Self.package(["bomb.xhtml", "1.xhtml"], contents: ""))
            zip.add("OEBPS/bomb.xhtml", Data(repeating: 0x61, count: 2 << 20))
            zip.add("OEBPS/1.xhtml", Self.page("<p>Text.</p>"))
        }
        #expect(zip.archive().count < 1 << 14)
        let one = try EPUBReader.read(zip.archive(), name: "bomb", fileLimit: 1 << 20)
        #expect(one.notices.first?.contains("larger than 1 MB when it is unpacked") == true)
        let many = archive { zip in
            let names = (0..<20).map { "\($0).xhtml" }
            zip.add("OEBPS/book.opf", Self.package(names, contents: ""))
            for name in names { zip.add("OEBPS/\(name)", Data(repeating: 0x61, count: 2 << 20)) }
        }
        let damaged = try #require(throws: InputError.self) {
            try EPUBReader.read(many.archive(), name: "bombs", fileLimit: 1 << 20)
        }
        #expect(damaged.description.contains("too much of the EPUB is damaged"))
        // The same document a thousand times.
        let large = archive { zip in
            zip.add("OEBPS/book.opf", Self.package(Array(repeating: "same.xhtml", count: 1_000), contents: ""))
            zip.add("OEBPS/same.xhtml", Data(repeating: 0x61, count: 1 << 17))
        }
        let endless = try #require(throws: InputError.self) {
            try EPUBReader.read(large.archive(), name: "large", limit: 1 << 20)
        }
        #expect(endless.description.contains("longer than 1 MB"))
    }

    @Test func copyProtectionIsNamedInTheError() throws {
        let encrypted = archive { zip in
            zip.add("OEBPS/book.opf", Self.package(["1.xhtml"], contents: ""))
            zip.add("OEBPS/1.xhtml", Data("x".utf8), flags: 1)
        }
        #expect(try shelf.refusal(of: encrypted.archive(), as: "a.epub").contains("is encrypted"))
        let rights = book("") {
            $0.add(
                "META-INF/encryption.xml",
                "<encryption><enc:CipherReference URI='OEBPS/text/1.xhtml'/></encryption>")
        }
        #expect(try shelf.refusal(of: rights.archive(), as: "b.epub").contains("copy-protected"))
        let fonts = book("") {
            $0.add("META-INF/encryption.xml", "<encryption><enc:CipherReference URI='OEBPS/font.otf'/></encryption>")
        }
        #expect(try shelf.refusal(of: fonts.archive(), as: "c.epub") == "")
    }

    @Test func damageIsNamedInTheError() throws {
        let cases: [(String, ZipWriter)] = [
            ("damaged: ZIP bad CRC", archive { $0.add("OEBPS/book.opf", Data("x".utf8), checksum: 1) }),
            ("compression method", archive { $0.add("OEBPS/book.opf", Data("x".utf8), method: 15) }),
            ("is damaged", archive { $0.add("OEBPS/book.opf", Data([0xFF, 0xFF, 0xFF]), stored: true, method: 8) }),
            ("where its package document is", archive { $0.add("other", "x") }),
            ("list of documents is empty", archive { $0.add("OEBPS/book.opf", "<package/>") }),
        ]
        for (reason, zip) in cases {
            let told = try shelf.refusal(of: zip.archive(), as: "bad.epub")
            #expect(told.contains(reason) && told.contains("bad.epub"), "\(told)")
        }
        var plain = ZipWriter()
        plain.add("a.txt", "x")
        #expect(try shelf.refusal(of: plain.archive(), as: "a.zip").contains("but no EPUB"))
        // The number of files in the end record is wrong; the list has an end without it.
        for entries in [9, 0xFFFF] {
            #expect(try shelf.refusal(of: book("").archive(entries: entries), as: "n.epub") == "", "\(entries)")
        }
    }

    @Test func tooManyFilesAreRefused() throws {
        var zip = archive()
        for number in 0...ZipArchive.entryLimit { zip.add("\(number)", Data(), stored: true) }
        #expect(try shelf.refusal(of: zip.archive(), as: "many.epub").contains("more than 20000 files"))
    }

    /// A reference cannot leave the archive, and an entry with such a path is never looked up.
    @Test func pathsStayInsideTheArchive() throws {
        let zip = archive { zip in
            zip.add("OEBPS/book.opf", Self.package(["../../../etc/passwd", "/1.xhtml"], contents: ""))
            zip.add("../etc/passwd", Self.page("<p>Outside.</p>"))
            zip.add("1.xhtml", Self.page("<p>Inside.</p>"))
        }
        let loaded = try shelf.load(zip.archive(), as: "up.epub")
        #expect(loaded.book.text == "Inside.")
        #expect(loaded.notices == ["up.epub: etc/passwd is missing; it is left out"])
    }

    @Test(arguments: [0, 0x800]) func pathsAreUnicode(flags: Int) throws {
        let zip = archive { zip in
            zip.add("OEBPS/book.opf", Self.package(["caf%C3%A9/章.xhtml"], contents: ""))
            zip.add("OEBPS/café/章.xhtml", Data(Self.page("<p>Text.</p>").utf8), flags: flags)
        }
        #expect(try shelf.load(zip.archive(), as: "paths.epub").book.text == "Text.")
    }

    /// An archive that is truncated or has a changed byte gives an error or a book, and no crash.
    @Test func damagedArchivesGiveErrorOrBook() throws {
        let whole = book(Self.newContents) { $0.add("OEBPS/nav.xhtml", Self.page("<a href='3.xhtml'>x</a>")) }.archive()
        for length in stride(from: 0, to: whole.count, by: 7) {
            #expect(throws: InputError.self) { try EPUBReader.read(whole.prefix(length), name: "cut") }
        }
        for place in stride(from: 0, to: whole.count, by: 3) {
            for value: UInt8 in [0, 0xFF] {
                var changed = whole
                changed[place] = value
                do {
                    _ = try EPUBReader.read(changed, name: "changed")
                } catch is InputError {}
            }
        }
    }
}
