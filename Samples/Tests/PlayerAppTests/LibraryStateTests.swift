import Foundation
import PlayerApp
import Testing

/// The library's view model, on a library that tests control.
@MainActor @Suite(.timeLimit(.minutes(1)))
struct LibraryStateTests {
    private let player = FakePlayer()
    private let library = FakeLibrary()
    private let state: AppState

    init() {
        let entries = ["a", "b", "c"].map { PlaylistEntry(url: URL(fileURLWithPath: "/m/\($0).flac")) }
        state = AppState(player: player, entries: entries, staysOpen: true, library: library)
    }

    private func send(_ intents: PlayerIntent...) async {
        for intent in intents {
            await state.send(intent)
            await state.library?.settle()
        }
    }

    /// The page of a window, which shows the library beside the playlist.
    @Test func aWindowShowsAddsAndPlays() async {
        let model = PlayerWindowModel(state)
        #expect(model.hasLibrary && model.libraryTitle == "Artists" && !model.canLeaveLibrary)
        model.openLibrary()
        await state.library?.settle()
        #expect(model.libraryRows.map(\.title) == ["Ann", "Ben"] && model.libraryRow(at: 1)?.detail == "2 albums")
        await send(.enterLibrary(1), .enterLibrary(0))
        #expect(model.libraryTitle == "Ben – First" && model.libraryRows.allSatisfy(\.isTrack))
        #expect(player.commands.isEmpty && model.libraryRow(at: 2) == nil)
        await send(.enterLibrary(1))
        #expect(player.commands == ["insert Ben First 2 at 3", "jump 3"])
        model.leaveLibrary()
        await state.library?.settle()
        #expect(model.libraryTitle == "Ben" && model.canLeaveLibrary)
        await send(.addFromLibrary(1))
        #expect(player.commands.last == "insert Ben Second 1,Ben Second 2 at 4")
        #expect(state.notices.shown?.text == "added 2 tracks of Second to the playlist")
        model.searchLibrary("none")
        await state.library?.settle()
        #expect(model.libraryMessage == "nothing in the library contains none" && model.libraryRows.isEmpty)
        model.searchLibrary("")
        await state.library?.settle()
        #expect(model.libraryTitle == "Ben" && model.librarySelection == 1)
    }

    /// The message with the keys of the terminal player.
    private var message: String? {
        state.notices.shown?.line { intent in
            switch intent {
            case .toggleLibrary: "b"
            case .browse: "Tab"
            case .removeSelection: "d"
            default: nil
            }
        }
    }

    @Test func aSearchThatHasFoundMoreThanItShowsSaysSo() async {
        let model = PlayerWindowModel(state)
        model.openLibrary()
        model.searchLibrary("many")
        await state.library?.settle()
        #expect(model.libraryTitle == "The first 500 of more tracks with “many”" && model.libraryRows.count == 500)
        model.searchLibrary("x")
        await state.library?.settle()
        #expect(model.libraryTitle == "Tracks with “x”" && model.libraryRows.count == 1)
    }

    private var titles: [String] { state.library?.items.map(\.title) ?? [] }

    @Test func artistsAlbumsAndTracksAreWalkedThrough() async {
        await send(.toggleLibrary)
        #expect(state.showsLibrary && titles == ["Ann", "Ben"])
        await send(.moveSelection(1), .playSelection)
        #expect(state.library?.path == [.artists, .albums(by: "Ben")] && titles == ["First", "Second"])
        await send(.moveSelection(.max), .playSelection)
        #expect(titles == ["Ben Second 1", "Ben Second 2"])
        state.apply(.track(index: 0))
        await send(.choose(1), .choose(1))
        #expect(player.commands == ["insert Ben Second 2 at 1", "jump 1"])
        await send(.dismiss)
        #expect(titles == ["First", "Second"] && state.library?.selectedIndex == 1, "the line that was left")
        await send(.resetRate)
        #expect(titles == ["Ann", "Ben"] && state.library?.selectedIndex == 1)
        await send(.dismiss)
        #expect(!state.showsLibrary)
        await send(.toggleLibrary)
        #expect(titles == ["Ann", "Ben"])
    }

    @Test func whatWasAddedIsUndoneAndKeepsTheSelection() async {
        let player = ListPlayer(["a", "b", "c"])
        let state = AppState(player: player, entries: player.list, staysOpen: true, library: library)
        player.state = state
        func send(_ intents: PlayerIntent...) async {
            for intent in intents {
                await state.send(intent)
                await state.library?.settle()
            }
        }
        state.apply(.track(index: 0))
        await send(.moveSelection(1), .moveEntry(1), .toggleLibrary, .playSelection, .playSelection, .playSelection)
        #expect(player.titles == ["a", "Ann First 1", "c", "b"] && state.selected?.title == "b")
        await send(.addSelection, .toggleLibrary)
        #expect(player.titles == ["a", "Ann First 1", "c", "b", "Ann First 1"])
        await send(.undo, .undo)
        #expect(player.titles == ["a", "c", "b"] && state.selected?.title == "b")
        await send(.undo)
        #expect(player.titles == ["a", "b", "c"])
    }

    @Test func whateverIsSelectedIsAdded() async {
        await send(.toggleLibrary, .addSelection)
        #expect(player.commands == ["insert Ann First 1,Ann First 2,Ann Second 1,Ann Second 2 at 3"])
        #expect(state.notices.shown?.text == "added 4 tracks of Ann to the playlist")
        await send(.playSelection, .addSelection)
        #expect(player.commands.last == "insert Ann First 1,Ann First 2 at 7")
        await send(.playSelection, .addSelection)
        #expect(player.commands.last == "insert Ann First 1 at 9")
        #expect(state.notices.shown?.text == "added Ann First 1 to the playlist")
    }

    @Test func whateverIsSelectedComesNextOrIsPlayed() async {
        state.apply(.track(index: 0))
        await send(.insertSelection(plays: false))
        #expect(player.commands.isEmpty && message == "tracks are added from the library; b shows it")
        await send(.toggleLibrary, .insertSelection(plays: false))
        #expect(player.commands == ["insert Ann First 1,Ann First 2,Ann Second 1,Ann Second 2 at 1"])
        #expect(message == "inserted 4 tracks of Ann behind the present track")
        await send(.playSelection, .insertSelection(plays: true))
        #expect(player.commands.suffix(2) == ["insert Ann First 1,Ann First 2 at 1", "jump 1"])
        await send(.playSelection, .moveSelection(1), .insertSelection(plays: true))
        #expect(player.commands.suffix(2) == ["insert Ann First 2 at 1", "jump 1"])
        await send(.browse(.folders), .insertSelection(plays: true))
        #expect(message == "artists, genres, albums and tracks are added; Tab shows them")
    }

    @Test func theLibraryIsSearchedWhileTyping() async {
        await send(.toggleLibrary, .begin(.search), .type("x"))
        #expect(state.library?.path == [.artists, .found("x")] && titles == ["with x"])
        await send(.type("y"))
        #expect(titles == ["with xy"] && state.library?.path.count == 2)
        await send(.accept, .playSelection)
        #expect(state.prompt == nil && player.commands == ["insert with xy at 3", "jump 3"])
        await send(.begin(.search), .type("z"), .erase)
        #expect(state.library?.path == [.artists] && titles == ["Ann", "Ben"])
        await send(.type("n"), .type("o"), .type("n"), .type("e"))
        #expect(titles.isEmpty && state.library?.message == "nothing in the library contains none")
        await send(.dismiss)
        #expect(state.prompt == nil && titles == ["Ann", "Ben"] && state.library?.message == nil)
        // The playlist's own search is another one.
        await send(.toggleLibrary, .begin(.search), .type("b"))
        #expect(state.shownIndices == [1] && player.commands.count == 2)
    }

    @Test func theQueueIsNotEditedThroughTheLibrary() async {
        await send(.toggleLibrary, .removeSelection)
        #expect(message == "this is the library; b shows the playlist, Tab shows the folders")
        #expect(player.commands.isEmpty)
        await send(.toggleLibrary, .addSelection)
        #expect(player.commands.isEmpty && message == "tracks are added from the library; b shows it")
        await send(.toggleLibrary, .togglePause)
        #expect(player.commands == ["togglePause"])
    }

    @Test func thePresentTrackIsFoundFromTheLibrary() async {
        state.apply(.track(index: 1))
        await send(.moveSelection(1), .toggleLibrary, .moveSelection(1), .selectCurrent)
        #expect(!state.showsLibrary && state.selectedIndex == 1 && state.library?.selectedIndex == 1)
    }

    @Test func aSlowLibraryDelaysNothingAndOldAnswersAreDropped() async {
        library.hold()
        await state.send(.toggleLibrary)
        await state.send(.togglePause)
        #expect(player.commands == ["togglePause"] && titles.isEmpty && state.library?.message == nil)
        // Another question takes the place of the one that waits.
        await state.send(.begin(.search))
        await state.send(.type("x"))
        library.open()
        await state.library?.settle()
        #expect(titles == ["with x"])
    }

    /// Tells of a new file, waits until the state knows of it, and answers the question that waits.
    private func changeWhileAQuestionWaits() async {
        library.feed.yield(.changed)
        // The state takes this after the change.
        library.feed.yield(.scan(LibraryScan(folder: "/music", files: 1)))
        while state.library?.scan == nil { await Task.yield() }
        library.openOnce()
    }

    /// A file that is new while Enter waits asks the question again.
    @Test func enterPlaysWhatASearchFindsThatWasReplaced() async {
        await send(.toggleLibrary)
        library.hold()
        let state = state
        let entering = Task { await state.send(.playFound("x")) }
        await library.wait(questions: 1)
        await changeWhileAQuestionWaits()
        // The question is asked again, and only its answer is what Enter waits for.
        await library.wait(questions: 1)
        #expect(titles == ["with x"] && player.commands.isEmpty)
        library.open()
        await entering.value
        #expect(titles == ["with x"] && player.commands == ["insert with x at 3", "jump 3"])
    }

    @Test func genresTheMostPlayedAndTheNewestAreBrowsed() async {
        await send(.toggleLibrary, .browse(nil))
        #expect(state.library?.path == [.genres] && titles == ["Jazz", "Pop"])
        await send(.moveSelection(1), .addSelection)
        #expect(player.commands == ["insert Pop 1,Pop 2 at 3"])
        await send(.playSelection)
        #expect(state.library?.path == [.genres, .genre("Pop")] && titles == ["Ben"])
        // Below a genre only its tracks are meant.
        await send(.addSelection)
        #expect(player.commands.last == "insert Pop of Ben at 5")
        await send(.playSelection)
        #expect(state.library?.path.last == .albums(by: "Ben") && titles == ["First"])
        await send(.addSelection)
        #expect(player.commands.last == "insert Pop of Ben First at 6")
        await send(.playSelection)
        #expect(state.library?.path.last == .tracks(by: "Ben", on: "First") && titles == ["Pop of Ben First"])
        await send(.browse(nil))
        #expect(state.library?.path == [.first(.mostPlayed)] && titles.isEmpty)
        #expect(state.library?.message == "no track of the library was played yet" && state.library?.isEmpty == false)
        await send(.browse(nil))
        #expect(state.library?.path == [.first(.newest)] && titles == ["new"])
        await send(.browse(nil))
        #expect(state.library?.path == [.folders] && titles == ["/disk", "/home/ann/Music"])
        await send(.browse(nil))
        #expect(state.library?.path == [.artists] && titles == ["Ann", "Ben"])
        await send(.begin(.search), .type("x"), .browse(.genres))
        #expect(titles == ["Jazz", "Pop"])
        let model = PlayerWindowModel(state)
        model.showLibrary(3)
        await state.library?.settle()
        #expect(model.libraryView == 3 && model.libraryTitle == "Newest" && titles == ["new"])
    }

    @Test func aFolderIsAddedAndItsScanIsShown() async {
        let model = PlayerWindowModel(state)
        library.names.withLock { $0 = [] }
        await send(.toggleLibrary)
        #expect(state.library?.message == "the library is empty" && model.offersFolder)
        // The library takes its time, and no command waits for it.
        library.hold()
        await send(.begin(.folder), .type("~"), .type("/"), .type("M"))
        await state.send(.accept)
        await library.wait(questions: 1)
        #expect(state.prompt == nil && state.notices.shown == nil)
        await state.send(.togglePause)
        #expect(player.commands == ["togglePause"])
        library.open()
        while state.notices.shown == nil { await Task.yield() }
        #expect(state.notices.shown?.text == "added ~/M to the library" && library.played == ["add ~/M"])
        library.feed.yield(.scan(LibraryScan(folder: "~/M", files: 1_234)))
        while state.library?.scan == nil { await Task.yield() }
        #expect(model.libraryMessage == "Scanning ~/M: 1,234 files…" && !model.offersFolder && model.libraryScan == nil)
        library.names.withLock { $0 = ["Ann"] }
        library.feed.yield(.scan(LibraryScan(folder: "~/M", files: 1_200_001, total: 2_000_000)))
        library.feed.yield(.changed)
        while titles.isEmpty { await Task.yield() }
        #expect(titles == ["Ann"] && model.libraryMessage == nil)
        #expect(model.libraryScan == "Scanning ~/M: 1,200,001 of 2,000,000 files…")
        library.feed.yield(.scan(nil))
        while model.libraryScan != nil { await Task.yield() }
        library.refuse("no such folder")
        await send(.addFolder("/nowhere"))
        #expect(state.notices.shown?.text == "no such folder")
        // Without the library on the screen, and without a name, nothing is added.
        await send(.begin(.folder), .accept, .toggleLibrary, .begin(.folder))
        #expect(state.prompt == nil && message == "folders are added to the library; b shows it")
        #expect(library.played == ["add ~/M"])
    }

    /// A removal forgets play counts, which nothing brings back: it needs a yes.
    @Test func aFolderIsRemovedAfterAQuestion() async {
        await send(.toggleLibrary, .browse(.folders), .addSelection)
        #expect(message == "artists, genres, albums and tracks are added; Tab shows them")
        await send(.playSelection)
        #expect(message == "a folder is not played; d removes it from the library" && player.commands.isEmpty)
        for answer in [PlayerIntent.type("n"), .accept, .erase, .dismiss, .moveSelection(1), .choose(1)] {
            await send(.removeSelection)
            #expect(
                state.prompt?.purpose == .removal(LibraryItem(.folder("/disk"), title: "/disk", detail: "2 tracks")))
            await send(answer)
            #expect(state.prompt == nil && state.showsLibrary && titles.count == 2)
            #expect(state.selectedIndex == 0 && state.library?.selectedIndex == 0, "no list is moved in by an answer")
        }
        await send(.removeSelection, .type("n"))
        #expect(state.notices.shown?.text == "/disk stays in the library" && library.played.isEmpty)
        // The library takes its time, and no command waits for it.
        library.hold()
        await state.send(.removeSelection)
        await state.send(.type("y"))
        await library.wait(questions: 1)
        await state.send(.togglePause)
        #expect(player.commands == ["togglePause"])
        library.open()
        while titles != ["/home/ann/Music"] { await Task.yield() }
        #expect(library.played == ["remove /disk"])
        #expect(state.notices.shown?.text == "removed /disk from the library; its files stay")
        let model = PlayerWindowModel(state)
        let removal = model.folderRemoval(at: 0)
        #expect(removal?.question.hasPrefix("Remove /home/ann/Music from the library, with its play counts") == true)
        await send(removal?.intent ?? .quit)
        #expect(titles.isEmpty && state.library?.message == "the library has no folders" && model.offersFolder)
        #expect(model.folderRemoval(at: 0) == nil)
    }

    /// News of a scan come faster than the answers of a slow library.
    @Test func aListIsReadWhileTheLibraryChanges() async {
        await send(.toggleLibrary)
        library.hold()
        library.names.withLock { $0 = ["Abe"] }
        library.feed.yield(.changed)
        await library.wait(questions: 1)
        await changeWhileAQuestionWaits()
        await library.wait(questions: 1)
        #expect(titles == ["Abe"])
        library.names.withLock { $0 = ["Abe", "Zoe"] }
        library.open()
        await state.library?.settle()
        #expect(titles == ["Abe", "Zoe"])
    }

    @Test func whatIsWrongIsShown() async {
        library.refuse("the disk is gone")
        await send(.toggleLibrary)
        #expect(state.library?.message == "the disk is gone" && titles.isEmpty)
        library.refuse(nil)
        library.feed.yield(.problem("a folder cannot be read"))
        library.feed.yield(.changed)
        library.feed.finish()
        while state.notices.shown == nil || titles.isEmpty { await Task.yield() }
        #expect(state.notices.shown?.text == "a folder cannot be read" && titles == ["Ann", "Ben"])
        let without = AppState(player: FakePlayer(), entries: [], staysOpen: true)
        await without.send(.toggleLibrary)
        #expect(!without.showsLibrary && without.notices.shown?.text.contains("descant-library") == true)
    }

    @Test func aTrackCountsWhenHalfOfItWasHeard() async {
        /// The track is heard, at a speed of 3 without a view.
        func hear(_ seconds: ClosedRange<Int>, of duration: TimeInterval) {
            for second in stride(from: seconds.lowerBound, through: seconds.upperBound, by: 3) {
                state.apply(.position(TimeInterval(second), duration: duration))
            }
        }
        state.apply(.track(index: 0))
        hear(0...60, of: 100)
        state.apply(.track(index: 1))
        hear(0...237, of: 7_200)
        state.apply(.position(5, duration: nil))
        state.apply(.track(index: 2))
        hear(0...120, of: 7_200)
        hear(6_000...6_120, of: 7_200)
        // What a seek passes over, and what lies before the place that a player begins at, was not heard.
        state.apply(.track(index: 1))
        state.apply(.position(60, duration: 100))
        state.apply(.position(99, duration: 100))
        // The place in the next track is told before the track, which is short.
        hear(0...9, of: 100)
        state.apply(.position(0.1, duration: 2))
        state.apply(.track(index: 2))
        hear(0...60, of: 100)
        while library.played.count < 3 { await Task.yield() }
        // Each play is told by a task of its own, in any order.
        #expect(library.played.sorted() == ["a.flac", "c.flac", "c.flac"])
    }

    @Test func lyricsTakeThePlaceOfTheLibrary() async {
        await send(.toggleLibrary, .toggleLyrics)
        #expect(state.showsLyrics && !state.showsLibrary)
        await send(.toggleLibrary, .begin(.search), .dismiss, .toggleLyrics)
        #expect(state.showsLyrics && !state.showsLibrary)
    }

    /// A scan brings lines before the one that was chosen.
    @Test func theSelectedLineStaysWhenOthersCome() async {
        let model = PlayerWindowModel(state)
        model.openLibrary()
        await state.library?.settle()
        model.selectLibrary(1)
        #expect(state.library?.selected?.title == "Ben")
        library.names.withLock { $0 = ["Abe", "Ann", "Ben", "Cid"] }
        library.feed.yield(.changed)
        while titles.count < 4 { await Task.yield() }
        #expect(state.library?.selected?.title == "Ben" && model.librarySelection == 2)
        library.names.withLock { $0 = ["Abe"] }
        library.feed.yield(.changed)
        while titles.count > 1 { await Task.yield() }
        #expect(model.librarySelection == 0)
    }

    /// The disk of a library may need longer to wake up than an answer may take.
    @Test func whatCouldNotBeReadIsReadAgain() async {
        library.refuse("the library has not answered for 10 s")
        await send(.toggleLibrary)
        #expect(state.library?.message?.contains("not answered") == true && titles.isEmpty)
        library.refuse(nil)
        await send(.toggleLibrary, .toggleLibrary)
        #expect(titles == ["Ann", "Ben"] && state.library?.message == nil)
        library.refuse("again")
        await send(.browse(.folders))
        library.refuse(nil)
        await send(.browse(.folders))
        #expect(titles.count == 2 && state.library?.message == nil)
    }

    @Test func anEmptySearchLeavesWhatWasFound() async {
        await send(.toggleLibrary, .begin(.search))
        for letter in "first" { await send(.type(letter)) }
        await send(.accept)
        #expect(state.library?.path.last == .found("first"))
        await send(.begin(.search), .dismiss)
        #expect(state.library?.path.last == .found("first") && state.prompt == nil)
        await send(.begin(.search), .type("x"), .dismiss)
        #expect(state.library?.path.last == .artists)
    }
}
