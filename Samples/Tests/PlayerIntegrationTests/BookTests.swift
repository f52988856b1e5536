import Foundation
import PlayerApp
import Testing

@testable import PlayerIntegration

/// Text files as books.
struct BookTests {
    private let shelf: Shelf

    init() throws { shelf = try Shelf() }

    @Test func linesAreJoinedWithExactRanges() throws {
        let book = try shelf.load(
            """
            The river runs past the old mill and under seven
            stone bridges. It is wide.\r

            Dr. Miller has not counted the ducks! “Why?” — They move.
            """
        ).book
        #expect(
            book.paragraphTexts == [
                "The river runs past the old mill and under seven stone bridges. It is wide.",
                "Dr. Miller has not counted the ducks! “Why?” — They move.",
            ])
        #expect(book.sentenceTexts.count == 5 && book.sentenceTexts[2].hasPrefix("Dr. Miller"), "\(book.sentenceTexts)")
        for (index, sentence) in book.sentences.enumerated() {
            #expect(book.sentenceIndex(at: sentence.lowerBound) == index)
            #expect(book.characterOffset(of: sentence.lowerBound) == book.string(0..<sentence.lowerBound).count)
        }
        #expect(book.sentenceIndex(at: book.length) == nil && book.title == "book")
    }

    @Test func verseAndListsKeepTheirLines() throws {
        let book = try shelf.load("Tiger, tiger, burning bright\nIn the forests of the night,\n\n- one\n- two\n").book
        #expect(book.paragraphTexts == ["Tiger, tiger, burning bright\nIn the forests of the night,", "- one\n- two"])
    }

    @Test func headingsAreChapters() throws {
        let book = try shelf.load(
            "Foreword\n========\nWords.\n\n# One #\nText of one.\n\nCHAPTER II.\nThe Sea\n\nText of two.\n\n第三章\n\nText.\n"
        ).book
        #expect(book.chapterTitles == ["Foreword", "One", "CHAPTER II. The Sea", "第三章"])
        #expect(book.chapters.allSatisfy { chapter in book.paragraphs.contains { $0.lowerBound == chapter.start } })
        #expect(book.headings.count == 4 && book.chapterIndex(at: book.length) == 3)
    }

    @Test func encodingsAreDetected() throws {
        let text = "Grüße aus Köln — „schön“."
        for (name, data) in [
            ("plain", Data(text.utf8)), ("marked", Data([0xEF, 0xBB, 0xBF]) + Data(text.utf8)),
            ("little", Data([0xFF, 0xFE]) + Data(text.utf16.flatMap { [UInt8($0 & 255), UInt8($0 >> 8)] })),
            ("big", Data([0xFE, 0xFF]) + Data(text.utf16.flatMap { [UInt8($0 >> 8), UInt8($0 & 255)] })),
        ] {
            let loaded = try shelf.load(data, as: name + ".txt")
            #expect(loaded.book.text == text && loaded.notices.isEmpty, "\(name)")
        }
        // In Windows-1252, which a notice reports.
        let latin = Data([0x47, 0x72, 0xFC, 0xDF, 0x65, 0x20, 0x96, 0x20, 0x80])
        let loaded = try shelf.load(latin, as: "old.txt")
        #expect(loaded.book.text == "Grüße – €" && loaded.notices.first?.contains("Latin-1") == true)
    }

    @Test func damagedTextIsReadWithNotice() throws {
        let damaged = try shelf.load(
            Data("Größe und Länge, ".utf8) + Data([0xFF, 0xC3]) + Data(" gut.".utf8), as: "d.txt")
        #expect(damaged.book.text.contains("Größe und Länge") && damaged.book.text.contains("gut."))
        #expect(damaged.notices.first?.contains("2 places are not valid UTF-8") == true, "\(damaged.notices)")
        let half = try shelf.load(Data([0xFF, 0xFE, 0x41, 0x00, 0x42]), as: "half.txt")
        #expect(half.book.text == "A" && half.notices.count == 1)
        let control = try shelf.load("a\u{1b}[2Jb\u{7}c\u{ad}d")
        #expect(control.book.text == "a [2Jb cd")
    }

    @Test func otherFilesAreRefused() throws {
        #expect(try shelf.refusal(of: Data([1, 0, 2]), as: "a.bin").contains("not a text"))
        #expect(try shelf.refusal(of: Data(), as: "empty.txt").contains("there is no text in it"))
        #expect(try shelf.refusal(of: Data(" \n\t\n".utf8), as: "blank.txt").contains("there is no text in it"))
        #expect(try shelf.refusal(of: Data("x".utf8), as: "a.epub").contains("not an EPUB"))
        let endless = Data(repeating: 0x61, count: 2 * BookAssembler.limit + 1)
        #expect(try shelf.refusal(of: endless, as: "endless.txt").contains("read it in parts"))
        for name in [shelf.folder.appendingPathComponent("missing.txt").path, "https://example.org/a.txt", "/dev/zero"]
        {
            #expect(throws: InputError.self, "\(name)") { try BookLoader([name]) }
        }
        try FileManager.default.createDirectory(
            at: shelf.folder.appendingPathComponent("none"), withIntermediateDirectories: true)
        #expect(throws: InputError.self) { try BookLoader([shelf.folder.appendingPathComponent("none").path]) }
    }

    @Test func foldersAreBooksOfChapters() throws {
        try shelf.put(Data("Ten.".utf8), as: "novel/10 last.txt")
        try shelf.put(Data("Two.".utf8), as: "novel/2 first.txt")
        try shelf.put(Data("# Three\n\nText.".utf8), as: "novel/3 titled.md")
        try shelf.put(Data([0, 1]), as: "novel/cover.jpg")
        let book = try BookLoader([shelf.folder.appendingPathComponent("novel").path]).book
        #expect(book.title == "novel" && book.chapterTitles == ["2 first", "Three", "10 last"])
        #expect(book.text == "Two.\n\nThree\n\nText.\n\nTen.")
    }

    @Test func markupIsStripped() throws {
        let loaded = try shelf.load(
            """
            <!DOCTYPE html><html lang="fr"><head><title>Un&nbsp;livre</title><style>p { a: "</p>" }</style>
            <script>if (a < b) document.write("<p>no</p>")</script></head><body><nav><a href="#x">Sommaire</a></nav>
            <h1>Cha<i>pitre</i> 1</h1><p class='a' id=b>L&#x2019;&eacute;t&#233;,<br/>enfin
            arriv&eacute; &amp; l&agrave;.</p><!-- <p>no</p> --><p>Oui &unknown; &lt;ici&gt;
            <a epub:type="noteref" href="#n">1</a><ruby>漢<rt>かん</rt></ruby></p><li>fin
            """, as: "livre.html")
        let book = loaded.book
        #expect(book.title == "Un livre" && book.language == "fr" && book.chapterTitles == ["Chapitre 1"])
        #expect(
            book.paragraphTexts == [
                "Chapitre 1", "L’été,\nenfin arrivé & là.", "Oui &unknown; <ici> 漢", "fin",
            ], "\(book.paragraphTexts)")
    }

    /// Only XML has CDATA sections and an internal subset. The entities of HTML are known in both.
    @Test func wellFormedDocumentsAreXML() throws {
        let book = try shelf.load(
            """
            <?xml version="1.0"?><!DOCTYPE html PUBLIC "-//W3C//DTD XHTML 1.1//EN" "x.dtd" [<!ENTITY own "no">]>
            <html xmlns="http://www.w3.org/1999/xhtml"><head><title>T</title></head><body><p/>
            <p>Caf&eacute;&nbsp;&own; &lt;<![CDATA[ <b> ]]>&#x2026;</p></body></html>
            """, as: "page.xhtml"
        ).book
        #expect(book.paragraphTexts == ["Café &own; < <b> …"], "\(book.paragraphTexts)")
    }

    /// Invalid markup is parsed and its readable text is kept.
    @Test(arguments: [
        "<", "<p", "<p a", "<p a=", "<p a='", "</", "</p", "<!", "<!--", "<![CDATA[", "<!DOCTYPE [", "<?", "<script>",
        "&", "&#;",
        "&#x110000;", "&#0;", "<p/><//><p></></p>", "<title>", "<rt><rt></rt>", "<a:>", "< p>",
    ])
    func invalidMarkupKeepsItsText(_ end: String) throws {
        let text = try MarkupText("<html><body><p>Begin.</p>" + end, name: "page").blocks.first?.text
        #expect(text == "Begin.")
        var random = SystemRandomNumberGenerator()
        for _ in 0..<200 {
            let noise = (0..<40).map { _ in "<>/!-='\"&;#[]?ap ".randomElement(using: &random).map(String.init) ?? "" }
            _ = try MarkupText(end + noise.joined(), name: "noise").blocks
        }
    }

    /// A ruby annotation may lack its end tag, as HTML allows.
    @Test(arguments: [
        "<ruby>漢<rt>かん</ruby>字", "<ruby>漢<rp>(<rt>かん<rp>)</ruby>字", "<ruby>漢<rt>かん<rb>字<rt>じ</ruby>",
        "<ruby>漢<rtc><rt>かん</rtc>字</ruby>", "<ruby>漢字<rt>かんじ",
    ])
    func rubyWithoutEndTagEnds(_ markup: String) throws {
        let blocks = try MarkupText("<p>\(markup)</p><p>雨</p>", name: "page").blocks
        #expect(blocks.map(\.text) == ["漢字", "雨"])
    }

    /// Numeric references to control characters have their meaning in Windows-1252.
    @Test func controlCharacterReferencesAreWindows1252() throws {
        let text = try MarkupText("<p>&#147;It&#146;s&#x94; &#133; &#8212; &#65;", name: "page").blocks.map(\.text)
        #expect(text == ["“It’s” … — A"])
    }

    @Test func invalidLanguagesAreIgnored() throws {
        for (said, language) in [
            ("en_US", "en-US"), ("zh-Hant_TW", "zh-Hant-TW"), (" de ", "de"), ("nds", "nds"), ("und", nil),
            ("mul", nil), ("zxx", nil), ("MIS", nil), ("und-Latn", nil), ("English", nil), ("x-mine", nil),
            ("en-", nil), ("en US", nil), ("", nil),
        ] {
            let book = try shelf.load("<html lang='\(said)'><p>Words.</p></html>", as: "page.html").book
            #expect(book.language == language, "\(said)")
        }
        // The language of the command line is used unchanged.
        let told = try shelf.load(Data("<html lang='und'><p>Words.</p></html>".utf8), as: "page.html", language: "fr")
        #expect(told.book.language == "fr")
    }

    @Test func directionControlsAreRemoved() throws {
        #expect(try shelf.load("a\u{202E}b\u{202C} \u{2067}c\u{2069}\u{200D}d").book.text == "ab c\u{200D}d")
    }

    /// A folder that is too long is refused before all files are read.
    @Test func tooLongFolderIsRefusedEarly() throws {
        for name in ["1", "2"] { try shelf.put(Data(repeating: 0x61, count: 600 << 10), as: "long/\(name).txt") }
        try shelf.put(Data([0, 1]), as: "long/3.txt")
        let path = shelf.folder.appendingPathComponent("long").path
        let refusal = try #require(throws: InputError.self) { try BookLoader([path], limit: 1 << 20) }
        #expect(refusal.description.contains("longer than 1 MB of text"))
    }

    @Test func hiddenFilesAreNotChapters() throws {
        try shelf.put(Data("One.".utf8), as: "mixed/1.txt")
        try shelf.put(Data([0, 1]), as: "mixed/._1.txt")
        try shelf.put(Data("Two.".utf8), as: "mixed/2.txt/inside.txt")
        let folder = shelf.folder.appendingPathComponent("mixed")
        try FileManager.default.createSymbolicLink(
            at: folder.appendingPathComponent("3.txt"), withDestinationURL: shelf.folder.appendingPathComponent("gone"))
        try FileManager.default.createSymbolicLink(
            at: folder.appendingPathComponent("4.txt"), withDestinationURL: try shelf.put(Data("Four.".utf8), as: "4"))
        let loaded = try BookLoader([folder.path])
        #expect(loaded.book.text == "One.\n\nFour.")
        #expect(loaded.source?.lastPathComponent == "mixed")
    }

    /// In a script of only comments every line is a heading.
    @Test(.timeLimit(.minutes(1))) func hundredThousandHeadingsAreRead() {
        let blocks = PlainText.blocks(of: String(repeating: "# comment\n", count: 100_000))
        #expect(blocks.count == 100_000 && blocks.allSatisfy { $0.chapter == "comment" })
    }

    @Test func headingsInsideParagraphsAreFound() {
        let blocks = PlainText.blocks(of: "Text\n# One\nTwo\n---\nChapter 3\nThe Sea\n## Four\nmore\nof it\nand more")
        #expect(blocks.map(\.text) == ["Text", "One", "Two", "Chapter 3 The Sea", "Four", "more\nof it\nand more"])
        #expect(blocks.map(\.isHeading) == [false, true, true, true, true, false])
    }

    /// A million characters without a space, and many end tags without a start tag.
    @Test(.timeLimit(.minutes(2))) func extremeDocumentsAreRead() throws {
        let long = try shelf.load(String(repeating: "a", count: 1_000_000))
        #expect(long.book.paragraphs.count == 1 && long.book.sentences.count == 1)
        let wide = try shelf.load(
            String(repeating: "<i>", count: 1_900) + String(repeating: "</b>", count: 100_000) + "x", as: "wide.html")
        #expect(wide.book.text == "x")
        let deep = Data((String(repeating: "<div>", count: 200_000) + "x").utf8)
        #expect(try shelf.refusal(of: deep, as: "deep.html") == "deep.html: elements are nested more than 2000 deep")
    }
}
