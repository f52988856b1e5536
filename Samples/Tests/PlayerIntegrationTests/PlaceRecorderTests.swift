import Descant
import Foundation
import PlayerApp
import Synchronization
import Testing

@testable import PlayerIntegration

/// What is kept of a queue while it is played.
@Suite(.timeLimit(.minutes(1))) struct PlaceRecorderTests {
    private let shelf: Shelf
    private let store: PlayerStateStore

    init() throws {
        shelf = try Shelf()
        store = PlayerStateStore(folder: shelf.folder.appendingPathComponent("state"))
    }

    /// A recorder of a player that plays one track.
    private func recorder(
        _ name: String, options: PlayOptions = PlayOptions(),
        onFailure: @escaping @Sendable (String) -> Void = { _ in }
    ) -> PlaceRecorder {
        let url = URL(fileURLWithPath: "/music/\(name).wav")
        let recorder = PlaceRecorder(
            store: store, entries: [PlaylistEntry(url: url)], options: options, position: 0, onFailure: onFailure)
        recorder.note(track: url, at: 0)
        recorder.begin()
        return recorder
    }

    private var kept: [String] { store.load().state?.entries.map(\.title) ?? [] }

    @Test func theQueueOfAnEarlierVersionIsReadUntilOneIsWritten() async throws {
        let old = #"{"entries":[{"url":"file:///music/%C3%84.wav","title":"Ä","artist":"B","duration":1.5}]}"#
        try FileManager.default.createDirectory(at: store.folder, withIntermediateDirectories: true)
        let file = store.folder.appendingPathComponent("queue.json")
        try Data(old.utf8).write(to: file)
        let entry = try #require(store.load().state?.entries.first)
        #expect(entry.url == URL(fileURLWithPath: "/music/Ä.wav"))
        #expect(entry.title == "Ä" && entry.artist == "B" && entry.album == nil && entry.duration == 1.5)
        await recorder("a").finish()
        #expect(kept == ["a"] && !FileManager.default.fileExists(atPath: file.path))
        // A damaged one is set aside like a new one.
        try FileManager.default.removeItem(at: store.folder.appendingPathComponent("queue.tsv"))
        try Data("no queue".utf8).write(to: file)
        #expect(store.load().problem?.hasSuffix("it was set aside as queue.json.damaged") == true && kept.isEmpty)
    }

    @Test func theQueueBeforeIsKept() async throws {
        let album = ["one", "two"].map { PlaylistEntry(url: URL(fileURLWithPath: "/music/\($0).wav")) }
        let first = PlaceRecorder(store: store, entries: album, options: PlayOptions(), position: 0) { _ in }
        first.note(track: album[1].url, at: 1)
        first.begin()
        first.note(position: 90)
        await first.finish()
        func previous() -> [String] { store.previous.load().state?.entries.map(\.title) ?? [] }
        #expect(previous().isEmpty)
        // Files that are played in between.
        await recorder("a").finish()
        await recorder("b").finish()
        #expect(kept == ["b"] && previous() == ["one", "two"])
        let saved = try #require(store.previous.load().state)
        #expect(saved.index == 1 && saved.position == 90)
        // The same queue again is none before.
        let again = PlaceRecorder(store: store, entries: album, options: PlayOptions(), position: 0) { _ in }
        again.note(track: album[0].url, at: 0)
        again.begin()
        await again.finish()
        #expect(kept == ["one", "two"] && previous() == ["one", "two"])
        // Another queue is.
        let others = ["three", "four"].map { PlaylistEntry(url: URL(fileURLWithPath: "/music/\($0).wav")) }
        let other = PlaceRecorder(store: store, entries: others, options: PlayOptions(), position: 0) { _ in }
        other.note(track: others[0].url, at: 0)
        other.begin()
        await other.finish()
        await recorder("c").finish()
        #expect(kept == ["c"] && previous() == ["three", "four"])
    }

    /// Such as an audio book in one file.
    @Test func aLongTrackIsAQueue() async throws {
        let book = PlaylistEntry(
            url: URL(fileURLWithPath: "/books/sea.m4b"), title: "sea", artist: nil, duration: 40_000)
        await recorder("a").finish()
        let reading = PlaceRecorder(store: store, entries: [book], options: PlayOptions(), position: 0) { _ in }
        reading.note(track: book.url, at: 0)
        reading.begin()
        await reading.finish()
        await recorder("b").finish()
        #expect(kept == ["b"] && store.previous.load().state?.entries.map(\.title) == ["sea"])
    }

    /// A disk that fails for a moment must not cost the queue.
    @Test func aQueueThatCannotBeReadStays() async throws {
        let file = store.folder.appendingPathComponent("queue.tsv")
        // It leads in circles, and so cannot be opened.
        try FileManager.default.createDirectory(at: store.folder, withIntermediateDirectories: true)
        try FileManager.default.createSymbolicLink(at: file, withDestinationURL: file)
        #expect(store.load().problem?.contains("queue.tsv cannot be read") == true)
        let failures = Mutex<[String]>([])
        await recorder("a") { reason in failures.withLock { $0.append(reason) } }.finish(limit: 60)
        #expect(failures.withLock { $0 }.contains { $0.contains("left as it is") })
        #expect(try FileManager.default.destinationOfSymbolicLink(atPath: file.path) == file.path)
    }

    @Test func howTheQueueIsPlayedIsKept() async throws {
        var options = PlayOptions()
        options.configuration.gaplessAlbums = true
        options.configuration.repeatMode = .singleTrack
        options.configuration.repeatCount = 2
        options.configuration.fadeCurve = .linear
        options.replayGain = ReplayGainSettings(mode: .album, preamp: -3)
        await recorder("a", options: options).finish()
        let saved = try #require(store.load().state)
        #expect(saved.modes == options.modes && saved.modes.gaplessAlbums)
        #expect(saved.repeatCount == 2 && saved.fadeCurve == .linear && saved.preamp == -3)
        let other = recorder("a", options: options)
        other.note(FadeCurve.sCurve)
        await other.finish()
        #expect(store.load().state?.fadeCurve == .sCurve)
    }

    @Test func theCountOfRepetitionsGoesWithItsMode() async throws {
        var options = PlayOptions()
        options.configuration.repeatMode = .singleTrack
        options.configuration.repeatCount = 2
        let recorder = recorder("a", options: options)
        var modes = options.modes
        modes.rate = 1.5
        recorder.note(modes)
        await recorder.finish()
        #expect(store.load().state?.repeatCount == 2)
        let other = self.recorder("a", options: options)
        modes.repeats = .playlist
        other.note(modes)
        await other.finish()
        let saved = try #require(store.load().state)
        #expect(saved.repeatCount == nil && saved.modes.repeats == .playlist)
    }

    @Test func thePlaceOfAnEarlierVersionIsRead() async throws {
        await recorder("a").finish()
        let old = """
            {"crossfade":4,"index":0,"isShuffled":false,"loudness":"track","position":7.5,"rate":1,"repeats":"track",\
            "url":"file:///music/a.wav","volume":0.5}
            """
        let file = store.folder.appendingPathComponent("place.json")
        func saved() throws -> SavedPlayback {
            let (state, problem) = store.load()
            #expect(problem == nil)
            return try #require(state)
        }
        try Data(old.utf8).write(to: file)
        let place = try saved()
        #expect(place.position == 7.5 && place.volume == 0.5 && place.modes.crossfade == 4)
        #expect(place.repeatCount == nil && place.fadeCurve == .equalPower && place.preamp == 0)
        #expect(!place.modes.gaplessAlbums)
        // What cannot be is not taken over.
        let odd = #"{"curve":"of a later version","preamp":99,"repeatCount":-1,"#
        try Data((odd + String(old.dropFirst())).utf8).write(to: file)
        let other = try saved()
        #expect(other.repeatCount == nil && other.fadeCurve == .equalPower && other.preamp == 0)
        #expect(other.position == 7.5)
    }

    @Test func whatCouldNotBeWrittenIsWrittenWithTheNextChange() async throws {
        try shelf.put(Data(), as: "state")
        let (failures, feed) = AsyncStream.makeStream(of: String.self)
        let recorder = recorder("a") { feed.yield($0) }
        for await failure in failures {
            #expect(failure.contains("queue.tsv"))
            break
        }
        try FileManager.default.removeItem(at: store.folder)
        recorder.note(volume: 0.5)
        await recorder.finish()
        #expect(kept == ["a"] && store.load().state?.volume == 0.5)
    }

    /// On a full disk, a queue that was written is not written again with each position.
    @Test func aPlaceThatCannotBeWrittenLeavesTheQueue() async throws {
        let place = store.folder.appendingPathComponent("place.json")
        try FileManager.default.createDirectory(at: place, withIntermediateDirectories: true)
        let (failures, feed) = AsyncStream.makeStream(of: String.self)
        let recorder = recorder("a") { feed.yield($0) }
        for await failure in failures {
            #expect(failure.contains("place.json"))
            break
        }
        let queue = store.folder.appendingPathComponent("queue.tsv")
        try FileManager.default.removeItem(at: queue)
        recorder.note(volume: 0.5)
        await recorder.finish()
        #expect(!FileManager.default.fileExists(atPath: queue.path))
    }

    @Test func howAnEmptyQueueIsPlayedIsKept() async throws {
        var options = PlayOptions()
        options.configuration.repeatMode = .playlist
        let recorder = recorder("a", options: options)
        recorder.note([], current: nil)
        await recorder.finish()
        let saved = try #require(store.load().state)
        #expect(saved.entries.isEmpty && saved.repeatMode == .playlist && saved.index == 0)
    }

    /// What hangs is the disk, which the report of a failure stands for.
    @Test(.timeLimit(.minutes(1))) func aWriteThatHangsDoesNotKeepThePlayer() async throws {
        try shelf.put(Data(), as: "state")
        let disk = DispatchSemaphore(value: 0)
        defer { disk.signal() }
        let recorder = recorder("a") { _ in disk.wait() }
        await recorder.finish(limit: 0.01)
    }

    @Test func aQueueThatWasNotPlayedYetIsKept() async {
        func finish(with queues: [[String]]) async {
            let recorder = PlaceRecorder(
                store: store, entries: [], options: PlayOptions(), position: 0, onFailure: { _ in })
            recorder.begin()
            for queue in queues {
                let urls = queue.map { URL(fileURLWithPath: "/music/\($0).wav") }
                recorder.note(urls.map { PlaylistEntry(url: $0) }, current: nil)
            }
            await recorder.finish()
        }
        await finish(with: [])
        #expect(!FileManager.default.fileExists(atPath: store.folder.path), "an empty player keeps nothing")
        await finish(with: [["a"], ["a", "b"]])
        #expect(kept == ["a", "b"])
        #expect(store.load().state?.index == 0 && store.load().state?.position == 0)
        await finish(with: [])
        #expect(kept == ["a", "b"])
        await finish(with: [["c"], []])
        #expect(kept.isEmpty)
    }

    @Test func ofTwoPlayersTheFirstOneIsKept() async throws {
        let first = recorder("a")
        while kept != ["a"] { await Task.yield() }
        let reasons = Mutex<[String]>([])
        let second = recorder("b") { reason in reasons.withLock { $0.append(reason) } }
        // It says so once, and takes over nothing.
        second.note(volume: 0.25)
        await second.finish()
        first.note(volume: 0.5)
        await first.finish()
        #expect(kept == ["a"] && store.load().state?.volume == 0.5)
        #expect(reasons.withLock { $0 } == ["the place is not kept: another player, which began before, keeps its own"])
        await recorder("c").finish()
        #expect(kept == ["c"])
    }
}
