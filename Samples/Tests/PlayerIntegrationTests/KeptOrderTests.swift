import Descant
import DescantTesting
import Foundation
import PlayerApp
import Testing

@testable import PlayerIntegration

/// The order of a shuffled queue, which the next start goes on in.
@Suite(.timeLimit(.minutes(2))) struct KeptOrderTests {
    private let folder: TemporaryDirectory
    private let store: PlayerStateStore
    private let entries: [PlaylistEntry]

    init() throws {
        let folder = try TemporaryDirectory()
        self.folder = folder
        store = PlayerStateStore(folder: folder.file("state"))
        entries = try (0..<6).map { number in
            let file = folder.file("\(number).wav")
            try WAVFile(TestSignal.sine(440, seconds: 60).samples(), encoding: .float32).write(to: file)
            return PlaylistEntry(url: file)
        }
    }

    private func player(seed: UInt64, goingOnWith saved: SavedPlayback? = nil) throws -> DescantPlayer {
        var options = PlayOptions()
        options.shuffleSeed = seed
        options.shuffledOrder = saved?.order
        var request = PlayRequest(entries: entries, output: .null, options: options, isRemoteControlled: false)
        request.startIndex = saved?.index
        request.store = store
        return try DescantPlayer(request, environment: AudioEnvironment(plugins: PluginRegistry(searchPath: [])))
    }

    /// Plays to the second track of an order, and ends.
    private func play() async throws -> (order: [Int], saved: SavedPlayback) {
        let player = try player(seed: 42)
        try await player.start()
        try await player.next()
        let (order, index) = (await player.service.getShuffledOrder(), await player.service.getCurrentTrackIndex())
        while store.load().state?.index != index { await Task.yield() }
        await player.stop(fade: 0)
        return (try #require(order), try #require(store.load().state))
    }

    @Test func theNextStartGoesOnInIt() async throws {
        let (order, saved) = try await play()
        #expect(saved.order == order && saved.index == order[1])
        let player = try player(seed: 7, goingOnWith: saved)
        try await player.start()
        #expect(await player.service.getCurrentTrackIndex() == order[1])
        #expect(await player.service.getShuffledOrder() == order)
        await player.stop(fade: 0)
        #expect(store.load().state?.order == order)
    }

    @Test func aPreparedQueueGoesOnInIt() async throws {
        let (order, saved) = try await play()
        let player = try player(seed: 7, goingOnWith: saved)
        try await player.prepare()
        #expect(await player.service.peekNextTrack() == entries[order[2]].url)
        try await player.togglePause()
        #expect(await player.service.getShuffledOrder() == order)
        await player.stop(fade: 0)
    }

    /// The track that takes its place comes behind it, so that no other one is left out.
    @Test func aTrackThatIsGoneKeepsItsPlace() async throws {
        let (order, saved) = try await play()
        try FileManager.default.removeItem(at: entries[saved.index].url)
        let player = try player(seed: 7, goingOnWith: saved)
        try await player.start()
        let current = await player.service.getCurrentTrackIndex()
        let now = try #require(await player.service.getShuffledOrder())
        #expect(current != saved.index && now.filter { $0 != current } == order.filter { $0 != current })
        #expect(now.firstIndex(of: current) == now.firstIndex(of: saved.index).map { $0 + 1 })
        await player.stop(fade: 0)
    }

    @Test func anotherOrderIsKeptAndNone() async throws {
        let player = try player(seed: 42)
        try await player.start()
        await player.setShuffle(true)
        let order = await player.service.getShuffledOrder()
        while store.load().state?.order != order { await Task.yield() }
        await player.setShuffle(false)
        while store.load().state?.modes.isShuffled != false { await Task.yield() }
        await player.stop(fade: 0)
        #expect(store.load().state?.order == nil)
        #expect(!FileManager.default.fileExists(atPath: store.folder.appendingPathComponent("order.json").path))
    }

    /// As after a crash between two files, and after the end, behind which the queue begins at its first track.
    @Test func anOrderThatDoesNotFitIsLeftOut() {
        var place = SavedPlace(volume: 1)
        (place.url, place.isShuffled) = (entries[0].url, true)
        func order(_ order: [Int], at place: SavedPlace) -> [Int]? {
            SavedPlayback(entries: entries, place: place, order: order).order
        }
        let whole = [3, 0, 1, 2, 5, 4]
        #expect(order(whole, at: place) == whole)
        #expect(order([3, 0, 1, 2, 5], at: place) == nil)
        #expect(order([3, 0, 1, 2, 5, 5], at: place) == nil)
        #expect(order([3, 0, 1, 2, 5, 6], at: place) == nil)
        place.url = nil
        #expect(order(whole, at: place) == nil)
        place.url = entries[0].url
        place.isShuffled = false
        #expect(order(whole, at: place) == nil)
    }

    @Test func theOrderOfTheQueueBeforeIsKeptWithIt() async throws {
        let (order, _) = try await play()
        let file = PlaylistEntry(url: URL(fileURLWithPath: "/music/a.wav"))
        let recorder = PlaceRecorder(store: store, entries: [file], options: PlayOptions(), position: 0) { _ in }
        recorder.note(track: file.url, at: 0)
        recorder.begin()
        await recorder.finish()
        #expect(store.load().state?.order == nil)
        #expect(store.previous.load().state?.order == order)
    }
}
