import DescantCore
import Foundation
import Testing

@testable import PlayerApp

@MainActor
@Suite(.timeLimit(.minutes(2)))
struct WindowPlaylistTests {
    private func window(_ names: [String]) -> (player: ListPlayer, model: PlayerWindowModel) {
        let player = ListPlayer(names)
        let state = AppState(player: player, entries: player.list, staysOpen: true)
        player.state = state
        return (player, PlayerWindowModel(state))
    }

    @Test func removedTracksComeBackWhereTheyWere() async {
        let (player, model) = window(["a", "b", "c", "d", "e"])
        await model.state.carryOut(.remove([4, 0, 3, 9, 0]))
        #expect(player.titles == ["b", "c"])
        #expect(model.banner?.text == "removed 3 tracks" && model.banner?.canUndo == true)
        await model.state.carryOut(.undo)
        #expect(player.titles == ["a", "b", "c", "d", "e"])
        #expect(!model.canUndo)
        await model.state.carryOut(.remove([4]))
        #expect(model.banner?.text == "removed e")
        await model.state.carryOut(.remove([0, 1, 2, 3]))
        #expect(player.titles == [])
        await model.state.carryOut(.undo)
        await model.state.carryOut(.undo)
        #expect(player.titles == ["a", "b", "c", "d", "e"])
    }

    @Test func onlyMessagesOfThePlaylistOfferToUndo() async {
        let player = ListPlayer(["a", "b"])
        let state = AppState(player: player, entries: player.list, staysOpen: true, library: FakeLibrary())
        player.state = state
        let model = PlayerWindowModel(state)
        await state.carryOut(.removeSelection)
        #expect(model.banner?.text == "removed a" && model.banner?.canUndo == true)
        await state.carryOut(.removeFolder("/disk"))
        #expect(model.banner?.text == "removed /disk from the library; its files stay")
        #expect(model.banner?.canUndo == false && model.canUndo)
    }

    /// Every set of five tracks, moved before every place.
    @Test func movedTracksLieTogetherAndGoBack() async {
        let names = ["a", "b", "c", "d", "e"]
        for bits in 1..<32 {
            let chosen = (0..<5).filter { bits >> $0 & 1 == 1 }
            for target in 0...5 {
                let (player, model) = window(names)
                await model.state.carryOut(.move(chosen, to: target))
                let before = (0..<target).filter { !chosen.contains($0) }
                let behind = (target..<5).filter { !chosen.contains($0) }
                #expect(player.titles == (before + chosen + behind).map { names[$0] }, "\(chosen) before \(target)")
                // All of them are moved by one command, and brought back by one.
                let changes = model.canUndo ? 1 : 0
                #expect(player.commands.count == changes)
                if model.canUndo { await model.state.carryOut(.undo) }
                #expect(player.titles == names && player.commands.count == 2 * changes)
            }
        }
    }

    @Test func addedTracksArePlayedAndTakenBack() async {
        let (player, model) = window(["a", "b"])
        let files = [URL(fileURLWithPath: "/m/x.flac"), URL(fileURLWithPath: "/m/y.flac")]
        await model.state.carryOut(.insert(files, at: 1, plays: false))
        await model.state.carryOut(.insert(files, at: nil, plays: true))
        #expect(player.titles == ["a", "x", "y", "b", "x", "y"])
        #expect(player.commands.last == "jump 4")
        await model.state.carryOut(.undo)
        await model.state.carryOut(.undo)
        #expect(player.titles == ["a", "b"])
    }

    @Test func whatCannotBeOpenedIsSaid() async {
        let (player, model) = window(["a"])
        player.refusal = "x.flac: there is no such file"
        await model.state.carryOut(.insert([URL(fileURLWithPath: "/m/x.flac")], at: nil, plays: true))
        #expect(model.banner?.text == "x.flac: there is no such file")
        model.dismissBanner()
        #expect(model.banner == nil && !model.canUndo)
    }

    @Test func theSelectionGoesWithMovedTracks() async {
        let (player, model) = window(["a", "b", "c", "d"])
        model.select([0, 2])
        model.moveSelection(down: true)
        while player.titles != ["b", "d", "a", "c"] { await Task.yield() }
        #expect(model.selection == [2, 3])
        model.moveSelection(down: true)
        #expect(model.selection == [2, 3])
        model.moveSelection(before: 0)
        while player.titles != ["a", "c", "b", "d"] { await Task.yield() }
        #expect(model.selection == [0, 1])
        model.moveSelection(down: false)
        model.removeSelection()
        while player.titles != ["b", "d"] { await Task.yield() }
        model.followSelection()
        #expect(model.selection == [0])
    }

    @Test(
        arguments: [
            ([1], [1]), ([4], [3]), ([3, 4], [2]), ([1, 3], [1]), ([0, 4], [0]), ([0, 1, 2, 3, 4], []),
        ] as [(Set<Int>, Set<Int>)])
    func theNextTrackIsSelectedAfterARemoval(_ lines: Set<Int>, _ next: Set<Int>) async {
        let (player, model) = window(["a", "b", "c", "d", "e"])
        model.select(lines)
        model.removeSelection()
        while player.titles.count > 5 - lines.count { await Task.yield() }
        model.followSelection()
        #expect(model.selection == next)
    }

    /// A key that is held comes faster than the player's answers.
    @Test func aHeldKeyRemovesOneTrackAfterTheOther() async {
        let (player, model) = window(["a", "b", "c", "d", "e"])
        let (gate, open) = AsyncStream<Void>.makeStream()
        player.during = { _ in for await _ in gate { return } }
        model.select([1])
        for _ in 0..<3 { #expect(model.press(WindowKey("Delete"), focus: .list)) }
        #expect(player.titles.count == 5)
        open.finish()
        while model.intents.isBusy(.playlist) { await Task.yield() }
        model.followSelection()
        #expect(player.titles == ["a", "e"] && model.selection == [1])
    }

    @Test func keysBringMovedTracksIntoSight() async {
        let (player, model) = window(["a", "b", "c", "d"])
        model.select([1, 2])
        #expect(model.press(WindowKey("Down", alt: true), focus: .list) && model.takeMovedLine() == 3)
        #expect(model.takeMovedLine() == nil)
        // At the end nothing moves, and a drag ends where it is seen.
        #expect(model.press(WindowKey("Down", alt: true), focus: .list) && model.takeMovedLine() == nil)
        while player.titles != ["a", "d", "b", "c"] { await Task.yield() }
        model.moveSelection(before: 1)
        #expect(model.takeMovedLine() == nil)
        #expect(model.press(WindowKey("Up", alt: true), focus: .list) && model.takeMovedLine() == 0)
    }

    @Test func theSelectionStaysWithItsTracks() async {
        let (player, model) = window(["a", "b", "c", "d", "e"])
        model.select([1, 3])
        await model.state.carryOut(.insert([URL(fileURLWithPath: "/m/x.flac")], at: 1, plays: false))
        model.followSelection()
        #expect(model.selection == [2, 4])
        await model.state.carryOut(.remove([0, 2]))
        model.removeSelection()
        while player.titles.count > 3 { await Task.yield() }
        #expect(player.titles == ["x", "c", "e"])
    }

    /// Keys come faster than the player's answers.
    @Test func movesFollowEachOtherBeforeTheListHasChanged() async {
        let (player, model) = window(["a", "b", "c", "d", "e"])
        let (gate, open) = AsyncStream<Void>.makeStream()
        player.during = { _ in for await _ in gate { return } }
        model.select([4])
        for _ in 0..<3 { #expect(model.press(WindowKey("Up", alt: true), focus: .list)) }
        #expect(player.titles == ["a", "b", "c", "d", "e"] && model.selection == [1])
        open.finish()
        while player.titles != ["a", "e", "b", "c", "d"] { await Task.yield() }
        for _ in 0..<3 { model.send(.undo) }
        while player.titles != ["a", "b", "c", "d", "e"] { await Task.yield() }
    }

    /// A playlist from the web may take seconds, and changes that are sent meanwhile wait for it. The player may tell its list later.
    @Test(arguments: [false, true])
    func changesBehindASlowDropActOnTheChosenTracks(areToldLate: Bool) async {
        let (player, model) = window(["a", "b", "c", "d", "e", "f"])
        if areToldLate { player.state = nil }
        let (gate, open) = AsyncStream<Void>.makeStream()
        player.during = { command in
            if command == "entries of x.flac" { for await _ in gate { return } }
        }
        model.drop([URL(fileURLWithPath: "/m/x.flac")], before: 0)
        model.select([1])
        model.removeSelection()
        // The removed track is still shown.
        model.select([5])
        model.removeSelection()
        model.select([4])
        for _ in 0..<2 { model.moveSelection(down: false) }
        model.drop([URL(fileURLWithPath: "/m/y.flac")], before: 0)
        #expect(player.titles == ["a", "b", "c", "d", "e", "f"])
        open.finish()
        while model.intents.isBusy(.playlist) { await Task.yield() }
        #expect(player.titles == ["x", "y", "a", "e", "c", "d"])
    }

    /// The list shows the tracks where they were until the move is carried out. The player may tell its list later.
    @Test(arguments: [false, true])
    func changesBehindAWaitingMoveActOnTheTracksThatWereShown(areToldLate: Bool) async {
        let (player, model) = window(["a", "b", "c", "d", "e", "f", "g", "h"])
        if areToldLate { player.state = nil }
        let (gate, open) = AsyncStream<Void>.makeStream()
        player.during = { command in
            if command == "entries of x.flac" { for await _ in gate { return } }
        }
        model.drop([URL(fileURLWithPath: "/m/x.flac")], before: nil)
        model.select([2])
        model.moveSelection(before: 8)
        #expect(model.selection == [7])
        model.select([5])
        model.removeSelection()
        // The second of two moves names the place to which the first one brings the track.
        model.select([1])
        model.moveSelection(before: 0)
        model.moveSelection(down: true)
        model.drop([URL(fileURLWithPath: "/m/y.flac")], before: 6)
        model.select([7])
        open.finish()
        while model.intents.isBusy(.playlist) { await Task.yield() }
        model.followSelection()
        #expect(player.titles == ["a", "b", "d", "e", "y", "g", "h", "x", "c"])
        #expect(model.state.entries.map(\.title) == player.titles)
        #expect(model.selection == [6])
    }

    /// A player tells the list of an earlier move when a later one is shown already, as with a long list and a key that is held.
    @Test func theSelectionStaysWithAMovedTrackWhenListsAreToldLate() async {
        let (player, model) = window(["a", "b", "c", "d"])
        player.state = nil
        model.select([0])
        for _ in 0..<2 { model.moveSelection(down: true) }
        while model.intents.isBusy(.playlist) { await Task.yield() }
        #expect(player.titles == ["b", "c", "a", "d"] && model.selection == [2])
        let tracks = model.state.entries
        for (edit, order) in [(1, [0, 2, 1, 3]), (2, [0, 1, 2, 3])] {
            model.state.apply(.playlist(order.map { tracks[$0] }, current: 0, edit: edit))
            model.followSelection()
        }
        #expect(model.selection == [2])
        model.moveSelection(down: true)
        while model.intents.isBusy(.playlist) { await Task.yield() }
        #expect(player.titles == ["b", "c", "d", "a"])
    }

    @Test func changesBehindAScatteredRemovalActOnTheChosenTracks() async {
        let (player, model) = window(["a", "b", "c", "d", "e", "f", "g", "h", "i", "j"])
        let (gate, open) = AsyncStream<Void>.makeStream()
        player.during = { command in
            if command == "entries of x.flac" { for await _ in gate { return } }
        }
        model.drop([URL(fileURLWithPath: "/m/x.flac")], before: nil)
        model.select([0, 9])
        model.removeSelection()
        model.select([4])
        model.removeSelection()
        model.drop([URL(fileURLWithPath: "/m/y.flac")], before: 9)
        model.select([5])
        open.finish()
        while model.intents.isBusy(.playlist) { await Task.yield() }
        model.followSelection()
        #expect(player.titles == ["b", "c", "d", "f", "g", "h", "i", "y", "x"])
        #expect(model.selection == [3])
    }

    /// The view may show another level of the library by the time a slow drop ends.
    @Test func aLineOfTheLibraryIsWhatItWasWhenItWasChosen() async {
        let player = ListPlayer(["a"])
        let state = AppState(player: player, entries: player.list, staysOpen: true, library: FakeLibrary())
        player.state = state
        let model = PlayerWindowModel(state)
        model.openLibrary()
        await state.library?.settle()
        let (gate, open) = AsyncStream<Void>.makeStream()
        player.during = { command in
            if command == "entries of x.flac" { for await _ in gate { return } }
        }
        model.drop([URL(fileURLWithPath: "/m/x.flac")], before: nil)
        // An artist's albums are shown at once.
        model.send(.enterLibrary(1))
        while !model.canLeaveLibrary { await Task.yield() }
        #expect(model.libraryTitle == "Ben")
        model.showLibrary(3)
        await state.library?.settle()
        model.send(.enterLibrary(0))
        model.showLibrary(0)
        await state.library?.settle()
        model.send(.addFromLibrary(0))
        model.showLibrary(1)
        await state.library?.settle()
        #expect(player.titles == ["a"])
        open.finish()
        while model.intents.isBusy(.playlist) { await Task.yield() }
        let added = ["Ann First 1", "Ann First 2", "Ann Second 1", "Ann Second 2"]
        #expect(player.titles == ["a", "x", "new"] + added)
        #expect(player.commands.filter { $0.hasPrefix("jump") } == ["jump 2"] && model.libraryTitle == "Genres")
    }

    @Test func allOfALineOfTheLibraryIsPlayedNow() async {
        let player = ListPlayer(["a", "b"])
        let library = FakeLibrary()
        let state = AppState(player: player, entries: player.list, staysOpen: true, library: library)
        player.state = state
        let model = PlayerWindowModel(state)
        state.apply(.track(index: 0))
        model.openLibrary()
        await state.library?.settle()
        model.send(.playFromLibrary(0))
        model.send(.playFromLibrary(7))
        while player.commands.last != "jump 1" { await Task.yield() }
        let album = ["Ann First 1", "Ann First 2", "Ann Second 1", "Ann Second 2"]
        #expect(player.titles == ["a"] + album + ["b"])
        model.showLibrary(3)
        await state.library?.settle()
        model.send(.playFromLibrary(0))
        while player.titles != ["a", "new"] + album + ["b"] { await Task.yield() }
        while model.intents.isBusy(.playlist) { await Task.yield() }
        #expect(player.commands.last == "jump 1")
        // Folders are not played, and a library that does not answer says so.
        let commands = player.commands
        model.showLibrary(4)
        await state.library?.settle()
        model.send(.playFromLibrary(0))
        model.showLibrary(0)
        await state.library?.settle()
        library.refuse("the disk is gone")
        model.send(.playFromLibrary(0))
        while model.banner?.text != "the disk is gone" { await Task.yield() }
        #expect(player.commands == commands)
    }

    @Test func keysGoBackInTheLibrary() async {
        let player = ListPlayer(["a"])
        let state = AppState(player: player, entries: player.list, staysOpen: true, library: FakeLibrary())
        player.state = state
        let model = PlayerWindowModel(state)
        model.show(.library)
        await state.library?.settle()
        let (back, left) = (WindowKey("BackSpace"), WindowKey("Left", alt: true))
        #expect(!model.press(back, focus: .list) && !model.press(left, focus: .list))
        for key in [back, left] {
            model.send(.enterLibrary(1))
            while !model.canLeaveLibrary { await Task.yield() }
            model.show(.playlist)
            #expect(!model.press(key, focus: .list))
            model.show(.library)
            // The field takes the key.
            #expect(!model.press(back, focus: .text))
            #expect(model.press(key, focus: .list) && !model.canLeaveLibrary)
            await state.library?.settle()
            #expect(model.librarySelection == 1)
        }
        #expect(player.commands.isEmpty)
    }

    @Test func aViewOfTheLibraryThatIsChosenAgainGoesToItsTop() async {
        let state = AppState(player: ListPlayer([]), entries: [], staysOpen: true, library: FakeLibrary())
        let model = PlayerWindowModel(state)
        model.show(.library)
        await state.library?.settle()
        model.send(.enterLibrary(1))
        while !model.canLeaveLibrary { await Task.yield() }
        model.showTopOfLibrary(1)
        #expect(model.canLeaveLibrary)
        model.showTopOfLibrary(0)
        await state.library?.settle()
        #expect(!model.canLeaveLibrary && model.librarySelection == 0)
        #expect(model.libraryRows.map(\.title) == ["Ann", "Ben"])
        model.selectLibrary(1)
        model.showTopOfLibrary(0)
        #expect(model.librarySelection == 0 && model.libraryRows.count == 2)
    }

    @Test func tracksThatAreGoneAreNotRemovedAgain() async {
        let (player, model) = window(["a", "b", "c"])
        let (gate, open) = AsyncStream<Void>.makeStream()
        player.during = { _ in for await _ in gate { return } }
        for _ in 0..<2 {
            model.select([1])
            model.removeSelection()
        }
        open.finish()
        while model.intents.isBusy(.playlist) { await Task.yield() }
        #expect(player.titles == ["a", "c"])
    }

    @Test func theSelectionGoesBackWithMovedTracks() async {
        let (player, model) = window(["a", "b", "c", "d"])
        model.select([2])
        model.moveSelection(down: true)
        while model.intents.isBusy(.playlist) { await Task.yield() }
        #expect(player.titles == ["a", "b", "d", "c"] && model.selection == [3])
        model.send(.undo)
        while model.intents.isBusy(.playlist) { await Task.yield() }
        model.followSelection()
        #expect(player.titles == ["a", "b", "c", "d"] && model.selection == [2])
        // One of the tracks stays where it is.
        model.select([0, 2])
        model.moveSelection(before: 0)
        while model.intents.isBusy(.playlist) { await Task.yield() }
        model.followSelection()
        #expect(player.titles == ["a", "c", "b", "d"] && model.selection == [0, 1])
        await model.state.carryOut(.undo)
        model.followSelection()
        #expect(player.titles == ["a", "b", "c", "d"] && model.selection == [0, 2])
    }

    @Test func manyTracksAreOneChange() async {
        let (player, model) = window((0..<5_000).map(String.init))
        let before = player.titles
        let version = model.state.listVersion
        await model.state.carryOut(.remove(Array(0..<5_000)))
        #expect(player.titles.isEmpty && model.state.listVersion == version + 1)
        await model.state.carryOut(.undo)
        #expect(player.titles == before && model.state.listVersion == version + 2)
        await model.state.carryOut(.insert([URL(fileURLWithPath: "/m/x.flac")], at: 7, plays: false))
        await model.state.carryOut(.undo)
        #expect(player.titles == before && player.commands.suffix(2) == ["insert 1 at 7", "remove 7"])
    }

    /// What is read of a file may arrive when its track has moved.
    @Test func lateDetailsDoNotReplaceAnotherTrack() async {
        let (player, model) = window(["a", "b", "c"])
        var tagged = model.state.entries[2]
        tagged.duration = 61
        await model.state.carryOut(.move([2], to: 1))
        model.state.apply(.details(index: 2, tagged))
        #expect(model.state.entries.map(\.title) == player.titles)
        model.state.apply(.details(index: 1, tagged))
        #expect(model.row(at: 1)?.time == "1:01")
    }

    @Test func aFilterShowsSomeLinesAndForbidsMoves() async {
        let (player, model) = window(["one", "two", "twofold", "three"])
        await model.state.carryOut(.filter("two"))
        #expect((0..<model.rowKeys.count).map { model.rowKeys[$0].lastPathComponent } == ["two.flac", "twofold.flac"])
        #expect(model.row(at: 1)?.title == "twofold" && model.row(at: 2) == nil)
        model.select([1])
        #expect(!model.moveSelection(before: 0) && !model.moveSelectionToEnd())
        #expect(model.banner == nil)
        model.moveSelection(down: false)
        #expect(player.commands == [] && model.banner?.text == "tracks can be moved when the filter is empty")
        model.play(line: 1)
        while player.commands.last != "jump 2" { await Task.yield() }
        model.removeSelection()
        while player.titles != ["one", "two", "three"] { await Task.yield() }
        await model.state.carryOut(.filter(""))
        #expect(model.rowKeys.count == 3)
    }

    @Test func aFilterSaysWhatItLeavesAndEndsWithEscape() async {
        let (_, model) = window((0..<1_200).map(String.init))
        #expect(model.listSummary == "1,200 tracks" && model.filterMessage == nil)
        await model.state.carryOut(.filter("119"))
        #expect(model.listSummary == "12 of 1,200 tracks" && model.filterMessage == nil)
        await model.state.carryOut(.filter("none"))
        #expect(model.listSummary == "0 of 1,200 tracks" && model.filterMessage == "Nothing contains “none”")
        // The field has the key itself, and on other pages it is not about the list.
        #expect(!model.press(WindowKey("Escape"), focus: .text))
        model.show(.sound)
        #expect(!model.press(WindowKey("Escape"), focus: .other))
        model.show(.playlist)
        #expect(model.press(WindowKey("Escape"), focus: .list))
        while model.filterText != "" { await Task.yield() }
        #expect(!model.press(WindowKey("Escape"), focus: .list) && model.listSummary == "1,200 tracks")
    }

    /// Behind it there are tracks that the filter hides.
    @Test func filesDroppedBehindTheLastFilteredLineComeBehindItsTrack() async {
        let (player, model) = window(["one", "two", "twofold", "three"])
        await model.state.carryOut(.filter("two"))
        model.drop([URL(fileURLWithPath: "/m/x.flac")], before: 2)
        while player.titles != ["one", "two", "twofold", "x", "three"] { await Task.yield() }
        model.drop([URL(fileURLWithPath: "/m/y.flac")], before: 1)
        while player.titles != ["one", "two", "y", "twofold", "x", "three"] { await Task.yield() }
        await model.state.carryOut(.filter(""))
        model.drop([URL(fileURLWithPath: "/m/z.flac")], before: 6)
        while player.titles.last != "z" { await Task.yield() }
        // Where no line is left, the end is meant.
        await model.state.carryOut(.filter("nothing"))
        model.drop([URL(fileURLWithPath: "/m/end.flac")], before: 0)
        while player.titles.last != "end" { await Task.yield() }
        #expect(player.titles == ["one", "two", "y", "twofold", "x", "three", "z", "end"])
    }

    @Test func selectedTracksAreMovedToTheEnd() async {
        let (player, model) = window(["a", "b", "c", "d"])
        #expect(!model.moveSelectionToEnd())
        model.select([0, 2])
        #expect(model.moveSelectionToEnd())
        while player.titles != ["b", "d", "a", "c"] { await Task.yield() }
        #expect(model.selection == [2, 3])
    }

    @Test func theLineOfThePresentTrackIsFoundBehindAFilter() async {
        let (_, model) = window(["one", "two", "twofold", "three"])
        #expect(model.currentLine == nil)
        model.state.apply(.track(index: 2))
        #expect(model.currentLine == 2)
        await model.state.carryOut(.filter("two"))
        model.show(.sound)
        #expect(model.currentLine == 1)
        model.showCurrent()
        #expect(model.page == .playlist && model.filterText == "two")
        // A filter that hides it ends.
        await model.state.carryOut(.filter("three"))
        #expect(model.currentLine == nil)
        model.showCurrent()
        while model.currentLine != 2 { await Task.yield() }
        #expect(model.filterText == "")
    }

    /// Tags are read while the list is filtered, and show tracks before and between the selected ones.
    @Test func theSelectionStaysWithItsTracksWhenTagsShowOthers() async {
        let (_, model) = window(["a", "match 1", "b", "match 2", "c", "match 3"])
        await model.state.carryOut(.filter("match"))
        model.select([0, 1])
        var tagged: [Int: PlaylistEntry] = [:]
        for place in [0, 4] {
            tagged[place] = model.state.entries[place]
            tagged[place]?.title = "match"
        }
        model.state.apply(.manyDetails(tagged))
        model.followSelection()
        #expect(model.rowKeys.count == 5 && model.selection == [1, 2])
    }

    @Test func linesSayWhatTheyAre() {
        let (_, model) = window(["a", "b"])
        var tagged = model.state.entries[0]
        (tagged.title, tagged.artist, tagged.album, tagged.duration) = ("Étude", "Ann", "Album", 187.4)
        model.state.apply(.details(index: 0, tagged))
        model.state.apply(.track(index: 0))
        model.state.apply(.activity(.playing))
        #expect(model.row(at: 0)?.description == "Étude, Ann – Album, 3:07, playing")
        #expect(model.row(at: 0)?.isCurrent == true && model.row(at: 1)?.description == "b")
        var failed = model.state.entries[1]
        failed.failure = "there is no such file"
        model.state.apply(.details(index: 1, failed))
        #expect(model.row(at: 1)?.detail == "there is no such file" && model.row(at: 1)?.hasFailed == true)
        #expect(model.listSummary == "2 tracks, at least 3:07")
        failed.duration = 60
        model.state.apply(.details(index: 1, failed))
        #expect(model.listSummary == "2 tracks, 4:07")
    }

    @Test func movedPlacesAreThoseOfTheSameElements() {
        var random = SystemRandomNumberGenerator()
        for _ in 0..<500 {
            let all = Array(0..<Int.random(in: 1...9, using: &random))
            // Some are gone, some have come, some were moved.
            let changes = [
                all.filter { _ in Bool.random(using: &random) }, all.shuffled(using: &random),
                all.flatMap { Bool.random(using: &random) ? [$0] : [$0, 100 + $0] },
            ]
            for new in changes {
                guard let change = MovedPlaces(from: all, to: new) else {
                    #expect(all == new)
                    continue
                }
                #expect(all.map { change.place(of: $0) } == all.map { new.firstIndex(of: $0) }, "\(all) to \(new)")
                #expect(change.target(of: all.count) == new.count)
            }
        }
        // Of equal elements the one that is left is found by those around it.
        let change = MovedPlaces(from: ["x", "a", "b", "a", "y"], to: ["b", "a"])
        #expect((0..<5).map { change?.place(of: $0) } == [nil, nil, 0, 1, nil])
    }

    @Test func changesOfListsAreFound() {
        var random = SystemRandomNumberGenerator()
        for _ in 0..<500 {
            let old = (0..<Int.random(in: 0...6, using: &random)).map { _ in Int.random(in: 0...3, using: &random) }
            let new = (0..<Int.random(in: 0...6, using: &random)).map { _ in Int.random(in: 0...3, using: &random) }
            guard let change = ListChange(from: old, to: new) else {
                #expect(old == new)
                continue
            }
            var changed = old
            changed.replaceSubrange(
                change.start..<change.start + change.removed, with: new[change.start..<change.start + change.added])
            #expect(changed == new, "\(old) to \(new)")
        }
        let moved = ListChange(from: [1, 2, 3, 4], to: [1, 3, 2, 4])
        #expect(moved?.start == 1 && moved?.removed == 2 && moved?.added == 2)
    }
}
