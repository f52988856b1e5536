import DescantCore
import Foundation
import Synchronization
import Testing

@testable import PlayerApp

@MainActor
@Suite(.timeLimit(.minutes(2)))
struct WindowModelTests {
    private let player = ListPlayer(["a", "b", "c"])

    private func window(
        _ preferences: ViewPreferences = ViewPreferences(), storage: (any PlayerStorage)? = nil
    ) -> PlayerWindowModel {
        let state = AppState(player: player, entries: player.list, volume: 0.5, staysOpen: true)
        player.state = state
        return PlayerWindowModel(state, preferences: preferences, storage: storage)
    }

    private func wait(_ condition: () -> Bool) async { while !condition() { await Task.yield() } }

    // MARK: Commands

    @Test func onlyTheNewestOfDraggedValuesWaits() async {
        let model = window()
        // All of them are sent before the first one is carried out, and none more while it is.
        for step in 1...20 { model.setVolume(Double(step) / 20) }
        await wait { !model.intents.isBusy(.volume) }
        #expect(player.commands == ["volume 0.05", "volume 1.0"] || player.commands == ["volume 1.0"])
        #expect(model.state.volume == 1)
    }

    @Test func aPauseDoesNotWaitForASlowFile() async {
        let model = window()
        let (gate, open) = AsyncStream<Void>.makeStream()
        player.during = { command in
            if command.hasPrefix("entries") { for await _ in gate { return } }
        }
        model.open([URL(fileURLWithPath: "/slow/x.flac")])
        model.send(.remove([0]))
        await wait { player.commands.last == "entries of x.flac" }
        model.send(.togglePause)
        await wait { player.commands.last == "togglePause" }
        // The removal was sent after the files and waits for them.
        #expect(player.titles == ["a", "b", "c"])
        open.yield()
        await wait { player.titles == ["b", "c", "x"] }
    }

    @Test func theSeekBarStaysWhereItWasMovedTo() async {
        let model = window()
        model.seek(to: 10)
        #expect(!model.canSeek && model.seekPosition == 0)
        for update in [.activity(.playing), .track(index: 0), .position(5, duration: 60)] as [PlayerUpdate] {
            model.state.apply(update)
        }
        #expect(model.seekDescription == "0:05 of 1:00" && model.lengthText == "1:00")
        let (gate, open) = AsyncStream<Void>.makeStream()
        player.during = { _ in for await _ in gate { return } }
        model.seek(to: 30)
        model.seek(to: 99)
        model.state.apply(.position(5.1, duration: 60))
        #expect(model.seekPosition == 60 && model.elapsedText == "1:00")
        open.finish()
        await wait { !model.intents.isBusy(.seek) }
        #expect(player.commands.last == "seek to 60.0")
        #expect(model.seekPosition == 5.1)
    }

    /// Its selection is not seen on other pages.
    @Test func thePlaylistIsNotEditedFromOtherPages() async {
        let model = window()
        model.select([1])
        for page in [PlayerWindowModel.Page.library, .lyrics, .sound, .reader] {
            model.show(page)
            for key in [WindowKey("Delete"), WindowKey("Up", alt: true), WindowKey("Down", alt: true)] {
                #expect(!model.press(key, focus: .list), "\(key.name) on \(page)")
            }
        }
        #expect(player.commands.isEmpty && player.titles == ["a", "b", "c"])
        model.show(.playlist)
        #expect(model.press(WindowKey("Delete"), focus: .list))
        await wait { player.titles == ["a", "c"] }
    }

    @Test(
        arguments: [
            (" https://example.org/a.ogg\n", "https://example.org/a.ogg"),
            ("http://127.0.0.1:8000", "http://127.0.0.1:8000"), ("file:///m/a%20b.flac", "file:///m/a%20b.flac"),
            ("", nil), ("a song", nil), ("/m/a.flac", nil), ("https://", nil), ("https:", nil),
            ("ftp://example.org/a.ogg", nil), ("javascript:alert(1)", nil),
        ] as [(String, String?)])
    func addressesOfTheWebAndOfFilesAreOpened(_ text: String, _ address: String?) {
        #expect(PlayerWindowModel.address(text)?.absoluteString == address)
    }

    @Test func aPlaylistIsSavedOnThisComputer() async throws {
        let model = window()
        model.savePlaylist(to: try #require(URL(string: "sftp://nas/home/me/list.m3u")))
        #expect(model.state.notices.shown?.text.contains("sftp://nas/home/me/list.m3u") == true)
        model.savePlaylist(to: URL(fileURLWithPath: "/home/me/list.m3u"))
        await wait { model.state.notices.shown?.text == "saved as /home/me/list.m3u" }
    }

    @Test(arguments: [
        ("space", "togglePause"), ("n", "next"), ("P", "previous"), ("Right", "seek 5.0"), ("Left", "seek -5.0"),
        ("r", "repeat playlist"), ("s", "shuffle true"), ("o", "toggleOverlay"), ("m", "volume 0.0"),
        ("plus", "volume 0.55"), ("minus", "volume 0.45"),
    ])
    func keysAreCommands(_ name: String, _ command: String) async {
        let model = window()
        #expect(model.press(WindowKey(name), focus: .other))
        await wait { player.commands == [command] }
    }

    @Test func keysBelongToWhatHasTheKeyboard() async {
        let model = window()
        #expect(!model.press(WindowKey("n"), focus: .text))
        #expect(!model.press(WindowKey("z", control: true), focus: .text))
        #expect(!model.press(WindowKey("Left"), focus: .slider))
        #expect(!model.press(WindowKey("space"), focus: .button))
        for key in ["Left", "Delete", "minus", "5", "Return"] {
            #expect(!model.press(WindowKey(key), focus: .number), "\(key)")
        }
        #expect(!model.press(WindowKey("z", control: true), focus: .number))
        #expect(!model.press(WindowKey("Delete"), focus: .other))
        #expect(!model.press(WindowKey("F7"), focus: .list))
        #expect(!model.press(WindowKey("x", control: true), focus: .list))
        model.select([1])
        #expect(model.press(WindowKey("Delete"), focus: .list))
        await wait { player.titles == ["a", "c"] }
        #expect(model.press(WindowKey("z", control: true), focus: .list))
        await wait { player.titles == ["a", "b", "c"] }
        model.select([1])
        #expect(model.press(WindowKey("Up", alt: true), focus: .list))
        await wait { player.titles == ["b", "a", "c"] }
        // A number has no letters and no space.
        #expect(model.press(WindowKey("m"), focus: .number))
        await wait { player.commands.last == "volume 0.0" }
        model.state.apply(.activity(.playing))
        model.state.apply(.track(index: 0))
        model.state.apply(.position(5, duration: 60))
        #expect(model.press(WindowKey("5"), focus: .list))
        await wait { player.commands.last == "seek to 30.0" }
        #expect(model.press(WindowKey("KP_2"), focus: .other))
        await wait { player.commands.last == "seek to 12.0" }
        #expect(model.press(WindowKey("q", control: true), focus: .text))
        await wait { model.isDone }
    }

    // MARK: What is shown

    @Test func withoutATrackTheWindowSaysWhatToDo() {
        let empty = PlayerWindowModel(AppState(player: FakePlayer(), entries: []))
        #expect(empty.title == "Nothing to play yet" && empty.subtitle == "Open files or folders, or drop them here")
        #expect(!empty.canPlay && empty.windowTitle == "Descant" && empty.listSummary == "0 tracks")
        #expect(window().title == "Stopped" && window().subtitle == "")
    }

    @Test func timesAreAsPeopleReadThem() {
        for (seconds, text) in [(0.0, "0:00"), (59.9, "0:59"), (187, "3:07"), (3_723, "1:02:03"), (-1, "0:00")] {
            #expect(ClockText.text(seconds) == text)
        }
        #expect(ClockText.text(.infinity) == "")
        let model = window()
        model.state.apply(.track(index: 0))
        model.state.apply(.position(12, duration: 60))
        model.setShowsRemainingTime(true)
        #expect(model.lengthText == "−0:48")
    }

    @Test func theLoudspeakerShowsTheVolume() async {
        let model = window()
        for (volume, level) in [(0.0, 0), (0.2, 1), (0.5, 2), (1, 3)] {
            await model.state.carryOut(.setVolume(volume))
            #expect(model.volumeLevel == level)
        }
        await model.state.carryOut(.toggleMute)
        #expect(model.shownVolume == 0 && model.volumeLevel == 0)
    }

    @Test func lastingProblemsAreShownUntilTheyAreOver() {
        let model = window()
        model.state.apply(.notice(Notice(.error, "b.flac is damaged")))
        model.state.apply(.pauseReason("a call"))
        // A player that a person has stopped is not paused by anything.
        #expect(model.lastingBanner == nil)
        model.state.apply(.activity(.paused))
        #expect(model.lastingBanner?.text == "Paused by a call; space plays now")
        #expect(model.lastingBanner?.isLasting == true)
        model.state.apply(.output(OutputStatus(problem: "no sound server")))
        #expect(model.lastingBanner?.text == "no sound server" && model.lastingBanner?.isError == true)
        // Other messages are shown beside them.
        #expect(model.banner?.text == "b.flac is damaged" && model.banner?.isLasting == false)
        model.state.apply(.output(OutputStatus(device: "Speakers")))
        model.state.apply(.pauseReason(nil))
        #expect(model.lastingBanner == nil && model.statusText == "Speakers")
        model.dismissBanner()
        #expect(model.banner == nil)
        // Its other commands have controls.
        let hints = [Notice.Hint(.togglePause, "plays"), Notice.Hint(.toggleLibrary, "shows the library")]
        model.state.apply(.notice(Notice(.warning, "nothing is playing", hints: hints)))
        #expect(model.banner?.text == "nothing is playing; space plays" && model.banner?.canUndo == false)
    }

    /// The program opens what it was started with, which does not show that the person has seen what went wrong.
    @Test func messagesStayUntilACommandOfThePerson() async {
        let state = AppState(player: player, entries: player.list, staysOpen: true, notices: ["queue.tsv is damaged"])
        player.state = state
        let model = PlayerWindowModel(state)
        model.open([URL(fileURLWithPath: "/m/x.flac")], dismisses: false)
        await wait { player.commands.last == "jump 3" && !model.intents.isBusy(.playlist) }
        #expect(model.banner?.text == "queue.tsv is damaged")
        model.open([URL(fileURLWithPath: "/m/y.flac")])
        #expect(model.banner == nil)
        await wait { player.commands.last == "jump 4" }
        // A command that waits does not take a message away that comes meanwhile.
        let (gate, open) = AsyncStream<Void>.makeStream()
        player.during = { _ in for await _ in gate { return } }
        model.send(.seek(5))
        state.apply(.notice(Notice(.error, "b.flac is damaged")))
        open.finish()
        await wait { player.commands.last == "seek 5.0" && !model.intents.isBusy(.moves) }
        #expect(model.banner?.text == "b.flac is damaged")
    }

    @Test func lyricsAreFollowedAndChosen() async throws {
        let model = window()
        model.state.apply(.activity(.playing))
        model.state.apply(.track(index: 0))
        model.state.apply(.lyrics(Lyrics(parsing: "[00:01]one\n[00:05]two")))
        model.state.apply(.position(6, duration: 60))
        #expect(model.lyricsLines == ["one", "two"] && model.lyricsLine == 1)
        model.seek(toLyricsLine: 0)
        model.seek(toLyricsLine: 7)
        await wait { player.commands == ["seek to 1.0"] }
    }

    // MARK: Sound

    @Test func mixerCommandsReachThePlayer() async {
        let model = window()
        model.setCrossfade(0.4)
        model.setCurve(4)
        model.setCurve(99)
        // What was chosen is shown before the player has it: a field must not go back while it is clicked again.
        #expect(model.crossfade == 1 && model.state.modes.crossfade == 0)
        await wait { player.commands.count == 2 && model.wantedCrossfade == nil }
        #expect(model.crossfade == 1 && model.state.modes.crossfade == 1)
        model.setLoudness(1)
        await wait { player.commands.count == 3 }
        model.setOverlayVolume(0.25)
        await wait { player.commands.count == 4 }
        model.send(.startOverlay(URL(fileURLWithPath: "/m/rain.ogg")))
        await wait { player.commands.count == 5 }
        model.setEqualizer(isOn: true)
        await wait { player.commands.count == 6 }
        model.setBand(1, gain: 99)
        model.setBand(10, gain: 3)
        await wait { player.commands.count == 7 }
        #expect(
            player.commands == [
                "crossfade 1.0 equalPower", "crossfade 1.0 sCurve", "loudness track", "overlay volume 0.25",
                "overlay rain.ogg at 0.25", "equaliser true [0, 0, 0, 0, 0, 0, 0, 0, 0, 0]",
                "equaliser true [0, 12, 0, 0, 0, 0, 0, 0, 0, 0]",
            ])
        #expect(model.bands[1].gain == 12 && model.bands[5].description == "1 kilohertz")
        #expect(model.curveIndex == 4 && model.loudnessIndex == 1)
        model.flattenEqualizer()
        #expect(model.bands.allSatisfy { $0.gain == 0 } && model.isEqualizerOn)
        model.state.apply(.overlay(OverlayStatus(name: "rain", isPlaying: false, volume: 0.25)))
        #expect(model.overlayText == "rain, paused")
    }

    @Test func presetsOfTheEqualizerLeaveThePersonsOwnGains() async throws {
        let model = window()
        #expect(PlayerWindowModel.presetNames == ["Custom", "Bass", "Treble", "Loudness", "Voice"])
        model.setEqualizer(isOn: true)
        model.setBand(0, gain: 4)
        #expect(model.presetIndex == 0)
        model.setPreset(1)
        model.setPreset(9)
        #expect(model.presetIndex == 1 && model.bands[0].gain == 3 && model.preferences.equalizer.preamp < 0)
        model.setPreset(4)
        model.setEqualizer(isOn: false)
        #expect(model.presetIndex == 4 && !model.isEqualizerOn)
        model.setPreset(0)
        #expect(model.presetIndex == 0 && model.bands.map(\.gain) == [4] + Array(repeating: 0, count: 9))
        #expect(model.isEqualizerOn && model.preferences.equalizer.preamp == 0)
        model.setPreset(2)
        model.flattenEqualizer()
        #expect(model.presetIndex == 0 && model.preferences.equalizer.isFlat && model.isEqualizerOn)
        await wait { model.state.modes.equalizer == model.preferences.equalizer }
        // A flat curve does not take their place, and they are there at the next start.
        model.setPreset(3)
        let read = try JSONDecoder().decode(ViewPreferences.self, from: try JSONEncoder().encode(model.preferences))
        let next = window(read)
        next.setPreset(0)
        #expect(next.presetIndex == 0 && next.bands[0].gain == 4 && next.isEqualizerOn)
    }

    @Test func preferencesOfEarlierVersionsAndDamagedOnesHaveAnEqualizer() throws {
        func own(_ text: String) throws -> EqualizerSettings {
            try JSONDecoder().decode(ViewPreferences.self, from: Data(text.utf8)).ownEqualizer
        }
        #expect(try own("{}") == EqualizerSettings(isEnabled: true))
        let damaged = try own(#"{"ownEqualizer":{"isEnabled":true,"preamp":-40,"gains":[99,-99,3]}}"#)
        #expect(damaged.preamp == -12 && damaged.bandGains == [12, -12, 3] + Array(repeating: 0, count: 7))
    }

    @Test func theSpeedOfAnotherProgramIsShownAndSetBack() async {
        let model = window()
        model.state.apply(.modes(PlaybackModes(rate: 1.5)))
        #expect(model.rate == 1.5 && model.statusText == "1.5 × speed")
        model.setRate(0.9999999)
        model.setRate(1)
        #expect(model.rate == 1 && model.state.modes.rate == 1.5)
        await wait { model.state.modes.rate == 1 && model.wantedRate == nil }
        model.setRate(7)
        await wait { player.commands == ["rate 1.0", "rate 3.0"] }
    }

    @Test func theSleepTimerIsSetAndShown() async {
        let model = window()
        #expect(model.sleepIndex == 0 && model.statusText == "")
        model.setSleep(2)
        model.setSleep(99)
        await wait { model.sleepIndex == 2 }
        #expect(model.statusText == "sleep in 30:00")
        model.state.apply(.sleepRemaining(61))
        #expect(model.statusText == "sleep in 1:01")
        model.setSleep(PlayerWindowModel.sleepNames.count - 1)
        await wait { model.statusText == "sleep after this track" }
        model.state.apply(.modes(PlaybackModes()))
        #expect(model.sleepIndex == 0)
        #expect(player.commands == ["sleep after(minutes: 30)", "sleep endOfTrack"])
    }

    @Test func thePlaylistIsSaved() async {
        let model = window()
        model.send(.save("/lists/mine.xspf"))
        await wait { model.banner?.text == "saved as /lists/mine.xspf" }
    }

    @Test func aPlayerWithoutAMixerSaysSo() async {
        let model = PlayerWindowModel(AppState(player: FakePlayer(), entries: []))
        await model.state.carryOut(.stopOverlay)
        #expect(model.banner?.text.contains("without a mixer") == true)
    }

    // MARK: Preferences

    /// Keeps preferences in memory; it can be slow or full.
    private final class Memory: PlayerStorage {
        let saved = Mutex<[ViewPreferences]>([])
        let isFull = Mutex(false)

        func save(_ preferences: ViewPreferences) async throws {
            if isFull.withLock({ $0 }) { throw ListPlayer.Refusal(description: "the disk is full") }
            saved.withLock { $0.append(preferences) }
        }
        func save(_ entries: [PlaylistEntry], as path: String, replaces: Bool) async throws -> String { path }
    }

    @Test func whatIsChosenIsKept() async throws {
        let memory = Memory()
        let model = window(storage: memory)
        model.setAppearance(2)
        model.setAppearance(7)
        model.setCrossfade(5)
        model.setCurve(1)
        model.setEqualizer(isOn: true)
        model.setBand(0, gain: -6)
        await wait { memory.saved.withLock { $0.last } == model.preferences }
        let read = try JSONDecoder().decode(
            ViewPreferences.self, from: try JSONEncoder().encode(model.preferences))
        #expect(read == model.preferences)
        #expect(read.appearance == .dark && read.crossfade == 5 && read.crossfadeCurve == .linear)
        #expect(window(read).bands[0].gain == -6 && window(read).curveIndex == 1)
        memory.isFull.withLock { $0 = true }
        model.setShowsRemainingTime(true)
        await wait { model.banner != nil }
        #expect(model.banner?.text == "the preferences are not kept: the disk is full")
    }

    @Test func theWindowIsAsItWasLeft() async throws {
        let memory = Memory()
        let model = window(storage: memory)
        #expect(model.windowSize == (980, 700) && !model.isWindowMaximized)
        model.show(.lyrics)
        model.keepWindow(width: 1_200, height: 640, isMaximized: true)
        await model.finishSaving()
        let saved = try #require(memory.saved.withLock { $0.last })
        let next = window(try JSONDecoder().decode(ViewPreferences.self, from: try JSONEncoder().encode(saved)))
        #expect(next.windowSize == (1_200, 640) && next.isWindowMaximized && next.page == .lyrics)
    }

    /// Without a library and a reader the window does not have their pages.
    @Test(arguments: ["library", "reader", "cinema"]) func aWindowThatCannotBeAsItWasLeftIsTheStandardOne(page: String)
        async throws
    {
        let kept = #"{"window":{"width":10,"height":640,"isMaximized":false,"page":"\#(page)"}}"#
        let model = window(try JSONDecoder().decode(ViewPreferences.self, from: Data(kept.utf8)))
        #expect(model.page == .playlist && model.windowSize == (980, 700))
        let state = AppState(player: player, entries: [], library: FakeLibrary())
        var preferences = ViewPreferences()
        preferences.window = WindowFrame(width: 980, height: 700, isMaximized: false, page: "library")
        let other = PlayerWindowModel(state, preferences: preferences)
        await state.library?.settle()
        #expect(other.page == .library && other.libraryRows.map(\.title) == ["Ann", "Ben"])
    }

    @Test func darkFollowsTheDesktopUntilThePersonDecides() {
        let model = window()
        #expect(!model.isDark)
        model.systemIsDark = true
        #expect(model.isDark)
        model.setAppearance(1)
        #expect(!model.isDark)
        model.setAppearance(2)
        model.systemIsDark = false
        #expect(model.isDark && model.appearanceIndex == 2)
    }
}
