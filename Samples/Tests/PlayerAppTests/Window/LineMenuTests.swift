import DescantCore
import Foundation
import Testing

@testable import PlayerApp

/// The menu of a line of the playlist.
@MainActor
@Suite(.timeLimit(.minutes(2)))
struct LineMenuTests {
    private func window(_ names: [String]) -> (player: ListPlayer, model: PlayerWindowModel) {
        let player = ListPlayer(names)
        let state = AppState(player: player, entries: player.list, staysOpen: true)
        player.state = state
        return (player, PlayerWindowModel(state))
    }

    @Test func theMenuIsThatOfTheSelectionOrOfOneLine() {
        let (_, model) = window(["a", "b", "c", "d"])
        model.select([1, 2])
        #expect(model.openMenu(at: 2) != nil && model.selection == [1, 2])
        #expect(model.openMenu(at: 0) != nil && model.selection == [0])
        #expect(model.openMenu(at: 4) == nil && model.selection == [0])
    }

    @Test func selectedTracksArePlayedNext() async throws {
        let (player, model) = window(["a", "b", "c", "d", "e"])
        model.select([0, 3])
        let track = try #require(model.openMenu(at: 3))
        #expect(!model.isEnabled(.playNext, for: track))
        model.playSelectionNext()
        model.state.apply(.track(index: 2))
        #expect(model.isEnabled(.playNext, for: track))
        model.playSelectionNext()
        while player.titles != ["b", "c", "a", "d", "e"] { await Task.yield() }
        model.followSelection()
        #expect(model.selection == [2, 3] && player.commands.count == 1)
        model.send(.undo)
        while player.titles != ["a", "b", "c", "d", "e"] { await Task.yield() }
    }

    @Test func thePresentTrackStaysWhereItIs() async throws {
        let (player, model) = window(["a", "b", "c", "d"])
        model.state.apply(.track(index: 1))
        let track = try #require(model.openMenu(at: 1))
        #expect(!model.isEnabled(.playNext, for: track))
        model.select([1, 3])
        #expect(model.isEnabled(.playNext, for: track))
        model.state.apply(.modes(PlaybackModes(isShuffled: true)))
        #expect(!model.isEnabled(.playNext, for: track))
        model.state.apply(.modes(PlaybackModes()))
        model.playSelectionNext()
        while player.titles != ["a", "b", "d", "c"] { await Task.yield() }
    }

    /// Between the lines of a filter there are tracks that it hides.
    @Test func tracksOfAFilterArePlayedNext() async {
        let (player, model) = window(["one", "two", "twofold", "three"])
        model.state.apply(.track(index: 0))
        await model.state.carryOut(.filter("two"))
        model.select([1])
        model.playSelectionNext()
        while player.titles != ["one", "twofold", "two", "three"] { await Task.yield() }
        #expect(model.selection == [])
    }

    /// The playlist may change while the menu is open.
    @Test func theTrackOfTheMenuIsPlayed() async throws {
        let (player, model) = window(["a", "b", "c"])
        let track = try #require(model.openMenu(at: 1))
        await model.state.carryOut(.remove([0]))
        model.play(track)
        while player.commands.last != "jump 0" { await Task.yield() }
        await model.state.carryOut(.remove([0]))
        let commands = player.commands
        model.play(track)
        model.setVolume(0.5)
        while player.commands.last != "volume 0.5" { await Task.yield() }
        #expect(player.titles == ["c"] && player.commands == commands + ["volume 0.5"])
    }

    @Test(
        arguments: [
            ("file:///m/a%20b.flac", "file:///m/a%20b.flac", "file:///m/a%20b.flac"),
            ("file:///m/album.flac#t=60,125.5", "file:///m/album.flac#t=60,125.5", "file:///m/album.flac"),
            ("file://nas/m/a.flac", "file://nas/m/a.flac", nil),
            ("https://ann:secret@example.org/a.ogg", "https://ann@example.org/a.ogg", nil),
        ] as [(String, String, String?)])
    func addressesAreWithoutPasswordsAndFilesOfThisComputer(_ text: String, _ address: String, _ file: String?) throws {
        let entry = PlaylistEntry(url: try #require(URL(string: text)))
        let model = PlayerWindowModel(AppState(player: ListPlayer([]), entries: [entry], staysOpen: true))
        let track = try #require(model.openMenu(at: 0))
        #expect(track.address == address && track.file?.absoluteString == file)
        #expect(model.isEnabled(.showFile, for: track) == (file != nil))
        model.report("/m cannot be shown: no program opens folders")
        #expect(model.banner?.text == "/m cannot be shown: no program opens folders")
    }
}
