import DescantCore
import Foundation
import PlayerApp
import Testing

@testable import TerminalUI

/// Whole screens of the player, compared with kept ones: their characters, and below them their styles, a letter for each cell.
@MainActor struct KeptScreenTests {
    /// Where the screens are kept.
    private static let folder = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
        .appendingPathComponent("Screens")

    /// A library with fixed lines.
    private struct FixedLibrary: LibraryBrowsing {
        let news = AsyncStream<LibraryNews> { $0.finish() }

        func artists(in genre: String?) async throws -> [LibraryItem] {
            [("Erik Satie", "3 albums"), ("John Field", "1 album"), ("坂本 龍一", "12 albums")].map {
                LibraryItem(.artist($0), title: $0, detail: $1)
            }
        }

        func folders() async throws -> [LibraryItem] {
            [
                LibraryItem(.folder("/home/ann/Music"), title: "~/Music", detail: "1204 tracks"),
                LibraryItem(.folder("/disk/Concerts"), title: "/disk/Concerts", detail: "87 tracks, empty now"),
            ]
        }

        func genres() async throws -> [LibraryItem] { [] }
        func albums(by artist: String, in genre: String?) async throws -> [LibraryItem] { [] }
        func tracks(by artist: String, on album: String?, in genre: String?) async throws -> [LibraryItem] { [] }
        func tracks(in genre: String) async throws -> [LibraryItem] { [] }
        func tracks(ordered order: LibraryOrder) async throws -> [LibraryItem] { [] }
        func tracks(containing text: String) async throws -> [LibraryItem] { [] }
        func notePlayed(_ url: URL) async {}
        func addFolder(_ path: String) async throws -> String { path }
        func removeFolder(_ path: String) async throws -> String { path }
    }

    /// A player in the middle of the second of 30 tracks.
    private func state() async -> AppState {
        let names = [("Nocturne in E♭", "John Field"), ("日本の雨", "坂本 龍一"), ("Gymnopédie No. 1", "Erik Satie")]
        let entries = (0..<30).map { number in
            let (title, artist) = names[number % 3]
            return PlaylistEntry(
                url: URL(fileURLWithPath: "/m/\(number).flac"), title: title, artist: artist,
                duration: Double(61 + 37 * number))
        }
        let words = "[00:40]First we wait\n[01:40]for the rain to end\n[02:40]and then we go"
        let modes = PlaybackModes(
            repeats: .playlist, rate: 1.5, crossfade: 4, equalizer: EqualizerPreset.all[0].settings)
        let state = AppState(
            player: ScriptedUpdatePlayer([
                .activity(.playing), .track(index: 1), .modes(modes), .position(102.5, duration: 205),
                .chapters([Chapter(title: "Rain", start: 0), Chapter(title: "Sun", start: 150)]),
                .lyrics(Lyrics(parsing: words)), .levels(ChannelLevels(peak: [0.5, 1], rms: [0.25, 0.7])),
                .overlay(OverlayStatus(name: "rain", isPlaying: true, volume: 0.3)),
            ]), entries: entries, volume: 0.8, heading: "sound server", library: FixedLibrary())
        await state.follow()
        return state
    }

    private func text(of screen: Screen) -> String {
        let styles = screen.rows.map { row in
            String(
                row.map { cell -> Character in
                    switch cell.style {
                    case .plain: "."
                    case .strong: "B"
                    case .dim: "d"
                    case .accent: "a"
                    case .second: "s"
                    case .low: "l"
                    case .high: "h"
                    case .critical: "c"
                    case .selected: "S"
                    case .pixels: "p"
                    }
                })
        }
        return (screen.text + [""] + styles).joined(separator: "\n") + "\n"
    }

    @Test(
        arguments: ["playlist", "library", "folders", "removal", "lyrics", "spectrum", "help"], [(80, 24), (40, 15)])
    func theScreenIsAsItWasKept(name: String, size: (width: Int, height: Int)) async throws {
        let state = await state()
        let intents: [PlayerIntent] =
            switch name {
            case "library": [.toggleLibrary, .moveSelection(1)]
            case "folders": [.toggleLibrary, .browse(.folders)]
            case "removal": [.toggleLibrary, .browse(.folders), .removeSelection]
            case "lyrics": [.toggleLyrics]
            case "spectrum": [.toggleSpectrum]
            case "help": [.toggleHelp]
            default: []
            }
        for intent in intents {
            await state.send(intent)
            await state.library?.settle()
        }
        if name == "spectrum" { state.apply(.spectrum((0..<64).map { -70 + 60 * Float($0 % 32) / 31 })) }
        var screen = Screen(width: size.width, height: size.height)
        PlayerView().draw(state, on: &screen)
        let shown = text(of: screen)
        let file = Self.folder.appendingPathComponent("\(name)-\(size.width)x\(size.height).txt")
        let kept = try? String(contentsOf: file, encoding: .utf8)
        if ProcessInfo.processInfo.environment["DESCANT_UPDATE_PICTURES"] != nil {
            try FileManager.default.createDirectory(at: Self.folder, withIntermediateDirectories: true)
            if shown != kept { try shown.write(to: file, atomically: true, encoding: .utf8) }
            return
        }
        #expect(
            shown == kept,
            """
            The screen is another one than \(file.lastPathComponent). If it is as it should be, keep it: \
            Scripts/terminal-screens.sh
            \(shown)
            """)
    }
}
