import Foundation
import Observation
import Synchronization
import Testing

@testable import PlayerApp

/// The page of a window that reads books aloud, beside the music.
@MainActor
@Suite(.timeLimit(.minutes(2)))
struct ReaderPanelTests {
    private let player = ListPlayer(["a", "b"])
    private let shelf = FakeShelf()
    private static let mill = URL(fileURLWithPath: "/b/mill.epub")

    private func window(_ preferences: ViewPreferences = ViewPreferences()) -> PlayerWindowModel {
        let state = AppState(player: player, entries: player.list, volume: 0.5, staysOpen: true)
        player.state = state
        return PlayerWindowModel(state, preferences: preferences, books: shelf)
    }

    private func wait(_ condition: () -> Bool) async { while !condition() { await Task.yield() } }

    /// A window that reads a book.
    private func reading() async throws -> (model: PlayerWindowModel, page: ReaderPanelModel, reader: FakeReader) {
        let model = window()
        let page = try #require(model.reader)
        model.open([Self.mill])
        await wait { shelf.readers.last?.commands.contains("start") == true }
        return (model, page, try #require(shelf.readers.last))
    }

    private func tell(_ page: ReaderPanelModel, _ updates: ReaderUpdate...) {
        for update in updates { page.book?.apply(update) }
    }

    // MARK: Opening

    @Test func booksGoToTheReaderAndMusicToTheList() async throws {
        let model = window()
        let page = try #require(model.reader)
        let song = URL(fileURLWithPath: "/m/x.flac")
        model.open([Self.mill, song])
        #expect(model.page == .reader && page.isOpening && page.book == nil)
        await wait { page.book != nil && player.titles == ["a", "b", "x"] }
        await wait { shelf.readers.last?.commands == ["volume 0.5", "start"] }
        // The book is to be heard: the track waits.
        #expect(!player.commands.contains { $0.hasPrefix("jump") })
        #expect(page.title == "Mill" && !page.isOpening && model.preferences.book == Self.mill)
        model.show(.playlist)
        model.drop([URL(fileURLWithPath: "/b/notes.TXT")], before: 0)
        await wait { shelf.asked.count == 2 }
        #expect(model.page == .reader && player.titles == ["a", "b", "x"])
        // Web pages and folders are no books.
        model.open([try #require(URL(string: "https://example.org/x.html"))])
        await wait { player.commands.last == "jump 3" }
        #expect(shelf.asked.count == 2)
        // Unless a person says so.
        model.show(.playlist)
        model.openBook([URL(fileURLWithPath: "/b/README")])
        await wait { shelf.asked.count == 3 }
        #expect(model.page == .reader)
    }

    @Test func textsAmongSoundFilesAreNoBooks() async throws {
        let model = window()
        let album = ["1.flac", "2.FLAC", "cover.jpg", "notes.txt", "log.html"].map { URL(fileURLWithPath: "/m/\($0)") }
        model.open(album)
        await wait { player.commands.last == "jump 2" }
        #expect(player.commands.first == "entries of 1.flac,2.FLAC,cover.jpg,notes.txt,log.html")
        #expect(model.page == .playlist && shelf.asked.isEmpty)
        // Without sound beside them they are a book.
        model.drop(Array(album.suffix(3)), before: nil)
        await wait { shelf.asked == [["notes.txt", "log.html"]] }
        #expect(model.page == .reader)
        // Its picture is no track.
        #expect(!player.commands.contains { $0.hasPrefix("entries of cover") })
    }

    @Test func theBookThatWasOpenedLastStays() async throws {
        let (_, page, first) = try await reading()
        page.open([URL(fileURLWithPath: "/b/second.txt")])
        page.open([URL(fileURLWithPath: "/b/third.txt"), URL(fileURLWithPath: "/b/fourth.txt")])
        await wait { shelf.asked.last == ["third.txt", "fourth.txt"] && !page.isOpening }
        await wait { shelf.readers.last?.commands.contains("start") == true }
        // The first one has kept its place; one that came in between has not begun.
        #expect(first.commands.last == "stop")
        #expect(shelf.readers.dropFirst().dropLast().allSatisfy { $0.commands == ["stop"] })
        await page.close()
        #expect(shelf.readers.allSatisfy { $0.commands.last == "stop" })
        page.open([Self.mill])
        #expect(!page.isOpening)
    }

    @Test func aBookThatCannotBeOpenedLeavesThePresentOne() async throws {
        let (model, page, reader) = try await reading()
        shelf.refusal.withLock { $0 = "lost.txt: there is no such file" }
        page.open([URL(fileURLWithPath: "/b/lost.txt")])
        await wait { model.banner != nil }
        #expect(model.banner?.text == "lost.txt: there is no such file" && model.banner?.isError == true)
        #expect(page.title == "Mill" && !reader.commands.contains("stop") && model.preferences.book == Self.mill)
        model.dismissBanner()
        tell(page, .notice(Notice(.warning, "the voice is missing")))
        #expect(model.banner?.text == "the voice is missing")
        model.dismissBanner()
        #expect(model.banner == nil)
    }

    @Test func theNewerMessageOfMusicAndBookIsShown() async throws {
        let (model, page, _) = try await reading()
        model.state.apply(.notice(Notice(.warning, "a.flac is damaged")))
        tell(page, .notice(Notice(.error, "the voice is missing")))
        #expect(model.banner?.text == "the voice is missing" && model.banner?.isError == true)
        model.state.apply(.notice(Notice(.warning, "b.flac is damaged")))
        #expect(model.banner?.text == "b.flac is damaged")
        model.dismissBanner()
        #expect(model.banner == nil)
    }

    @Test func theLastBookIsOfferedAgain() async throws {
        var preferences = ViewPreferences()
        preferences.book = Self.mill
        let read = try JSONDecoder().decode(ViewPreferences.self, from: try JSONEncoder().encode(preferences))
        let page = try #require(window(read).reader)
        #expect(page.lastFileText == "Go on reading mill" && page.book == nil && shelf.asked.isEmpty)
        page.openLastFile()
        await wait { page.book != nil }
        #expect(shelf.asked == [["mill.epub"]] && page.lastFileText == "")
    }

    // MARK: Music and book

    @Test func onlyOneOfMusicAndBookIsHeard() async throws {
        let (model, page, reader) = try await reading()
        #expect(!model.isHeard)
        model.state.apply(.activity(.playing))
        await wait { model.heard == .music }
        #expect(!player.commands.contains("pause") && model.isHeard)
        tell(page, .activity(.preparing))
        await wait { player.commands.contains("pause") }
        model.state.apply(.activity(.paused))
        #expect(model.isHeard)
        tell(page, .activity(.paused))
        #expect(!model.isHeard)
        model.state.apply(.notice(Notice(.warning, "a.flac is damaged")))
        tell(page, .activity(.playing))
        await wait { model.sounding == (false, true) }
        #expect(!reader.commands.contains("hold"))
        tell(page, .notice(Notice(.warning, "the voice is missing")))
        model.state.apply(.activity(.preparing))
        await wait { reader.commands.contains("hold") }
        #expect(player.commands.count { $0 == "pause" } == 1)
        // Nobody has given these commands, so nobody has seen the messages.
        tell(page, .activity(.paused))
        await wait { model.sounding == (true, false) }
        tell(page, .activity(.playing))
        await wait { player.commands.count { $0 == "pause" } == 2 }
        #expect(model.banner?.text == "the voice is missing")
        #expect(model.state.notices.shown?.text == "a.flac is damaged")
        page.togglePause()
        #expect(model.banner?.text == "a.flac is damaged")
    }

    @Test func mediaKeysReachWhatWasHeardLast() async throws {
        let (model, page, reader) = try await reading()
        tell(page, .activity(.playing))
        await wait { model.heard == .book }
        model.show(.playlist)
        #expect(model.press(WindowKey("AudioPlay"), focus: .other))
        await wait { reader.commands.last == "pause" }
        #expect(model.press(WindowKey("AudioNext"), focus: .other))
        await wait { reader.commands.last == "next sentence" }
        // Other keys belong to the page.
        #expect(model.press(WindowKey("space"), focus: .other))
        await wait { player.commands.last == "togglePause" }
        tell(page, .activity(.paused))
        model.state.apply(.activity(.playing))
        await wait { model.heard == .music }
        #expect(model.press(WindowKey("AudioNext"), focus: .other))
        await wait { player.commands.last == "next" }
    }

    @Test func theWindowsVolumeIsThatOfTheBook() async throws {
        let (model, _, reader) = try await reading()
        #expect(reader.commands.first == "volume 0.5")
        await model.state.carryOut(.setVolume(0.25))
        await wait { reader.commands.last == "volume 0.25" }
        await model.state.carryOut(.toggleMute)
        await wait { reader.commands.last == "volume 0.0" }
    }

    @Test func musicAndBookHaveOneSleepTimer() async throws {
        let (model, page, reader) = try await reading()
        tell(page, .activity(.playing), .place(0, word: nil))
        model.setSleep(2)
        await wait { model.sleepIndex == 2 }
        #expect(page.book?.sleep == .after(minutes: 30) && model.statusText == "sleep in 30:00")
        tell(page, .time(3, duration: 60, isEstimated: true))
        #expect(model.statusText == "sleep in 29:57")
        // A book that is opened meanwhile has it, too.
        model.open([URL(fileURLWithPath: "/b/second.txt")])
        await wait { shelf.readers.count == 2 && shelf.readers.last?.commands.contains("start") == true }
        #expect(page.book?.sleep == .after(minutes: 30))
        // The music falls asleep.
        model.state.apply(.modes(PlaybackModes()))
        await wait { page.book?.sleep == .off }
        #expect(reader.commands.last == "stop")

        // The book does.
        model.setSleep(PlayerWindowModel.sleepNames.count - 1)
        await wait { model.state.modes.sleep == .endOfTrack && model.sleeping == (.endOfTrack, .endOfTrack) }
        tell(page, .activity(.playing))
        #expect(model.statusText == "sleep after this chapter")
        tell(page, .place(0, word: nil), .place(6, word: nil))
        await wait { model.state.modes.sleep == .off }
        #expect(player.commands == ["sleep after(minutes: 30)", "sleep endOfTrack", "sleep off"])
        #expect(shelf.readers.last?.commands.last == "hold" && page.book?.sleep == .off)
        #expect(model.banner?.text == "the sleep timer has paused the reading; space reads on")
    }

    // MARK: Commands

    @Test(arguments: [
        ("space", "pause"), ("Right", "next sentence"), ("Left", "previous sentence"), ("n", "next paragraph"),
        ("P", "previous paragraph"), ("greater", "next chapter"), ("less", "previous chapter"),
        ("bracketright", "rate 1.1"), ("bracketleft", "rate 0.9"),
    ])
    func keysOfThePageAreCommandsToTheReader(_ name: String, _ command: String) async throws {
        let (model, _, reader) = try await reading()
        #expect(model.press(WindowKey(name), focus: .other))
        await wait { reader.commands.last == command }
        #expect(!model.press(WindowKey(name), focus: .text))
        #expect(player.commands.isEmpty)
    }

    /// Each of them counts from the place that the one before leads to.
    @Test func quickMovesFollowEachOther() async throws {
        let (model, page, reader) = try await reading()
        for _ in 0..<3 { #expect(model.press(WindowKey("n"), focus: .other)) }
        page.read(fromCharacter: 0)
        await wait { reader.commands.last == "go 0" }
        #expect(reader.commands.suffix(4) == ["next paragraph", "next paragraph", "next paragraph", "go 0"])
        #expect(reader.simultaneousMoves == 1)
    }

    @Test func onlyTheNewestSpeedWaits() async throws {
        let (_, page, reader) = try await reading()
        for step in 1...20 { page.setRate(1 + Double(step) / 10) }
        #expect(page.rate == 3)
        await wait { reader.commands.last == "rate 3.0" }
        #expect(reader.commands.count { $0.hasPrefix("rate") } <= 2)
    }

    @Test func theVolumeOfTheWindowLeavesTheMessagesOfTheBook() async throws {
        let (model, page, reader) = try await reading()
        tell(page, .notice(Notice(.warning, "the voice is missing")))
        await model.state.carryOut(.setVolume(0.25))
        await wait { reader.commands.last == "volume 0.25" && page.book?.volume == 0.25 }
        #expect(model.banner?.text == "the voice is missing")
    }

    @Test func keysBelongToButtonsAndSliders() async throws {
        let (model, _, _) = try await reading()
        #expect(!model.press(WindowKey("space"), focus: .button))
        #expect(!model.press(WindowKey("Left"), focus: .slider))
        #expect(!model.press(WindowKey("Down"), focus: .other))
        // The volume is the window's on every page.
        #expect(model.press(WindowKey("plus"), focus: .other))
        await wait { player.commands.last == "volume 0.55" }
    }

    @Test func engineVoiceAndSpeedAreChosen() async throws {
        let (_, page, reader) = try await reading()
        #expect(page.engineNames.isEmpty && page.voiceNames.isEmpty)
        tell(
            page, .engines(["espeak-ng", "flite"]), .voice(engine: "espeak-ng", voice: nil),
            .voices([
                ReaderVoice(identifier: "en", name: "English"), ReaderVoice(identifier: "en-us", name: "American"),
            ]))
        #expect(page.engineIndex == 0 && page.voiceIndex == 0 && page.voiceNames == ["English", "American"])
        page.setVoice(0)
        page.setVoice(9)
        page.setVoice(1)
        #expect(page.voiceIndex == 1)
        await wait { reader.commands.last == "voice en-us" }
        page.setEngine(1)
        await wait { reader.commands.last == "engine flite" }
        // The voices of one engine are not those of another.
        tell(page, .voice(engine: "flite", voice: nil))
        #expect(page.engineIndex == 1 && page.voiceNames.isEmpty)
        page.setRate(9)
        #expect(page.rate == 4)
        await wait { reader.commands.last == "rate 4.0" }
        tell(page, .rate(4))
        page.setRate(4)
        #expect(page.rate == 4)
    }

    @Test func anEngineThatCannotBeUsedIsNotShown() async throws {
        let (model, page, reader) = try await reading()
        tell(page, .engines(["espeak-ng", "flite"]), .voice(engine: "espeak-ng", voice: nil))
        reader.refuse("flite: its library is missing")
        page.setEngine(1)
        #expect(page.engineIndex == 1)
        await wait { model.banner != nil }
        await wait { page.engineIndex == 0 }
        #expect(model.banner?.text == "flite: its library is missing")
    }

    // MARK: What is shown

    /// A page that was rendered without a book is rendered again when there is one.
    @Test func aBookIsShownWhereThereWasNone() async throws {
        let model = window()
        let page = try #require(model.reader)
        let changes = Mutex(0)
        withObservationTracking {
            #expect(page.section == nil && page.sentence == nil && page.word == nil)
        } onChange: {
            changes.withLock { $0 += 1 }
        }
        withObservationTracking {
            #expect(page.word == nil)
        } onChange: {
            changes.withLock { $0 += 1 }
        }
        page.open([Self.mill])
        await wait { page.book != nil }
        #expect(changes.withLock { $0 } == 2 && page.section != nil && page.sentence == 0..<4)
    }

    @Test func theSentenceAndTheWordAreThoseOfTheShownText() async throws {
        let (_, page, reader) = try await reading()
        #expect(page.section?.text == FakeShelf.book.string(0..<6) && page.chapter == "")
        // "é" has two bytes and is one character.
        tell(page, .place(13, word: 13..<15), .time(20, duration: 80, isEstimated: true))
        let section = try #require(page.section)
        #expect(section.text == "Two is é. Three." && section.headings.isEmpty && page.chapter == "Two")
        #expect(page.sentence == 0..<9 && page.word == 7..<8)
        #expect(page.progressText == "56 %, about 1:00 left")
        page.read(fromCharacter: 11)
        await wait { reader.commands.last == "go 17" }
        page.read(fromCharacter: 3)
        await wait { reader.commands.last == "go 6" }
        tell(page, .place(99, word: nil))
        #expect(page.sentence == nil && page.word == nil && page.section?.text == "Two is é. Three.")
    }
}

/// Longer books in pieces.
struct BookSectionsTests {
    /// A book of numbered paragraphs with two sentences of some bytes each.
    private func book(paragraphs count: Int, sentence: Int, chapters: [Int] = []) -> Book {
        var (text, paragraphs, sentences): (String, [Range<Int>], [Range<Int>]) = ("", [], [])
        for number in 0..<count {
            if number > 0 { text += "\n\n" }
            let start = text.utf8.count
            for half in 0..<2 {
                if half > 0 { text += " " }
                let begin = text.utf8.count
                text += "ä\(number)" + String(repeating: "x", count: sentence) + "."
                sentences.append(begin..<text.utf8.count)
            }
            paragraphs.append(start..<text.utf8.count)
        }
        return Book(
            title: "Long", text: text, paragraphs: paragraphs, headings: Set(chapters), sentences: sentences,
            chapters: chapters.map { Book.Chapter(title: "\($0)", start: paragraphs[$0].lowerBound) })
    }

    @Test(arguments: [(400, 300, [0, 50, 390]), (3, 90_000, [1]), (1, 90_000, []), (500, 400, []), (1, 5, [0])])
    func everyPlaceLiesInOnePieceThatBeginsASentence(_ count: Int, _ length: Int, _ chapters: [Int]) throws {
        let book = book(paragraphs: count, sentence: length, chapters: chapters)
        let sections = BookSections(book)
        #expect(sections.starts.first == 0 && sections.starts == sections.starts.sorted())
        #expect(Set(sections.starts).count == sections.starts.count)
        var end = 0
        for start in sections.starts {
            let range = sections.range(at: start)
            #expect(range.lowerBound == end && sections.range(at: range.upperBound - 1) == range)
            #expect(book.sentences.contains { $0.lowerBound == start })
            // A sentence is not cut, however long it is.
            #expect(range.count <= max(BookSections.longest, 2 * length + BookSections.length))
            end = range.upperBound
        }
        #expect(end == book.length)
        for chapter in book.chapters { #expect(sections.starts.contains(chapter.start)) }
    }

    @Test func placesAndCharactersMatch() {
        let book = book(paragraphs: 300, sentence: 300, chapters: [120])
        let sections = BookSections(book)
        let heading = book.paragraphs[120]
        let section = sections.section(sections.range(at: heading.lowerBound))
        #expect(section.headings == [0..<book.string(heading).unicodeScalars.count])
        for sentence in book.sentences {
            let range = sections.range(at: sentence.lowerBound)
            let characters = sections.characters(of: sentence, in: range)
            let text = Array(sections.section(range).text.unicodeScalars)[characters]
            #expect(String(String.UnicodeScalarView(text)) == book.string(sentence))
            #expect(sections.place(ofCharacter: characters.lowerBound, in: range) == sentence.lowerBound)
        }
        #expect(sections.characters(of: 0..<5, in: section.range).isEmpty)
    }

    @Test func charactersThatEndStringsOfCAreReplaced() {
        let book = Book(title: "Zero", text: "a\0b.", paragraphs: [0..<4], sentences: [0..<4])
        let sections = BookSections(book)
        #expect(sections.section(sections.range(at: 0)).text == "a\u{FFFD}b.")
    }
}

/// Opens the same small book for every file.
final class FakeShelf: BookOpening {
    static let book = Book(
        title: "Mill", text: "One.\n\nTwo is é. Three.", paragraphs: [0..<4, 6..<23], headings: [0],
        sentences: [0..<4, 6..<16, 17..<23], chapters: [Book.Chapter(title: "Two", start: 6)])

    private let opened = Mutex<(asked: [[String]], readers: [FakeReader])>(([], []))
    let refusal = Mutex<String?>(nil)

    var asked: [[String]] { opened.withLock { $0.asked } }
    var readers: [FakeReader] { opened.withLock { $0.readers } }

    func open(_ urls: [URL]) async throws -> OpenedBook {
        opened.withLock { $0.asked.append(urls.map(\.lastPathComponent)) }
        if let refusal = refusal.withLock({ $0 }) { throw FakeReader.Refusal(description: refusal) }
        let reader = FakeReader()
        opened.withLock { $0.readers.append(reader) }
        return OpenedBook(book: Self.book, reader: reader)
    }
}
