import Descant
import DescantTestSupport
import DescantTesting
import Foundation
import PlayerApp
import Testing

@testable import PlayerIntegration

@Suite(.timeLimit(.minutes(2)))
struct DescantPlayerTests {
    /// Files of a minute.
    private func minutes(_ names: [String], in folder: TemporaryDirectory) throws -> [PlaylistEntry] {
        try names.map { name in
            let file = folder.file("\(name).wav")
            try WAVFile(TestSignal.sine(440, seconds: 60).samples(), encoding: .float32).write(to: file)
            return PlaylistEntry(url: file)
        }
    }

    @Test func aStopFromAfarFadesAsShortlyAsThatOfAKey() async throws {
        let missing = PlaylistEntry(url: URL(fileURLWithPath: "/nowhere/a.wav"))
        let request = PlayRequest(entries: [missing], output: .null, options: PlayOptions(), isRemoteControlled: false)
        let player = try DescantPlayer(request, environment: AudioEnvironment(plugins: PluginRegistry(searchPath: [])))
        #expect(player.liveOptions.configuration.stopFadeDuration == 0.3)
        await player.stop(fade: 0)
    }

    /// A view that shows no levels is not woken for them.
    @Test(arguments: [true, false]) func levelsAreToldWhereTheyAreShown(areShown: Bool) async throws {
        let folder = try TemporaryDirectory()
        var request = PlayRequest(
            entries: try minutes(["a"], in: folder), output: .null, options: PlayOptions(), isRemoteControlled: false)
        request.showsLevels = areShown
        let player = try DescantPlayer(request, environment: AudioEnvironment(plugins: PluginRegistry(searchPath: [])))
        try await player.start()
        var areTold = false
        for await update in player.updates {
            if case .levels = update { areTold = true }
            if case .position(let position, _) = update, areShown ? areTold : position > 0.5 { break }
        }
        #expect(areTold == areShown)
        await player.stop(fade: 0)
    }

    @Test func aChosenTrackIsPlayedByAPausedPlayer() async throws {
        let folder = try TemporaryDirectory()
        let entries = try minutes(["a", "b"], in: folder)
        let request = PlayRequest(entries: entries, output: .null, options: PlayOptions(), isRemoteControlled: false)
        let player = try DescantPlayer(request, environment: AudioEnvironment(plugins: PluginRegistry(searchPath: [])))
        try await player.start()
        try await player.togglePause()
        for await state in player.service.stateUpdates where state == .paused { break }
        try await player.jump(to: 1)
        #expect(await player.service.getCurrentTrackIndex() == 1)
        for await state in player.service.stateUpdates where state == .playing { break }
        await player.stop(fade: 0)
    }

    /// A queue that waits to be played may be edited before, and its place moved.
    @Test func thePlaceOfAPreparedQueueFollowsItsEdits() async throws {
        let folder = try TemporaryDirectory()
        let entries = try ["a", "b", "c", "d"].map { name in
            let file = folder.file("\(name).wav")
            try WAVFile(TestSignal.sine(440, seconds: 60).samples(), encoding: .float32).write(to: file)
            return PlaylistEntry(url: file)
        }
        var request = PlayRequest(
            entries: entries, output: .null, options: PlayOptions(), start: 20, isRemoteControlled: false)
        request.startIndex = 1
        let player = try DescantPlayer(request, environment: AudioEnvironment(plugins: PluginRegistry(searchPath: [])))
        try await player.prepare()
        // The place lies in b, at 20 s.
        _ = try await player.remove(at: [0])
        for await update in player.updates {
            if case .playlist(let list, current: 0, edit: _) = update, list.count == 3 { break }
        }
        try await player.togglePause()
        #expect(await player.service.getCurrentTrackIndex() == 0)
        #expect(try #require(await player.service.playbackPosition).currentTime >= 20)
        await player.stop(fade: 0)
    }

    @Test func nextAndPreviousMoveThePlaceOfAPreparedQueue() async throws {
        let folder = try TemporaryDirectory()
        let entries = try minutes(["a", "b", "c"], in: folder)
        var request = PlayRequest(
            entries: entries + [entries[0]], output: .null, options: PlayOptions(), start: 20,
            isRemoteControlled: false)
        request.startIndex = 1
        let player = try DescantPlayer(request, environment: AudioEnvironment(plugins: PluginRegistry(searchPath: [])))
        try await player.prepare()
        for _ in 0..<2 { try await player.next() }
        let last = await #expect(throws: InputError.self) { try await player.next() }
        #expect(last?.description == "this is the last track")
        for _ in 0..<4 { try await player.previous() }
        let isIdle = await player.service.state == PlayerState.idle
        #expect(isIdle)
        // The place's own track is removed: the one behind it takes its place, from its beginning.
        try await player.next()
        _ = try await player.remove(at: [1])
        var places: [Int] = []
        for await case .track(let index) in player.updates {
            places.append(index)
            if places.count == 9 { break }
        }
        #expect(places == [1, 2, 3, 2, 1, 0, 0, 1, 1])
        let clock = ContinuousClock()
        let pressed = clock.now
        try await player.togglePause()
        #expect(await player.service.currentTrack?.title == "c")
        // It has played since the key at most; the place in the removed track lay 20 s behind its beginning.
        let position = try #require(await player.service.playbackPosition).currentTime
        #expect(position < 10 + (clock.now - pressed) / .seconds(1))
        await player.stop(fade: 0)
    }

    /// Its disk may come later.
    @Test func thePlaceOfATrackThatCannotBeOpenedYetIsKept() async throws {
        let folder = try TemporaryDirectory()
        let file = folder.file("a.wav")
        var request = PlayRequest(
            entries: [PlaylistEntry(url: file)], output: .null, options: PlayOptions(), start: 20,
            isRemoteControlled: false)
        request.startIndex = 0
        let player = try DescantPlayer(request, environment: AudioEnvironment(plugins: PluginRegistry(searchPath: [])))
        try await player.prepare()
        await #expect(throws: (any Error).self) { try await player.togglePause() }
        try WAVFile(TestSignal.sine(440, seconds: 60).samples(), encoding: .float32).write(to: file)
        try await player.togglePause()
        #expect(try #require(await player.service.playbackPosition).currentTime >= 20)
        await player.stop(fade: 0)
    }

    @Test func thePlaceIsKeptWhenAChosenTrackCannotBeOpened() async throws {
        let folder = try TemporaryDirectory()
        let missing = PlaylistEntry(url: folder.file("missing.wav"))
        var request = PlayRequest(
            entries: try minutes(["a"], in: folder) + [missing], output: .null, options: PlayOptions(), start: 20,
            isRemoteControlled: false)
        request.startIndex = 0
        let player = try DescantPlayer(request, environment: AudioEnvironment(plugins: PluginRegistry(searchPath: [])))
        try await player.prepare()
        await #expect(throws: (any Error).self) { try await player.jump(to: 1) }
        try await player.togglePause()
        #expect(await player.service.getCurrentTrackIndex() == 0)
        #expect(try #require(await player.service.playbackPosition).currentTime >= 20)
        await player.stop(fade: 0)
    }

    /// As a remote control does.
    @Test func aTrackThatIsChosenElsewhereEndsTheWait() async throws {
        let folder = try TemporaryDirectory()
        let entries = try minutes(["a", "b", "c"], in: folder)
        var request = PlayRequest(
            entries: entries, output: .null, options: PlayOptions(), start: 20, isRemoteControlled: false)
        request.startIndex = 1
        let player = try DescantPlayer(request, environment: AudioEnvironment(plugins: PluginRegistry(searchPath: [])))
        try await player.prepare()
        let last = try #require(await player.service.nowPlaying().tracks.last)
        try await player.service.perform(.goTo(last.id))
        for await case .track(index: 2) in player.updates { break }
        let place = player.start.withLock { $0 }
        try #require(place == nil)
        // The same key pauses now.
        try await player.togglePause()
        for await state in player.service.stateUpdates where state == .paused { break }
        #expect(await player.service.getCurrentTrackIndex() == 2)
        await player.stop(fade: 0)
    }

    @Test func aPlayerThatFellAsleepGoesOnWhereItWas() async throws {
        let folder = try TemporaryDirectory()
        let entries = try minutes(["a", "b"], in: folder)
        var request = PlayRequest(
            entries: entries, output: .null, options: PlayOptions(), start: 20, isRemoteControlled: false)
        request.startIndex = 1
        let player = try DescantPlayer(request, environment: AudioEnvironment(plugins: PluginRegistry(searchPath: [])))
        try await player.prepare()
        try await player.togglePause()
        // The track is told when the player waits, and when it begins.
        var (tracks, positions) = (0, 0)
        for await update in player.updates {
            if case .track = update { tracks += 1 }
            if case .position(let position, _) = update, tracks == 2, position > 20 { positions += 1 }
            if positions == 2 { break }
        }
        // A timer that ends now, without the fade of 10 s.
        player.change { $0.sleep = .after(minutes: 15) }
        try await player.service.setSleepTimer(.after(0), fadeDuration: 0)
        for await case .ended(let ending) in player.updates {
            #expect(ending == .sleepTimer(isWithinTrack: true))
            break
        }
        let place = player.start.withLock { $0 }
        #expect(place?.url == entries[1].url)
        #expect(place.map { $0.position > 20 } == true)
        try await player.togglePause()
        #expect(await player.service.getCurrentTrackIndex() == 1)
        #expect(try #require(await player.service.playbackPosition).currentTime > 20)
        await player.stop(fade: 0)
    }

    /// Two keys may come at once.
    @MainActor
    @Test func movesAreMadeInTheOrderOfTheirKeys() async throws {
        let folder = try TemporaryDirectory()
        let entries = try minutes(["a", "b", "c"], in: folder)
        var options = PlayOptions()
        options.configuration.crossfadeDuration = 0
        let request = PlayRequest(entries: entries, output: .null, options: options, isRemoteControlled: false)
        let player = try DescantPlayer(request, environment: AudioEnvironment(plugins: PluginRegistry(searchPath: [])))
        try await player.start()
        let controls: any PlayerControlling = player
        for _ in 0..<10 {
            let moves = [
                Task.immediate { try await controls.next() }, Task.immediate { try await controls.next() },
                Task.immediate { try await controls.previous() }, Task.immediate { try await controls.jump(to: 0) },
                Task.immediate { try await controls.next() }, Task.immediate { try await controls.previous() },
            ]
            for (number, move) in moves.enumerated() {
                do {
                    try await move.value
                } catch is CancellationError where number < 5 {
                    // A track that is chosen does not wait for those that are still being opened.
                }
            }
            #expect(await player.service.getCurrentTrackIndex() == 0)
        }
        await player.stop(fade: 0)
    }

    /// A station names its songs, and keeps its own name in the list.
    @Test func theSongsOfAStationAreShownBesideItsName() async throws {
        let folder = try TemporaryDirectory()
        let sound = try Data(
            contentsOf: FixtureEncoder().encode(
                TestSignal.noise(seconds: 4).samples(), as: .mp3(kilobitsPerSecond: 128), to: folder.file("s.mp3")))
        let server = try LoopbackWebServer { _ in
            var stream = Data()
            for start in stride(from: 0, to: sound.count - 4_096, by: 4_096) {
                let title = Data("StreamTitle='\(start < sound.count / 2 ? "Alpha" : "Beta")';".utf8)
                let units = (title.count + 15) / 16
                stream += sound[start..<start + 4_096] + [UInt8(units)] + title
                stream += Data(count: units * 16 - title.count)
            }
            var answer = WebAnswer(
                headers: ["Content-Type": "audio/mpeg", "icy-metaint": "4096"], body: stream, ending: .closed)
            answer.announcedLength = nil
            return answer
        }
        let radio = PlaylistEntry(url: server.url("/live"), title: "Radio X", artist: nil, duration: nil)
        let request = PlayRequest(entries: [radio], output: .null, options: PlayOptions(), isRemoteControlled: false)
        let player = try DescantPlayer(request, environment: AudioEnvironment(plugins: PluginRegistry(searchPath: [])))
        try await player.start()
        var songs: [String] = []
        for await case .song(let song?) in player.updates where song != songs.last {
            songs.append(song)
            if song == "Beta" { break }
        }
        #expect(songs.suffix(2) == ["Alpha", "Beta"])
        #expect(player.queue.withLock { $0.entries.map(\.title) } == ["Radio X"])
        await player.stop(fade: 0)
    }

    @Test(arguments: [false, true]) func aStreamTellsThatItDoesNotBeginWhereItWasAskedTo(isStream: Bool) async throws {
        let folder = try TemporaryDirectory()
        let file = try FixtureEncoder().encode(
            TestSignal.noise(seconds: 4).samples(), as: .mp3(kilobitsPerSecond: 128), to: folder.file("s.mp3"))
        let sound = try Data(contentsOf: file)
        let server = try LoopbackWebServer { _ in
            var answer = WebAnswer(
                headers: ["Content-Type": "audio/mpeg", "icy-name": "x"], body: sound, ending: .closed)
            answer.announcedLength = nil
            return answer
        }
        let request = PlayRequest(
            entries: [PlaylistEntry(url: isStream ? server.url("/live") : file)], output: .null, options: PlayOptions(),
            start: 2, isRemoteControlled: false)
        let player = try DescantPlayer(request, environment: AudioEnvironment(plugins: PluginRegistry(searchPath: [])))
        try await player.start()
        await player.stop(fade: 0)
        var notices: [String] = []
        for await case .notice(let notice) in player.updates { notices.append(notice.text) }
        let warning = "the stream has no length and cannot begin at 2.0 s: --start is left out"
        #expect(notices.contains(warning) == isStream)
    }

    /// Whoever chooses another track while one is opened hears it at once, and goes on from it with "next".
    @Test(arguments: [false, true]) func aSlowTrackHoldsUpNoOtherOne(isNext: Bool) async throws {
        let folder = try TemporaryDirectory()
        let server = try LoopbackWebServer { _ in WebAnswer(ending: .silence) }
        let slow = server.url("/slow.ogg")
        let entries = try minutes(["a", "b"], in: folder)
        let request = PlayRequest(
            entries: [entries[0], PlaylistEntry(url: slow), entries[1]], output: .null, options: PlayOptions(),
            isRemoteControlled: false)
        let player = try DescantPlayer(request, environment: AudioEnvironment(plugins: PluginRegistry(searchPath: [])))
        try await player.prepare()
        let states = player.service.stateUpdates.buffered(.bounded(64)).numbered
        let choosing = Task { try await player.jump(to: 1) }
        for await state in player.service.stateUpdates where state == .preparing { break }
        if isNext { try await player.next() } else { try await player.jump(to: 2) }
        #expect(await player.service.getCurrentTrackIndex() == 2)
        await #expect(throws: CancellationError.self) { try await choosing.value }
        // Nothing has ended in between.
        var seen: [PlayerState] = []
        for await state in states {
            seen.append(state.event)
            if state.event == .playing { break }
        }
        #expect(seen.allSatisfy { [.idle, .preparing, .playing].contains($0) } && seen.count { $0 == .idle } <= 1)
        await player.stop(fade: 0)
    }

    /// The music plays on, and its place is kept.
    @Test func nextWhileTheLastTrackIsOpenedIsRefused() async throws {
        let folder = try TemporaryDirectory()
        let server = try LoopbackWebServer { _ in WebAnswer(ending: .silence) }
        let entries = try minutes(["a"], in: folder) + [PlaylistEntry(url: server.url("/slow.ogg"))]
        let request = PlayRequest(entries: entries, output: .null, options: PlayOptions(), isRemoteControlled: false)
        let player = try DescantPlayer(request, environment: AudioEnvironment(plugins: PluginRegistry(searchPath: [])))
        try await player.start()
        let moving = Task { try await player.next() }
        while server.requests.isEmpty { await Task.yield() }
        let refusal = await #expect(throws: InputError.self) { try await player.next() }
        #expect(refusal?.description == "this is the last track")
        #expect(await player.service.state == .playing)
        try await player.previous()
        await #expect(throws: CancellationError.self) { try await moving.value }
        #expect(await player.service.getCurrentTrackIndex() == 0)
        await player.stop(fade: 0)
    }

    @Test(arguments: [false, true]) func tracksThatAreAddedBehindTheEndAreNext(isStopped: Bool) async throws {
        let folder = try TemporaryDirectory()
        let entries = try minutes(["a", "b"], in: folder)
        let request = PlayRequest(
            entries: [entries[0]], output: .null, options: PlayOptions(), isRemoteControlled: false)
        let player = try DescantPlayer(request, environment: AudioEnvironment(plugins: PluginRegistry(searchPath: [])))
        try await player.start()
        for await update in player.updates { if case .track(index: 0) = update { break } }
        if isStopped { await player.halt() } else { try await player.seek(to: 60) }
        for await state in player.service.stateUpdates where state == .finished { break }
        try await player.insert([entries[1]], at: 1)
        // The last track is shown on.
        for await update in player.updates { if case .playlist(_, current: 0, _) = update { break } }
        try await player.next()
        #expect(await player.service.getCurrentTrackIndex() == 1)
        await player.stop(fade: 0)
    }

    /// The view is there before the first track is open.
    @Test func changesWhileTheFirstTrackIsOpenedAreMadeBehindIt() async throws {
        let folder = try TemporaryDirectory()
        let entries = try minutes(["a", "b"], in: folder)
        let sound = try Data(contentsOf: entries[0].url)
        let gate = WebGate()
        let server = try LoopbackWebServer { request in
            var answer = WebAnswer.file(sound, for: request, type: "audio/x-wav")
            answer.ending = .hold(after: 0, gate)
            return answer
        }
        let slow = PlaylistEntry(url: server.url("/a.wav"))
        let request = PlayRequest(entries: [slow], output: .null, options: PlayOptions(), isRemoteControlled: false)
        let player = try DescantPlayer(request, environment: AudioEnvironment(plugins: PluginRegistry(searchPath: [])))
        let starting = Task { try await player.start() }
        while server.requests.isEmpty { await Task.yield() }
        let inserting = Task.immediate { try await player.insert([entries[1]], at: 1) }
        gate.open()
        try await starting.value
        _ = try await inserting.value
        #expect(await player.service.getCurrentPlaylist() == [slow.url, entries[1].url])
        await player.stop(fade: 0)
    }

    /// Keys get past a first track that does not answer: another one that is chosen, and a stop, behind which the queue waits.
    @Test(arguments: ["next", "choose", "stop"])
    func aFirstTrackThatDoesNotAnswerHoldsUpNothing(key: String) async throws {
        let folder = try TemporaryDirectory()
        let server = try LoopbackWebServer { _ in WebAnswer(ending: .silence) }
        let slow = PlaylistEntry(url: server.url("/slow.ogg"))
        let request = PlayRequest(
            entries: [slow] + (try minutes(["a"], in: folder)), output: .null, options: PlayOptions(),
            isRemoteControlled: false)
        let player = try DescantPlayer(request, environment: AudioEnvironment(plugins: PluginRegistry(searchPath: [])))
        let starting = Task { try await player.start() }
        while server.requests.isEmpty { await Task.yield() }
        await player.setRepeat(.playlist)
        await player.setVolume(0.5)
        switch key {
        case "next": try await player.next()
        case "choose": try await player.jump(to: 1)
        default: await player.halt()
        }
        try await starting.value
        if key == "stop" {
            #expect(await player.service.isWithoutTrack)
            try await player.jump(to: 1)
        }
        #expect(await player.service.getCurrentTrackIndex() == 1)
        for await state in player.service.stateUpdates where state == .playing { break }
        let configuration = await player.service.configuration
        #expect(configuration.repeatMode == .playlist && configuration.volume == 50)
        // It was left, and not waited for until it had failed.
        #expect(player.queue.withLock { $0.entries[0].failure } == nil)
        await player.stop(fade: 0)
    }

    @Test func aQueueWhoseLastTracksAreGoneBeginsAtItsFirst() async throws {
        let folder = try TemporaryDirectory()
        let gone = ["c", "d"].map { PlaylistEntry(url: folder.file("\($0).wav")) }
        var request = PlayRequest(
            entries: try minutes(["a", "b"], in: folder) + gone, output: .null, options: PlayOptions(), start: 20,
            isRemoteControlled: false)
        request.startIndex = 2
        let player = try DescantPlayer(request, environment: AudioEnvironment(plugins: PluginRegistry(searchPath: [])))
        try await player.start()
        #expect(await player.service.getCurrentTrackIndex() == 0)
        #expect(try #require(await player.service.playbackPosition).currentTime < 20)
        await player.stop(fade: 0)
    }

    /// As a paused one, a player that has stopped, fallen asleep or not begun can be moved.
    @Test func aPlayerThatWaitsIsMoved() async throws {
        let folder = try TemporaryDirectory()
        let entries = try minutes(["a"], in: folder)
        let request = PlayRequest(
            entries: entries, output: .null, options: PlayOptions(), start: 20, isRemoteControlled: false)
        let player = try DescantPlayer(request, environment: AudioEnvironment(plugins: PluginRegistry(searchPath: [])))
        try await player.prepare()
        try await player.seek(by: -5)
        #expect(player.start.withLock { $0?.position } == 15)
        try await player.seek(by: -50)
        #expect(player.start.withLock { $0?.position } == 0)
        try await player.seek(to: 40)
        try await player.togglePause()
        let position = try #require(await player.service.playbackPosition).currentTime
        #expect((40..<60).contains(position), "\(position) s")
        await player.halt()
        for await state in player.service.stateUpdates where state == .finished { break }
        try await player.seek(to: 30)
        #expect(player.start.withLock { $0?.position } == 30)
        await player.stop(fade: 0)
    }

    /// The key that plays acts on the tracks also while an overlay goes on.
    @Test func tracksArePlayedAgainBesideAnOverlay() async throws {
        let folder = try TemporaryDirectory()
        let entries = try minutes(["a", "rain"], in: folder)
        let request = PlayRequest(
            entries: [entries[0]], output: .null, options: PlayOptions(), isRemoteControlled: false)
        let player = try DescantPlayer(request, environment: AudioEnvironment(plugins: PluginRegistry(searchPath: [])))
        try await player.start()
        try await player.startOverlay(entries[1].url, volume: 0.5)
        await player.halt()
        for await state in player.service.stateUpdates where state == .finished { break }
        #expect(await !player.service.activeOverlays.isEmpty)
        try await player.togglePause()
        #expect(await player.service.state == .playing)
        #expect(await player.service.getOverlayState() == .playing)
        try await player.togglePause()
        #expect(await player.service.state == .paused)
        await player.stop(fade: 0)
    }

    /// Otherwise the timer would be shown, and never end.
    @Test func aStopEndsTheSleepTimerThatIsShown() async throws {
        let folder = try TemporaryDirectory()
        let entries = try minutes(["a"], in: folder)
        let request = PlayRequest(entries: entries, output: .null, options: PlayOptions(), isRemoteControlled: false)
        let player = try DescantPlayer(request, environment: AudioEnvironment(plugins: PluginRegistry(searchPath: [])))
        try await player.start()
        try await player.setSleep(.after(minutes: 15))
        #expect(await player.service.sleepTimer == .after(900))
        await player.halt()
        for await case .modes(let modes) in player.updates where modes.sleep == .off { break }
        #expect(await player.service.sleepTimer == nil)
        await player.stop(fade: 0)
    }

    /// As `--repeat track --repeat-count 2` sets it.
    @Test func aChosenModeOfRepetitionHasNoCount() async throws {
        let missing = PlaylistEntry(url: URL(fileURLWithPath: "/nowhere/a.wav"))
        var options = PlayOptions()
        options.configuration.repeatMode = .singleTrack
        options.configuration.repeatCount = 2
        let request = PlayRequest(entries: [missing], output: .null, options: options, isRemoteControlled: false)
        let player = try DescantPlayer(request, environment: AudioEnvironment(plugins: PluginRegistry(searchPath: [])))
        try await player.prepare()
        try await player.setCrossfade(2)
        #expect(await player.service.configuration.repeatCount == 2)
        await player.setRepeat(.playlist)
        let configuration = await player.service.configuration
        #expect(configuration.repeatMode == .playlist && configuration.repeatCount == nil)
        #expect(configuration.crossfadeDuration == 2)
        await player.stop(fade: 0)
    }

    @Test func tagsOfTracksThatCameBackAreReadAgain() {
        let url = URL(fileURLWithPath: "/m/a.flac")
        let bare = PlaylistEntry(url: url)
        func titled(_ entry: PlaylistEntry) -> PlaylistEntry {
            var entry = entry
            entry.title = "Alpha"
            return entry
        }
        var queue = ShownQueue([bare])
        #expect(queue.change(url, onlyIfNew: false, titled).count == 1)
        #expect(queue.undescribed.isEmpty)
        _ = queue.update([])
        queue.remember([bare])
        _ = queue.update([url])
        #expect(queue.undescribed.map(\.url) == [url])
        #expect(queue.change(url, onlyIfNew: true, titled).count == 1)

        // Tags may come before the list with their track.
        let other = URL(fileURLWithPath: "/m/b.flac")
        queue.remember([PlaylistEntry(url: other)])
        #expect(queue.change(other, onlyIfNew: true, titled).isEmpty)
        #expect(queue.update([url, other])?.map(\.title) == ["Alpha", "Alpha"])
    }

    /// Files that were dropped together.
    @Test func whatHasNoTracksIsLeftOutWithANotice() async throws {
        let folder = try TemporaryDirectory()
        let (scans, file) = (folder.file("scans"), folder.file("a.wav"))
        try FileManager.default.createDirectory(at: scans, withIntermediateDirectories: true)
        let request = PlayRequest(entries: [], output: .null, options: PlayOptions(), isRemoteControlled: false)
        let player = try DescantPlayer(request, environment: AudioEnvironment(plugins: PluginRegistry(searchPath: [])))
        #expect(try await player.entries(for: [scans, file]).map(\.url) == [file])
        for await case .notice(let notice) in player.updates {
            #expect(notice.text == "\(scans.path): there are no audio files in this folder")
            break
        }
        let refusal = await #expect(throws: InputError.self) { try await player.entries(for: [scans]) }
        #expect(refusal?.description.hasSuffix("there are no audio files in this folder") == true)
        await player.stop(fade: 0)
    }

    /// A search finds the tracks of a long playlist, too.
    @Test func everyEntryIsDescribed() async throws {
        let folder = try TemporaryDirectory()
        let first = folder.file("0.wav")
        try WAVFile(TestSignal.sine(440, seconds: 0.1).samples(), encoding: .float32).write(to: first)
        let files = try (0..<620).map { number in
            let file = folder.file("\(number).wav")
            if number > 0 { try FileManager.default.linkItem(at: first, to: file) }
            return file
        }
        let entries = files.map { PlaylistEntry(url: $0) }
        let request = PlayRequest(
            entries: Array(entries.prefix(610)), output: .null, options: PlayOptions(), isRemoteControlled: false)
        let player = try DescantPlayer(request, environment: AudioEnvironment(plugins: PluginRegistry(searchPath: [])))
        try await player.prepare()
        try await player.insert(Array(entries.suffix(10)), at: 0)
        var lengths = [TimeInterval?](repeating: nil, count: 610)
        for await update in player.updates {
            switch update {
            case .playlist(let entries, _, _): lengths = entries.map(\.duration)
            case .details(let index, let entry): lengths[index] = entry.duration
            case .manyDetails(let entries): for (index, entry) in entries { lengths[index] = entry.duration }
            default: break
            }
            if lengths.count == 620, !lengths.contains(nil) { break }
        }
        await player.stop(fade: 0)
    }

    /// The next start need not read every file again.
    @Test func tagsThatWereReadAreKeptWithTheQueue() async throws {
        let folder = try TemporaryDirectory()
        let entries = try minutes(["a", "b"], in: folder)
        let environment = AudioEnvironment(plugins: PluginRegistry(searchPath: []))
        let tags = TagChange(set: TagBundle(title: "Sea", artist: "Anna"))
        for entry in entries { try environment.makeTagWriter().write(url: entry.url, change: tags) }
        var request = PlayRequest(entries: entries, output: .null, options: PlayOptions(), isRemoteControlled: false)
        let store = PlayerStateStore(folder: folder.file("state"))
        request.store = store
        let player = try DescantPlayer(request, environment: environment)
        try await player.prepare()
        var titles = [String](repeating: "", count: 2)
        for await update in player.updates {
            switch update {
            case .details(let index, let entry): titles[index] = entry.title
            case .manyDetails(let entries): for (index, entry) in entries { titles[index] = entry.title }
            default: break
            }
            if titles == ["Sea", "Sea"] { break }
        }
        await player.stop(fade: 0)
        #expect(store.load().state?.entries.map(\.artist) == ["Anna", "Anna"])
        #expect(store.load().state?.entries.allSatisfy { $0.duration == 60 } == true)
    }

    /// Those of a disk that was plugged in again.
    @Test func theMarkOfAMissingFileGoesWhenTheFileIsBack() async throws {
        let folder = try TemporaryDirectory()
        let entries = try minutes(["a", "b", "c"], in: folder)
        let away = folder.file("away.wav")
        try FileManager.default.moveItem(at: entries[1].url, to: away)
        let request = PlayRequest(entries: entries, output: .null, options: PlayOptions(), isRemoteControlled: false)
        let player = try DescantPlayer(request, environment: AudioEnvironment(plugins: PluginRegistry(searchPath: [])))
        try await player.start()
        try await player.next()
        for await update in player.updates { if case .track(index: 2) = update { break } }
        #expect(player.queue.withLock { $0.entries[1].failure } != nil)
        try FileManager.default.moveItem(at: away, to: entries[1].url)
        try await player.jump(to: 0)
        for await update in player.updates {
            if case .manyDetails(let changed) = update, changed[1]?.failure == nil { break }
        }
        #expect(player.queue.withLock { $0.entries[1].failure } == nil)
        await player.stop(fade: 0)
    }

    /// What happens is told in one order: a player that was started again after its sleep timer comes to an end of its own.
    @Test func theSleepTimerKeepsThePlaceAndTheEndDoesNot() async throws {
        let folder = try TemporaryDirectory()
        let entries = ["a", "b"].map { PlaylistEntry(url: folder.file("\($0).wav")) }
        var request = PlayRequest(entries: entries, output: .null, options: PlayOptions(), isRemoteControlled: false)
        func place(after events: [PlayerEvent.Kind]) async throws -> Int? {
            let store = PlayerStateStore(folder: folder.file("\(UUID())"))
            request.store = store
            let player = try DescantPlayer(
                request, environment: AudioEnvironment(plugins: PluginRegistry(searchPath: [])))
            player.recorder?.note(track: entries[1].url, at: 1)
            player.recorder?.begin()
            while store.load().state?.index != 1 { await Task.yield() }
            for event in events { await player.translate(event) }
            await player.stop(fade: 0)
            return store.load().state?.index
        }
        let asleep: [PlayerEvent.Kind] = [
            .stateChanged(.playing), .sleepTimerEnded, .stateChanged(.fadingOut), .stateChanged(.finished),
        ]
        #expect(try await place(after: asleep) == 1)
        #expect(try await place(after: asleep + [.stateChanged(.playing), .stateChanged(.finished)]) == 0)
        let again: [PlayerEvent.Kind] = [.sleepTimerEnded, .stateChanged(.playing), .stateChanged(.finished)]
        #expect(try await place(after: again) == 0)
    }

    @Test func theEndHasItsReason() async throws {
        let missing = PlaylistEntry(url: URL(fileURLWithPath: "/nowhere/a.wav"))
        let request = PlayRequest(entries: [missing], output: .null, options: PlayOptions(), isRemoteControlled: false)
        let player = try DescantPlayer(request, environment: AudioEnvironment(plugins: PluginRegistry(searchPath: [])))
        let events: [PlayerEvent.Kind] = [
            .stateChanged(.playing), .sleepTimerEnded, .stateChanged(.fadingOut), .stateChanged(.finished),
            .stateChanged(.playing), .stateChanged(.finished),
            .stateChanged(.playing), .stateChanged(.failed(.engineError("lost"))),
        ]
        for event in events { await player.translate(event) }
        await player.stop(fade: 0)
        var endings: [PlaybackEnding] = []
        for await case .ended(let ending) in player.updates { endings.append(ending) }
        #expect(endings == [.sleepTimer(isWithinTrack: false), .played, .failure("audio engine: lost")])
    }

    @Test func theRemedyNamesWhatTookTheSound() {
        let suspended = "hifi: it takes no sound any more"
        func remedy(_ output: OutputDestination, _ reason: String = "gone", device: String? = nil) -> String {
            DescantPlayer.remedy(for: reason, at: output, device: device)
        }
        #expect(remedy(.pulse(), suspended, device: "hifi").contains("pactl suspend-sink hifi 0"))
        #expect(remedy(.pulse(device: "usb"), suspended).contains("pactl suspend-sink usb 0"))
        #expect(remedy(.pulse(), suspended).contains("pactl suspend-sink @DEFAULT_SINK@ 0"))
        #expect(remedy(.pulse()).contains("when the sound server is back"))
        #expect(remedy(.alsa(device: "hw:1")).contains("when ALSA takes sound again"))
        #expect(!remedy(.alsa(), suspended).contains("pactl"))
    }

    @Test func failuresAreShownWithoutTheName() {
        let url = URL(fileURLWithPath: "/m/a.flac")
        #expect(AudioPlayerError.fileNotFound(url).reason == "there is no such file")
        #expect(AudioPlayerError.invalidAudioFile(url, reason: "reading ended").reason == "reading ended")
    }

    /// Two insertions may come before the list of the first one is told.
    @Test func entriesAreRememberedUntilTheyAreInTheList() {
        let entries = ["a", "b", "c"].map {
            PlaylistEntry(url: URL(fileURLWithPath: "/m/\($0).flac"), title: "title \($0)")
        }
        let urls = entries.map(\.url)
        var queue = ShownQueue([entries[1]])
        queue.remember([entries[0]])
        queue.remember([entries[2]])
        #expect(queue.update([urls[0], urls[1]]) == [entries[0], entries[1]])
        #expect(queue.update(urls) == entries)
        // Those that came, and those that did not, are forgotten afterwards.
        #expect(queue.update([])?.isEmpty == true)
        queue.remember([entries[2]])
        queue.forget([entries[2]])
        let bare = urls.map { PlaylistEntry(url: $0) }
        #expect(queue.update(urls) == bare)
    }

    @Test func removedEntriesComeBackAsTheyWere() {
        let entries = ["a", "b"].map { PlaylistEntry(url: URL(fileURLWithPath: "/m/\($0).flac"), title: "title \($0)") }
        var queue = ShownQueue(entries)
        #expect(queue.update(entries.map(\.url)) == nil)
        #expect(queue.update([entries[0].url]) == [entries[0]])
        queue.remember([entries[1]])
        #expect(queue.update([entries[1].url, entries[0].url]) == [entries[1], entries[0]])
        let changed = queue.change(entries[0].url, onlyIfNew: false) { _ in entries[0] }
        #expect(changed.map(\.0) == [1])
        #expect(queue.change(entries[0].url, onlyIfNew: true) { $0 }.isEmpty)
        // The places are those of the present list.
        let twice = [entries[1].url, entries[0].url, entries[1].url]
        #expect(queue.update(twice)?.count == 3)
        #expect(queue.change(entries[1].url, onlyIfNew: false) { $0 }.map(\.0) == [0, 2])
        #expect(queue.change(URL(fileURLWithPath: "/m/c.flac"), onlyIfNew: false) { $0 }.isEmpty)
    }
}
