import Foundation
import PlayerApp
import Testing

@testable import TerminalUI

@MainActor
struct PlayerViewTests {
    private func state(_ updates: [PlayerUpdate]) async -> AppState {
        let player = ScriptedUpdatePlayer(updates)
        let entries = [
            PlaylistEntry(
                url: URL(fileURLWithPath: "/m/nocturne.flac"), title: "Nocturne in E♭", artist: "Field", duration: 61),
            PlaylistEntry(url: URL(fileURLWithPath: "/m/rain.flac"), title: "日本の雨", duration: 205),
        ]
        let state = AppState(player: player, entries: entries, volume: 0.8, heading: "gstreamer · null output")
        await state.follow()
        return state
    }

    private var usual: [PlayerUpdate] {
        [
            .activity(.playing), .track(index: 1), .position(102.5, duration: 205),
            .levels(ChannelLevels(peak: [0.5, 1], rms: [0.25, 0.7])),
            .crossfade(CrossfadeStatus(remaining: 1, duration: 4)),
            .overlay(OverlayStatus(name: "rain", isPlaying: true, volume: 0.3)),
            .notice(Notice(.warning, "mind the gap")),
        ]
    }

    private func lines(_ state: AppState, width: Int, height: Int) -> [String] {
        var screen = Screen(width: width, height: height)
        PlayerView().draw(state, on: &screen)
        return screen.text
    }

    @Test func standardScreenShowsAllParts() async {
        let text = lines(await state(usual), width: 80, height: 24)
        let all = text.joined(separator: "\n")
        for expected in [
            "♫ Descant", "gstreamer · null output", "日本の雨", "1:42", "3:25", "▶ playing", "80%", "crossfade", "1.0 s",
            "overlay ▶ rain 30%", "Nocturne in E♭ – Field", "mind the gap", "q quit", " -6.0 dB", "  0.0 dB", "2/2",
        ] { #expect(all.contains(expected), "\(expected) is missing in\n\(all)") }
    }

    @Test(arguments: [(Glyphs.unicode, "██"), (.ascii, "##")])
    func theSpectrumFillsBarsByTheirLevels(glyphs: Glyphs, full: String) async throws {
        let state = await state([.activity(.playing), .track(index: 1)])
        try await state.perform(.toggleSpectrum)
        // 25 bars in 76 columns: the levels of 64 bands, rising.
        state.apply(.spectrum((0..<64).map { -70 + 60 * Float($0) / 63 }))
        var screen = Screen(width: 80, height: 24)
        PlayerView(glyphs: glyphs).draw(state, on: &screen)
        let rows = screen.text[6..<10].map { $0.components(separatedBy: full).count - 1 }
        #expect(rows[0] < rows[1] && rows[1] < rows[2] && rows[2] < rows[3] && rows[3] > 15, "\(screen.text)")
        state.apply(.activity(.paused))
        #expect(state.spectrum.isEmpty)
    }

    @Test func seekBarShowsThePosition() async throws {
        let text = lines(await state(usual), width: 80, height: 24)
        let bar = try #require(text.first { $0.contains("●") })
        let passed = bar.filter { $0 == "━" }.count
        let coming = bar.filter { $0 == "─" }.count
        #expect(abs(passed - coming) <= 1 && passed > 20)
    }

    @Test func theSeekBarShowsWhereTheNextTrackFadesIn() async {
        func zone(
            _ index: Int, crossfade: Double, rate: Double = 1, gaplessAlbums: Bool = false, albums: [String?] = []
        ) async -> Int {
            let modes = PlaybackModes(rate: rate, crossfade: crossfade, gaplessAlbums: gaplessAlbums)
            let updates: [PlayerUpdate] = [.track(index: index), .position(10, duration: 100), .modes(modes)]
            let state = await state(updates)
            for (index, album) in albums.enumerated() {
                var entry = state.entries[index]
                entry.album = album
                entry.duration = nil
                state.apply(.details(index: index, entry))
            }
            var screen = Screen(width: 80, height: 24)
            PlayerView().draw(state, on: &screen)
            return screen.rows.joined().count { $0.character == "─" && $0.style == .second }
        }
        #expect(await zone(0, crossfade: 10) == 7)
        #expect(await zone(0, crossfade: 0) == 0)
        // Nothing follows the last track.
        #expect(await zone(1, crossfade: 10) == 0)
        // 10 s of sound are 20 s of the track.
        #expect(await zone(0, crossfade: 10, rate: 2) == 14)
        #expect(await zone(0, crossfade: 10, gaplessAlbums: true, albums: ["A", "A"]) == 0)
        #expect(await zone(0, crossfade: 10, gaplessAlbums: true, albums: ["A", "B"]) == 7)
        #expect(await zone(0, crossfade: 10, albums: ["A", "A"]) == 7)
    }

    @Test func aCoverKeepsItsShape() async throws {
        let red = CoverArt.Color(red: 255, green: 0, blue: 0)
        for (width, height, cells) in [(96, 96, 20 * 10), (96, 48, 20 * 5), (24, 96, 5 * 10), (1, 96, 1 * 10)] {
            let cover = try #require(
                CoverArt(width: width, height: height, pixels: Array(repeating: red, count: width * height)))
            let state = await state(usual + [.cover(cover)])
            var screen = Screen(width: 80, height: 24)
            PlayerView().draw(state, on: &screen)
            #expect(screen.rows.joined().count { $0.style == .pixels(top: red, bottom: red) } == cells, "\(width)")
        }
    }

    @Test(arguments: [(1, 1), (5, 3), (20, 6), (40, 10), (60, 12), (200, 60), (80, 15)])
    func nothingIsDrawnOutsideTheScreen(width: Int, height: Int) async {
        for line in lines(await state(usual), width: width, height: height) {
            #expect(DisplayWidth.columns(of: line) <= width)
        }
    }

    @Test(arguments: [(80, 24), (40, 15)]) func aPageHasTheLinesThatAreSeen(width: Int, height: Int) async {
        let entries = (0..<99).map { PlaylistEntry(url: URL(fileURLWithPath: "/m/track \($0).flac")) }
        let state = AppState(player: ScriptedUpdatePlayer([.track(index: 0)]), entries: entries, staysOpen: true)
        await state.follow()
        let view = PlayerView()
        func shownLines() -> Int {
            var screen = Screen(width: width, height: height)
            view.draw(state, on: &screen)
            return screen.text.count { $0.hasPrefix("  ▶ track ") || $0.hasPrefix("    track ") }
        }
        let lines = shownLines()
        #expect(lines > 1 && view.page == lines)
        await state.send(.moveSelection(lines))
        #expect(shownLines() == lines && state.selectedIndex == lines && view.page == lines)
        // Help shows no list, and the page stays.
        await state.send(.toggleHelp)
        #expect(shownLines() == 0 && view.page == lines)
    }

    /// The columns of text without ideographs and emoji, as terminals add them up.
    private func columns(_ text: String) -> Int {
        text.unicodeScalars.count {
            switch $0.properties.generalCategory {
            case .nonspacingMark, .enclosingMark, .format: false
            default: true
            }
        }
    }

    @Test(arguments: [20, 39, 80]) func titlesOfAllScriptsEndInTheirRow(width: Int) async {
        let titles = ["हिन्दी गीत की रात", "தமிழ் பாடல் கொடி", "น้ำตาลำธารคำ"]
        let entries = titles.map { PlaylistEntry(url: URL(fileURLWithPath: "/m/a.wav"), title: $0, duration: 61) }
        let state = AppState(
            player: ScriptedUpdatePlayer([.activity(.playing), .track(index: 0)]), entries: entries, volume: 0.8)
        await state.follow()
        let lines = lines(state, width: width, height: 24)
        #expect(lines.contains { $0.contains("த") })
        for line in lines { #expect(columns(line) <= width, "\(line)") }
    }

    @Test func messagesNameTheKeysOfTheSettings() async {
        let hints = [Notice.Hint(.togglePause, "plays"), Notice.Hint(.undo, "brings it back")]
        let state = await state([.notice(Notice(.warning, "silence", hints: hints)), .pauseReason("a call")])
        var keys = KeyBindings()
        func message() -> String {
            var screen = Screen(width: 80, height: 24)
            PlayerView(keys: keys).draw(state, on: &screen)
            return screen.text[22].trimmingCharacters(in: .whitespaces)
        }
        #expect(message() == "silence; space plays, u brings it back")
        keys.bind(.character("y"), to: .undo)
        keys.bind(.character(" "), to: nil)
        #expect(message() == "silence; y brings it back")
        state.apply(.activity(.paused))
        #expect(message() == "paused by a call")
        keys.bind(.enter, to: .pause)
        #expect(message() == "paused by a call; enter plays now")
    }

    @Test func messagesStandAboveTheLineThatIsTyped() async {
        let state = await state(usual)
        await state.send(.begin(.save))
        await state.send(.type("x"))
        state.apply(.notice(Notice(.warning, "there is no folder /nowhere")))
        let text = lines(state, width: 80, height: 24)
        #expect(text[21] == "  there is no folder /nowhere" && text[22] == "  save as: x")
        #expect(text.contains { $0.contains("Nocturne") })
        await state.send(.erase)
        let later = lines(state, width: 80, height: 24)
        #expect(later[22] == "  save as:" && !later.contains { $0.contains("/nowhere") })
    }

    @Test(arguments: [
        (PlaybackEnding.played, "the playlist has ended; space plays the track again, q quits"),
        (.sleepTimer(isWithinTrack: true), "the sleep timer has stopped the music; space goes on, q quits"),
        (
            .sleepTimer(isWithinTrack: false),
            "the sleep timer has stopped the music; space plays the track again, q quits"
        ),
        (.failure("the connection is lost"), "the connection is lost; space tries again, q quits"),
    ])
    func theEndSaysItsReason(ending: PlaybackEnding, text: String) async {
        let state = await state(usual + [.ended(ending)])
        #expect(lines(state, width: 80, height: 24).contains { $0.contains("mind the gap") })
        // The key has seen the message.
        await state.send(.toggleMute)
        #expect(lines(state, width: 80, height: 24).contains { $0.contains(text) })
    }

    @Test func helpReplacesThePlaylist() async {
        let state = await state(usual)
        await state.send(.toggleHelp)
        let all = lines(state, width: 80, height: 24).joined(separator: "\n")
        #expect(all.contains("next and previous track") && !all.contains("Nocturne"))
    }

    @Test func fallbackGlyphsAreASCII() async {
        var screen = Screen(width: 80, height: 24)
        let player = ScriptedUpdatePlayer([.activity(.playing), .track(index: 0), .position(1, duration: 2)])
        let state = AppState(player: player, entries: [PlaylistEntry(url: URL(fileURLWithPath: "/m/a.wav"))])
        await state.follow()
        PlayerView(glyphs: .ascii).draw(state, on: &screen)
        let signs = screen.text.dropLast().joined()
        #expect(signs.filter { !$0.isASCII }.isEmpty, "\(signs)")
    }

    @Test func linesReportChanges() async {
        var written: [String] = []
        let reporter = PlainReporter(state: await state(usual)) { written.append($0) }
        reporter.report()
        reporter.report()
        #expect(written == ["mind the gap", "2/2 日本の雨 (3:25)", "crossfade, 4.0 s", "playing"])
    }
}
