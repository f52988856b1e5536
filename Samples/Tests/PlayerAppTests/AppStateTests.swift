import DescantCore
import Foundation
import PlayerApp
import Testing

@MainActor
struct AppStateTests {
    private let entries = ["a", "b", "c"].map { PlaylistEntry(url: URL(fileURLWithPath: "/m/\($0).flac")) }

    /// Runs the state on updates, then on intents.
    private func state(
        _ player: FakePlayer, _ updates: [PlayerUpdate], then intents: [PlayerIntent] = []
    ) async -> AppState {
        let state = AppState(player: player, entries: entries, staysOpen: true)
        for update in updates { state.apply(update) }
        for intent in intents { await state.send(intent) }
        return state
    }

    private func state(after updates: [PlayerUpdate]) async -> AppState {
        let player = FakePlayer()
        let state = AppState(player: player, entries: entries)
        for update in updates { player.feed.yield(update) }
        player.feed.finish()
        await state.follow()
        return state
    }

    @Test func updatesBecomeState() async {
        var tagged = entries[1]
        tagged.title = "Étude"
        tagged.duration = 61
        let state = await state(after: [
            .activity(.playing), .track(index: 1), .details(index: 1, tagged), .position(12.5, duration: 61),
            .levels(ChannelLevels(peak: [0.5, 0.25], rms: [0.1, 0.1])),
            .crossfade(CrossfadeStatus(remaining: 1, duration: 4)),
            .overlay(OverlayStatus(name: "rain", isPlaying: true, volume: 0.3)), .notice(Notice(.warning, "careful")),
        ])
        #expect(state.activity == .playing)
        #expect(state.current?.title == "Étude")
        #expect(state.selectedIndex == 1)
        #expect(state.position == 12.5 && state.duration == 61)
        #expect(state.crossfade?.share == 0.75)
        #expect(state.overlay?.name == "rain")
        #expect(state.notices.shown?.text == "careful")
        #expect(state.isDone)
    }

    @Test func aSelectionBeforeTheFirstTrackStays() async {
        let state = await state(FakePlayer(), [.activity(.playing)], then: [.moveSelection(1)])
        state.apply(.track(index: 0))
        #expect(state.selectedIndex == 1)
    }

    @Test func unknownDurationKeepsTheTaggedOne() async {
        var tagged = entries[0]
        tagged.duration = 30
        let state = await state(after: [.details(index: 0, tagged), .track(index: 0), .position(1, duration: nil)])
        #expect(state.duration == 30)
    }

    @Test func chaptersAreShownAndReached() async {
        let player = FakePlayer()
        let chapters = [("Prologue", 0.0), ("The Sea", 60), ("", 300)].map { Chapter(title: $0.0, start: $0.1) }
        let state = await state(
            player, [.activity(.playing), .track(index: 0), .chapters(chapters), .position(61, duration: 600)])
        #expect(state.chapterTitle == "The Sea" && state.chapterMarks == [0, 0.1, 0.5])
        await state.send(.nextChapter)
        await state.send(.previousChapter)
        state.apply(.position(100, duration: 600))
        await state.send(.previousChapter)
        state.apply(.position(300, duration: 600))
        #expect(state.chapterTitle == "chapter 3 of 3")
        await state.send(.nextChapter)
        #expect(player.commands == ["seek to 300.0", "seek to 0.0", "seek to 60.0"])
        #expect(state.notices.shown?.text == "this is the last chapter")
        state.apply(.track(index: 1))
        #expect(state.chapters.isEmpty && state.chapterTitle == nil && state.chapterMarks.isEmpty)
        await state.send(.previousChapter)
        #expect(state.notices.shown?.text == "this track has no chapters")
    }

    @Test func theSpectrumIsAskedForWhileItIsShown() async {
        let player = FakePlayer()
        let state = await state(player, [.activity(.playing), .spectrum([-20])])
        #expect(state.spectrum.isEmpty)
        await state.send(.toggleSpectrum)
        state.apply(.spectrum([-20]))
        #expect(state.showsSpectrum && state.spectrum == [-20])
        await state.send(.toggleSpectrum)
        #expect(!state.showsSpectrum && state.spectrum.isEmpty)
        #expect(player.commands == ["spectrum true", "spectrum false"])
        player.refuse("no spectrum here")
        await state.send(.toggleSpectrum)
        #expect(!state.showsSpectrum && state.notices.shown?.text.contains("no spectrum here") == true)
    }

    @Test func intentsReachThePlayer() async {
        let player = FakePlayer()
        let state = AppState(player: player, entries: entries, volume: 0.5)
        for intent: PlayerIntent in [
            .togglePause, .seek(-5), .next, .previous, .toggleOverlay, .moveSelection(5), .playSelection,
            .changeVolume(0.05),
            .changeVolume(2), .changeVolume(-3),
        ] { await state.send(intent) }
        #expect(
            player.commands == [
                "togglePause", "seek -5.0", "next", "previous", "toggleOverlay", "jump 2", "volume 0.55", "volume 1.0",
                "volume 0.0",
            ])
    }

    /// From 5 to 10 % the amplitude doubles.
    @Test func stepsOfTheVolumeAreFinerBelow10Percent() async {
        let player = FakePlayer()
        let state = AppState(player: player, entries: entries, volume: 0.15)
        for _ in 0..<4 { await state.send(.changeVolume(-0.05)) }
        for _ in 0..<4 { await state.send(.changeVolume(0.05)) }
        #expect(
            player.commands == [0.1, 0.09, 0.08, 0.07, 0.08, 0.09, 0.1, 0.15].map { "volume \($0)" })
        for _ in 0..<20 { await state.send(.changeVolume(-0.05)) }
        #expect(state.volume == 0)
        await state.send(.changeVolume(0.05))
        #expect(state.volume == 0.01)
        // As a configuration has it, which counts in Float.
        let other = AppState(player: FakePlayer(), entries: entries, volume: Double(Float(0.1)))
        await other.send(.changeVolume(-0.05))
        #expect(other.volume == 0.09)
    }

    @Test func modesReachThePlayer() async {
        let player = FakePlayer()
        let state = await state(
            player, [.track(index: 0), .position(3, duration: 40)],
            then: [
                .changeRepeat, .changeRepeat, .changeRepeat, .toggleShuffle, .changeRate(0.1), .resetRate,
                .changeRate(-9),
                .toggleMute, .toggleMute, .toggleMute, .changeVolume(-0.05), .seekToShare(0.5), .stop,
            ])
        #expect(
            player.commands == [
                "repeat playlist", "repeat track", "repeat off", "shuffle true", "rate 1.1", "rate 1.0", "rate 0.5",
                "volume 0.0", "volume 1.0", "volume 0.0", "volume 0.95", "seek to 20.0", "halt",
            ])
        #expect(state.modes == PlaybackModes(repeats: .off, isShuffled: true, rate: 0.5) && !state.isMuted)
    }

    @Test func aJumpNeedsALength() async {
        let player = FakePlayer()
        let state = await state(player, [.track(index: 0)], then: [.seekToShare(0.5)])
        #expect(player.commands.isEmpty && state.notices.shown?.severity == .warning)
    }

    @Test func messagesGoWhenTheyAreSeenOrNoLongerTrue() async {
        let buffering = Notice(.information, "buffering 40%", topic: .buffering)
        let state = await state(FakePlayer(), [.notice(buffering)])
        #expect(state.notices.shown == buffering)
        state.apply(.noticeOver(.buffering))
        #expect(state.notices.shown == nil && state.notices.count == 1)
        state.apply(.notice(Notice(.error, "lost")))
        state.apply(.noticeOver(.buffering))
        #expect(state.notices.shown?.text == "lost")
        await state.send(.togglePause)
        #expect(state.notices.shown == nil)
    }

    @Test func messagesStayUntilAViewHasShownThem() async {
        let state = AppState(player: FakePlayer(), entries: entries, notices: ["b.m3u has no tracks"])
        await state.send(.sleep(.after(minutes: 15)), dismisses: false)
        #expect(state.modes.sleep == .after(minutes: 15) && state.notices.shown?.text == "b.m3u has no tracks")
        await state.send(.sleep(.off))
        #expect(state.notices.shown == nil)
    }

    @Test func whatIsSaidOfSilenceGoesWhenThePlayerPlays() async {
        let state = await state(FakePlayer(), [.notice(Notice(.information, "space plays", topic: .silence))])
        state.apply(.activity(.preparing))
        #expect(state.notices.shown?.text == "space plays")
        state.apply(.activity(.playing))
        #expect(state.notices.shown == nil)
    }

    /// Which key a command has is the view's to say.
    @Test func messagesNameCommandsRatherThanKeys() async {
        let state = await state(FakePlayer(), [], then: [.removeSelection])
        let removed = state.notices.shown
        #expect(removed?.text == "removed a" && removed?.hints == [Notice.Hint(.undo, "brings it back")])
        #expect(removed?.line { $0 == .undo ? "z" : nil } == "removed a; z brings it back")
        #expect(removed?.line { _ in nil } == "removed a")
        let two = Notice(.warning, "b", hints: [Notice.Hint(.stop, "stops"), Notice.Hint(.quit, "quits")])
        #expect(two.line { named($0) } == "b; (stop) stops, (quit) quits")
    }

    @Test func whatIsAskedForIsSeen() async {
        let state = await state(FakePlayer(), [], then: [.toggleLyrics, .begin(.search)])
        #expect(!state.showsLyrics && state.prompt != nil)
    }

    /// Keys that name a line do not change a list that nobody sees.
    @Test(arguments: [
        PlayerIntent.moveSelection(1), .choose(1), .playSelection, .removeSelection, .moveEntry(1), .undo,
    ])
    func theListThatACommandActsOnIsSeen(intent: PlayerIntent) async {
        let state = await state(FakePlayer(), [], then: [.toggleLyrics, intent])
        #expect(!state.showsLyrics)
        await state.send(.toggleLyrics)
        await state.send(.togglePause)
        #expect(state.showsLyrics)
    }

    @Test func theAppStaysOpenAtTheEndWhenItShould() async {
        let state = await state(FakePlayer(), [.ended(.played)])
        #expect(state.hasEnded && !state.isDone)
        state.apply(.activity(.preparing))
        #expect(!state.hasEnded)
        let other = AppState(player: FakePlayer(), entries: entries)
        other.apply(.ended(.failure("lost")))
        #expect(other.isDone)
    }

    @Test func theSelectionFollowsTheTrackUnlessItWasMoved() async {
        let state = await state(FakePlayer(), [.track(index: 0), .track(index: 1)])
        #expect(state.selectedIndex == 1)
        await state.send(.moveSelection(1))
        state.apply(.track(index: 0))
        #expect(state.selectedIndex == 2)
    }

    @Test func theSelectionStaysOnItsTrackWhenAnotherProgramChangesTheList() async {
        let state = await state(FakePlayer(), [.track(index: 0)])
        await state.send(.moveSelection(2))
        let others = ["x", "y"].map { PlaylistEntry(url: URL(fileURLWithPath: "/m/\($0).flac")) }
        state.apply(.playlistChangesElsewhere)
        state.apply(.playlist([entries[0]] + others + entries[1...], current: 0, edit: 0))
        #expect(state.selectedIndex == 4 && state.selected?.url == entries[2].url)
        state.apply(.playlistChangesElsewhere)
        state.apply(.playlist([others[1], entries[2], entries[0]], current: 2, edit: 0))
        #expect(state.selectedIndex == 1)
        state.apply(.playlistChangesElsewhere)
        // Of a removed track it is the one behind it.
        state.apply(.playlist([others[1], entries[0]], current: 1, edit: 0))
        #expect(state.selectedIndex == 1)
    }

    @Test func aSearchShowsWhatContainsEveryWord() async {
        let player = FakePlayer()
        let state = await state(player, [])
        var tagged = entries[1]
        tagged.title = "Étude"
        tagged.artist = "Field"
        state.apply(.details(index: 1, tagged))
        for intent in [PlayerIntent.begin(.search)] + "fie etude".map(PlayerIntent.type) { await state.send(intent) }
        #expect(state.shownIndices == [1] && state.selectedIndex == 1)
        await state.send(.type("x"))
        #expect(state.shownIndices.isEmpty)
        await state.send(.accept)
        #expect(player.commands.isEmpty && state.notices.shown?.text.contains("etudex") == true)
        #expect(state.shownIndices == [0, 1, 2] && state.prompt == nil)
        for intent in [PlayerIntent.begin(.search), .type("q"), .erase, .type("c"), .accept] {
            await state.send(intent)
        }
        #expect(player.commands == ["jump 2"])
    }

    @Test func aSearchThatIsLeftReturnsToItsLine() async {
        let player = FakePlayer()
        let state = await state(player, [.track(index: 0)], then: [.moveSelection(1), .begin(.search), .type("c")])
        #expect(state.selectedIndex == 2)
        await state.send(.dismiss)
        #expect(state.selectedIndex == 1 && state.prompt == nil)
        // Nothing is found.
        for intent in [PlayerIntent.begin(.search), .type("a"), .type("x"), .accept] { await state.send(intent) }
        #expect(state.selectedIndex == 1 && player.commands.isEmpty)
        // Another program puts a track before it.
        for intent in [PlayerIntent.begin(.search), .type("c")] { await state.send(intent) }
        let new = PlaylistEntry(url: URL(fileURLWithPath: "/m/new.flac"))
        state.apply(.playlistChangesElsewhere)
        state.apply(.playlist([new] + entries, current: 1, edit: 0))
        await state.send(.dismiss)
        #expect(state.selectedIndex == 2 && state.selected?.title == "b")
        // The line of the present track goes with it.
        for intent in [PlayerIntent.selectCurrent, .begin(.search), .type("c")] { await state.send(intent) }
        state.apply(.track(index: 2))
        await state.send(.dismiss)
        #expect(state.selectedIndex == 2)
        // What is chosen stays.
        for intent in [PlayerIntent.begin(.search), .type("c"), .accept] { await state.send(intent) }
        #expect(state.selectedIndex == 3 && player.commands == ["jump 3"])
    }

    @Test func thePresentTrackIsFoundAgain() async {
        let state = await state(FakePlayer(), [], then: [.selectCurrent])
        #expect(state.notices.shown?.text == "no track was played yet")
        state.apply(.track(index: 1))
        for intent in [PlayerIntent.moveSelection(1), .toggleLyrics, .selectCurrent] { await state.send(intent) }
        #expect(state.selectedIndex == 1 && !state.showsLyrics)
    }

    @Test func changesOfThePlaylistAreUndoneInTurn() async {
        let player = FakePlayer()
        let state = await state(
            player, [], then: [.removeSelection, .moveEntry(1), .moveEntry(5), .undo, .undo, .undo])
        #expect(player.commands == ["remove 0", "move 0 to 1", "move 1 to 0", "insert a at 0"])
        #expect(state.selectedIndex == 0 && state.notices.shown?.text == "there is nothing to undo")
        for intent in [PlayerIntent.begin(.save), .type("x"), .accept] { await state.send(intent) }
        // What comes behind it does not wait for the disk.
        let limit = ContinuousClock.now + .seconds(60)
        while state.notices.shown?.text != "saved as /lists/x.m3u", ContinuousClock.now < limit { await Task.yield() }
        #expect(player.commands.last == "save 3 as x" && state.notices.shown?.text == "saved as /lists/x.m3u")
    }

    private func save(as name: String, _ state: AppState) async {
        for intent in [PlayerIntent.begin(.save)] + name.map(PlayerIntent.type) + [.accept] { await state.send(intent) }
    }

    @Test(.timeLimit(.minutes(1))) func aPlaylistIsReplacedAfterAQuestion() async {
        let player = FakePlayer()
        player.savedName.withLock { $0 = "x" }
        let state = await state(player, [])
        for answer in [PlayerIntent.type("n"), .accept, .erase, .moveSelection(1), .choose(1)] {
            await save(as: "x", state)
            while state.prompt == nil { await Task.yield() }
            #expect(state.prompt?.question == "/lists/x.m3u exists; replace it?" && state.notices.shown == nil)
            await state.send(answer)
            #expect(state.prompt == nil && state.selectedIndex == 0)
            #expect(state.notices.shown?.text == "/lists/x.m3u stays as it is")
        }
        await save(as: "x", state)
        while state.prompt == nil { await Task.yield() }
        await state.send(.dismiss)
        #expect(state.prompt == nil && player.commands.allSatisfy { $0 == "save 3 as x" })
        await save(as: "x", state)
        while state.prompt == nil { await Task.yield() }
        await state.send(.type("y"))
        while state.notices.shown?.text != "saved as /lists/x.m3u" { await Task.yield() }
        #expect(state.prompt == nil && player.commands.last == "replace with 3 as /lists/x.m3u")
    }

    @Test(.timeLimit(.minutes(1))) func aNameThatCannotBeUsedIsTypedAgain() async {
        let player = FakePlayer()
        player.refuse("there is no folder /nowhere")
        let state = await state(player, [])
        await save(as: "xy", state)
        while state.prompt == nil { await Task.yield() }
        #expect(state.prompt?.purpose == .save && state.prompt?.text == "xy")
        #expect(state.notices.shown?.text == "there is no folder /nowhere")
        player.refuse(nil)
        for intent in [PlayerIntent.erase, .accept] { await state.send(intent) }
        while state.notices.shown?.text != "saved as /lists/x.m3u" { await Task.yield() }
        // Another line that is typed by now stays.
        player.refuse("the folder is write-protected")
        let told = state.notices.count
        await save(as: "z", state)
        await state.send(.begin(.search))
        while state.notices.count == told { await Task.yield() }
        #expect(state.prompt?.purpose == .search)
        #expect(state.notices.kept.last?.text == "the folder is write-protected")
    }

    @Test(.timeLimit(.minutes(1))) func tracksAreAddedByTheirNames() async {
        let player = ListPlayer(["a", "b"])
        let state = AppState(player: player, entries: player.list)
        player.state = state
        func add(_ name: String) async {
            for intent in [PlayerIntent.begin(.input)] + name.map(PlayerIntent.type) + [.accept] {
                await state.send(intent)
            }
        }
        await add("")
        #expect(state.prompt == nil && player.commands.isEmpty)
        await add("/m/x.flac")
        while state.notices.shown?.text != "added x to the playlist" { await Task.yield() }
        #expect(player.titles == ["a", "b", "x"])
        // What cannot be found is typed again.
        player.refusal = "/m/y.flac: there is no such file or folder"
        await add("/m/y.flac")
        while state.prompt == nil { await Task.yield() }
        #expect(state.prompt?.purpose == .input && state.prompt?.text == "/m/y.flac")
        #expect(state.notices.shown?.text == "/m/y.flac: there is no such file or folder")
        player.refusal = nil
        await state.send(.accept)
        while state.notices.shown?.text != "added y to the playlist" { await Task.yield() }
        #expect(player.titles == ["a", "b", "x", "y"])
        await state.send(.undo)
        #expect(player.titles == ["a", "b", "x"])
    }

    /// Keys come faster than the player tells its list.
    @Test func fastRemovalsAreUndone() async {
        let player = ListPlayer(["a", "b", "c", "d", "e"])
        let state = AppState(player: player, entries: player.list)
        for intent in [PlayerIntent.moveSelection(1), .removeSelection, .removeSelection, .remove([1, 2])] {
            await state.send(intent)
        }
        #expect(player.titles == ["a"])
        player.state = state
        state.apply(.playlist(player.list, current: 0, edit: player.edits))
        for _ in 0..<3 { await state.send(.undo) }
        #expect(player.titles == ["a", "b", "c", "d", "e"])
    }

    /// In a long list each change takes time.
    @Test func scatteredTracksComeBackInTwoChanges() async {
        let titles = (0..<20).map { "t\($0)" }
        let player = ListPlayer(titles)
        let state = AppState(player: player, entries: player.list)
        await state.send(.remove([0, 3, 4, 9, 19]))
        let before = player.edits
        await state.send(.undo)
        #expect(player.titles == titles && player.edits == before + 2 && state.entries.map(\.title) == titles)
    }

    /// The player makes the list of a long queue while later keys are carried out.
    @Test func aListThatIsOlderThanTheLastChangeIsNotShown() async {
        let player = ListPlayer(["a", "b", "c", "d", "e"])
        let state = AppState(player: player, entries: player.list)
        func told() -> PlayerUpdate { .playlist(player.list, current: 0, edit: player.edits) }
        state.apply(.track(index: 0))
        for intent in [PlayerIntent.moveSelection(1), .removeSelection] { await state.send(intent) }
        let first = told()
        await state.send(.removeSelection)
        state.apply(first)
        #expect(state.entries.map(\.title) == ["a", "d", "e"] && state.selected?.title == "d")
        // This one comes while the next change is carried out.
        let second = told()
        player.during = { _ in state.apply(second) }
        await state.send(.removeSelection)
        #expect(state.entries.map(\.title) == ["a", "e"] && state.selected?.title == "e")
        state.apply(second)
        #expect(state.entries.map(\.title) == ["a", "e"] && player.titles == ["a", "e"])
        var tagged = player.list
        tagged[1].artist = "Field"
        state.apply(.playlist(tagged, current: 0, edit: player.edits))
        #expect(state.entries[1].artist == "Field")
    }

    /// The keys of commands, as a view would name them.
    private func named(_ intent: PlayerIntent) -> String? { "(\(intent))" }

    @Test func fastRemovalsGoOnAtTheEndOfTheList() async {
        let player = ListPlayer(["a", "b", "c", "d"])
        let state = AppState(player: player, entries: player.list)
        state.apply(.track(index: 0))
        await state.send(.moveSelection(.max))
        for _ in 0..<4 { await state.send(.removeSelection) }
        #expect(player.titles == ["a"] && state.current?.title == "a")
        #expect(state.notices.shown?.line { named($0) } == "the last track stays; (quit) quits")
        player.state = state
        for _ in 0..<3 { await state.send(.undo) }
        #expect(player.titles == ["a", "b", "c", "d"])
    }

    @Test func afterChangesByAnotherProgramNothingIsUndone() async {
        let player = FakePlayer()
        let state = await state(player, [], then: [.moveEntry(1)])
        state.apply(.playlistChangesElsewhere)
        await state.send(.undo)
        #expect(player.commands == ["move 0 to 1"] && state.notices.shown?.text == "there is nothing to undo")
    }

    @Test func refusalsBecomeNotices() async {
        let player = FakePlayer()
        player.refuse("a crossfade is running")
        let state = AppState(player: player, entries: entries)
        await state.send(.next)
        #expect(state.notices.shown == Notice(.warning, "a crossfade is running"))
    }

    @Test func helpAndQuitStayInTheApp() async {
        let player = FakePlayer()
        let state = AppState(player: player, entries: entries)
        await state.send(.toggleHelp)
        #expect(state.showsHelp)
        await state.send(.dismiss)
        #expect(!state.showsHelp && !state.isDone)
        await state.send(.quit)
        #expect(state.isDone)
        #expect(player.commands.isEmpty)
    }
}
