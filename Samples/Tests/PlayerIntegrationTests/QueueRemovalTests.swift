import Descant
import DescantTesting
import Foundation
import PlayerApp
import Testing

@testable import PlayerIntegration

/// Many tracks that are removed at once.
@MainActor
@Suite(.timeLimit(.minutes(2)))
struct QueueRemovalTests {
    private func player(of entries: [PlaylistEntry], startingAt index: Int = 0) throws -> DescantPlayer {
        var request = PlayRequest(entries: entries, output: .null, options: PlayOptions(), isRemoteControlled: false)
        request.startIndex = index
        return try DescantPlayer(request, environment: AudioEnvironment(plugins: PluginRegistry(searchPath: [])))
    }

    @Test func theRemovalOfAllTracksPlaysNoOtherOne() async throws {
        let folder = try TemporaryDirectory()
        let entries = try ["a", "b", "c", "d", "e"].map { name in
            let file = folder.file("\(name).wav")
            try WAVFile(TestSignal.sine(440, seconds: 60).samples(), encoding: .float32).write(to: file)
            return PlaylistEntry(url: file)
        }
        let player = try player(of: entries, startingAt: 3)
        let state = AppState(player: player, entries: entries, staysOpen: true)
        try await player.start()
        var tracks: [Int] = []
        var removing: Task<Void, Never>?
        for await update in player.updates {
            if case .track(let index) = update {
                tracks.append(index)
                removing = removing ?? Task { await state.carryOut(.remove([0, 1, 2, 3, 4])) }
            }
            if case .playlist(let left, _, _) = update, left.isEmpty { break }
        }
        await removing?.value
        #expect(tracks == [3])
        await state.carryOut(.undo)
        #expect(await player.service.getCurrentPlaylist() == entries.map(\.url))
        await player.stop(fade: 0)
    }

    @Test func thousandsOfTracksAreRemovedInOneChange() async throws {
        let entries = (0..<5_000).map { PlaylistEntry(url: URL(fileURLWithPath: "/nowhere/\($0).wav")) }
        let player = try player(of: entries)
        try await player.prepare()
        let removed = try await player.remove(at: Set(entries.indices))
        #expect(removed.entries.map(\.url) == entries.map(\.url))
        var counts: [Int] = []
        for await case .playlist(let list, _, let edit) in player.updates {
            counts.append(list.count)
            #expect(edit == removed.edit)
            if list.isEmpty { break }
        }
        #expect(counts == [0])
        await player.stop(fade: 0)
    }
}
