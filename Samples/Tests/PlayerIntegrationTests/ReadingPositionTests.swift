import Foundation
import PlayerApp
import Testing

@testable import PlayerIntegration

/// The stored position of a book.
struct ReadingPositionTests {
    private let shelf: Shelf
    private let positions: ReadingPositions

    init() throws {
        shelf = try Shelf()
        positions = ReadingPositions(environment: ["XDG_STATE_HOME": shelf.folder.path, "HOME": "/nonexistent"])
    }

    private let sentences = (1...200).map { "This is sentence number \($0), and it says little more." }

    private func book(_ sentences: [String], _ name: String = "book.txt") throws -> (book: Book, source: URL?) {
        let loaded = try shelf.load(sentences.joined(separator: "\n\n"), as: name)
        return (loaded.book, loaded.source)
    }

    private func place(of text: String, in book: Book) throws -> Int {
        let range = try #require(book.text.utf8.firstRange(of: text.utf8))
        return book.text.utf8.distance(from: book.text.startIndex, to: range.lowerBound)
    }

    private func keep(_ text: String, in read: (book: Book, source: URL?), rate: Double = 1.5) throws -> ReadingPosition
    {
        let position = ReadingPosition(
            offset: try place(of: text, in: read.book), in: read.book,
            identity: ReadingPosition.identity(of: read.book),
            source: read.source, engine: "flite", voice: "slt", rate: rate)
        try positions.save(position)
        return position
    }

    private func resumed(_ read: (book: Book, source: URL?)) throws -> String? {
        let (kept, problem) = positions.position(of: read.book, source: read.source)
        #expect(problem == nil)
        guard let kept else { return nil }
        var request = ReadRequest(book: read.book, source: read.source, settings: .init(), output: .null)
        request.resume(kept, engines: ["espeak", "flite"])
        #expect(request.settings.rate == 1.5 && request.engine == "flite" && request.settings.voice == "slt")
        return read.book.sentenceIndex(at: request.start).map { read.book.string(read.book.sentences[$0]) }
    }

    @Test func folderFollowsXDGStateHome() throws {
        #expect(positions.folder.path == shelf.folder.path + "/descant/reading")
        #expect(
            ReadingPositions(environment: ["HOME": "/home/x"]).folder.path == "/home/x/.local/state/descant/reading")
        #expect(
            ReadingPositions(environment: ["HOME": "/home/x", "XDG_STATE_HOME": "relative"]).folder.path
                == "/home/x/.local/state/descant/reading")
    }

    @Test func storedPlaceIsFound() throws {
        let read = try book(sentences)
        #expect(try resumed(read) == nil)
        _ = try keep("number 120, and", in: read)
        #expect(try resumed(read) == sentences[119])
        // The same text at another path, in another encoding.
        let text = sentences.joined(separator: "\r\n\r\n")
        let wide = Data([0xFF, 0xFE]) + Data(text.utf16.flatMap { [UInt8($0 & 255), UInt8($0 >> 8)] })
        let moved = try shelf.load(wide, as: "elsewhere/other.txt")
        #expect(try resumed((moved.book, moved.source)) == sentences[119])
    }

    /// A file that was edited before, after and around the place.
    @Test func editedBookContinuesAtTheSentence() throws {
        let read = try book(sentences)
        _ = try keep("number 120, and", in: read)
        var edited = ["A new foreword.", "It is long.", String(repeating: "Very long. ", count: 50)] + sentences
        edited.removeSubrange(160..<180)
        #expect(try resumed(try book(edited)) == sentences[119])
        var around = sentences
        around[120] = "What follows is another sentence."
        #expect(try resumed(try book(around)) == sentences[119])
        around = sentences
        around[119] = "This sentence replaces the one."
        let near = try #require(try resumed(try book(around)))
        #expect(around[118...120].contains(near), "\(near)")
        // Nothing of the stored text is left: the same fraction of the length is used.
        let other = (1...200).map { "Word \($0)." }
        let there = try resumed(try book(other))
        let index = try #require(other.firstIndex { $0 == there })
        #expect((110...130).contains(index))
        // Another file is another book.
        #expect(try resumed(try book(edited, "other.txt")) == nil)
    }

    @Test func editedBookReplacesItsPosition() throws {
        let old = try keep("number 3, and", in: try book(sentences))
        let new = try keep("number 9, and", in: try book(Array(sentences.dropLast())))
        positions.forgetOthers(than: new, in: try book(Array(sentences.dropLast())).book)
        #expect(old.identity != new.identity)
        #expect(try FileManager.default.contentsOfDirectory(atPath: positions.folder.path) == [new.identity + ".json"])
    }

    /// Another book that was at the same path keeps its place.
    @Test func positionOfAnotherBookIsKept() throws {
        let read = try book(sentences)
        let old = try keep("number 30, and", in: read)
        let other = try book((1...50).map { "Wholly different words, \($0) of them." })
        let new = try keep("words, 9 of", in: other)
        positions.forgetOthers(than: new, in: other.book)
        #expect(old.path == new.path && old.path != nil)
        #expect(try FileManager.default.contentsOfDirectory(atPath: positions.folder.path).count == 2)
        #expect(try resumed(read) == sentences[29])
    }

    /// A book of several files does not replace the position of its first file.
    @Test func severalFilesHaveNoPathOfTheirOwn() throws {
        let first = try #require(try book(sentences, "ch1.txt").source)
        let second = try #require(try book(sentences, "ch2.txt").source)
        let both = try BookLoader([first.path, second.path])
        #expect(both.source == nil && both.book.title == "ch1")
    }

    /// A place after the end of its book is ignored.
    @Test func invalidPlacesAreIgnored() throws {
        let read = try book(sentences)
        var position = try keep("number 5, and", in: read)
        position.identity = "other"
        (position.offset, position.length) = (.max, 1)
        (position.before, position.after) = ("", "")
        #expect(position.place(in: read.book) == read.book.length)
        try FileManager.default.removeItem(at: positions.folder)
        try positions.save(position)
        #expect(positions.position(of: read.book, source: read.source).position == nil)
    }

    @Test func finishedBookStartsAtTheBeginning() throws {
        let read = try book(sentences)
        var request = ReadRequest(book: read.book, source: nil, settings: .init(), output: .null)
        request.resume(
            ReadingPosition(
                offset: read.book.length, in: read.book, identity: ReadingPosition.identity(of: read.book), source: nil,
                engine: "gone"), engines: ["flite"])
        #expect(request.start == 0 && request.engine == nil)
    }

    @Test func theVolumeIsThatOfTheLastTime() throws {
        let read = try book(sentences)
        func volume(afterKeeping volume: Double?) throws -> Double {
            var position = try keep("number 5, and", in: read)
            position.volume = volume
            try positions.save(position)
            let kept = try #require(positions.position(of: read.book, source: read.source).position)
            var request = ReadRequest(book: read.book, source: read.source, settings: .init(), output: .null)
            request.resume(kept, engines: [])
            return request.volume
        }
        #expect(try volume(afterKeeping: 0.4) == 0.4)
        #expect(try volume(afterKeeping: 7) == 1)
        #expect(try volume(afterKeeping: -1) == 0)
        // A file of an earlier version has none.
        #expect(try volume(afterKeeping: nil) == 1)
        let file = positions.folder.appendingPathComponent(ReadingPosition.identity(of: read.book) + ".json")
        #expect(try !String(contentsOf: file, encoding: .utf8).contains("\"volume\""))
    }

    @Test(arguments: ["", "{", "[]", "{\"offset\": -4}", "\u{0}\u{0}"])
    func damagedFileIsReportedAndIgnored(_ damage: String) throws {
        let read = try book(sentences)
        let position = try keep("number 5, and", in: read)
        let file = positions.folder.appendingPathComponent(position.identity + ".json")
        try Data(damage.utf8).write(to: file)
        let (kept, problem) = positions.position(of: read.book, source: read.source)
        #expect(kept == nil && problem?.contains(file.path) == true)
        // The file is written again.
        _ = try keep("number 6, and", in: read)
        #expect(try resumed(read) == sentences[5])
    }

    @Test func unwritableFolderIsNamedInTheError() throws {
        try Data().write(to: shelf.folder.appendingPathComponent("descant"))
        #expect(throws: InputError.self) { try keep("number 5, and", in: try book(sentences)) }
    }
}
