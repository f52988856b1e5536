import Descant
import DescantTestSupport
import DescantTesting
import Foundation
import Synchronization
import Testing

/// Network sources as a host sees them: settings of the environment, events of the mix, errors. What the decks do with
/// servers that cut, stall and lie is tested below the engine.
@Suite(.timeLimit(.minutes(5))) struct NetworkTests {
    /// An engine that renders into a file, with its own environment.
    private func engine(_ environment: AudioEnvironment, _ directory: TemporaryDirectory) throws -> any MixingEngine {
        try environment.makeEngine(output: .wav(directory.file("output.wav"), .f32))
    }

    @Test func headersOfTheEnvironmentAreSent() async throws {
        let directory = try TemporaryDirectory()
        let content = TestSignal.ramp(frames: 100_000).samples()
        let data = try Data(
            contentsOf: FixtureEncoder().encode(content, as: .flac(bits: 24), to: directory.file("ramp.flac")))
        let server = try LoopbackWebServer { request in
            request.headers["x-key"] == "open" ? .file(data, for: request) : WebAnswer(status: 403)
        }
        let environment = AudioEnvironment(plugins: PluginRegistry(searchPath: []))
        let engine = try engine(environment, directory)
        let url = server.url("/ramp.flac")
        let error = await #expect(throws: CoreError.self) {
            _ = try await engine.openDeck(.url(url), gain: 1, isClip: false)
        }
        #expect(error?.message.contains("HTTP status 403") == true, "\(String(describing: error))")
        // The existing engine follows the change.
        try environment.network.setHeaders(["X-Key": "open"], for: server.url("/"))
        let deck = try await engine.openDeck(.url(url), gain: 1, isClip: false)
        try await engine.play(deck.id, on: engine.mainLayer, entry: .cut, loop: nil)
        try await engine.setFollowUp(.nothing, on: engine.mainLayer)
        #expect(try await engine.advance(frames: 1_000_000, untilIdle: engine.mainLayer) == 100_000)
        try await engine.finishOutput()
        await engine.shutdown()
        let runs = RampAnalysis.runs(in: try WAVFile(contentsOf: directory.file("output.wav")).content)
        #expect(runs == [RampRun(.source(0), at: 0, length: 100_000)])
    }

    /// A decoder that was made earlier uses what the environment has when it opens.
    @Test func aRenewedTokenReachesADecoder() async throws {
        let directory = try TemporaryDirectory()
        let data = try Data(
            contentsOf: FixtureEncoder().encode(
                TestSignal.noise(seconds: 0.5).samples(), as: .flac(bits: 16), to: directory.file("a.flac")))
        let server = try LoopbackWebServer { request in
            request.headers["x-key"] == "new" ? .file(data, for: request) : WebAnswer(status: 403)
        }
        let environment = AudioEnvironment(plugins: PluginRegistry(searchPath: []))
        let decoder = environment.makeDecoder()
        #expect(throws: CoreError.self) { try decoder.open(url: server.url("/a.flac")) }
        try environment.network.setHeaders(["X-Key": "new"], for: server.url("/"))
        let handle = try decoder.open(url: server.url("/a.flac"))
        decoder.close(handle)
    }

    @Test func passwordsAreHiddenInNamesEventsAndErrors() async throws {
        let directory = try TemporaryDirectory()
        let content = TestSignal.noise(seconds: 2).samples()
        let data = try Data(
            contentsOf: FixtureEncoder().encode(content, as: .flac(bits: 16), to: directory.file("noise.flac")))
        let server = try LoopbackWebServer { request in
            request.path == "/good.flac" ? WebAnswer(body: data.prefix(data.count / 2)) : WebAnswer(status: 404)
        }
        let environment = AudioEnvironment(plugins: PluginRegistry(searchPath: []))
        environment.network.reconnectLimit = 0
        let engine = try engine(environment, directory)
        let recording = engine.mixEvents.buffered(.bounded(1_024)).numbered
        let missing = server.url("/gone.flac", userInfo: "listener:s3cret")
        let error = await #expect(throws: CoreError.self) {
            _ = try await engine.openDeck(.url(missing), gain: 1, isClip: false)
        }
        let deck = try await engine.openDeck(
            .url(server.url("/good.flac", userInfo: "listener:s3cret")), gain: 1, isClip: false)
        try await engine.play(deck.id, on: engine.mainLayer, entry: .cut, loop: nil)
        try await engine.setFollowUp(.nothing, on: engine.mainLayer)
        _ = try await engine.advance(frames: 1_000_000, untilIdle: engine.mainLayer)
        await engine.shutdown()
        var text = "\(String(describing: error)) \(deck)"
        var ending: MixEvent.DeckEnd?
        for await numbered in recording {
            text += "\(numbered.event)"
            if case .deckEnded(_, let end) = numbered.event.kind { ending = end }
        }
        #expect(text.contains("gone.flac") && text.contains("good.flac"))
        #expect(!text.contains("s3cret") && !text.contains("listener"), "\(text)")
        guard case .truncated(_, let cut) = ending else {
            Issue.record("the deck ended with \(String(describing: ending))")
            return
        }
        #expect(cut.message.contains("good.flac"))
    }

    /// A server that goes away in the middle of a podcast, for longer than the engine waits, and comes back.
    @Test func contentThatBrokeOffGoesOnThere() async throws {
        let directory = try TemporaryDirectory()
        let content = TestSignal.ramp(frames: 480_000).samples()
        let data = try Data(
            contentsOf: FixtureEncoder().encode(content, as: .flac(bits: 24), to: directory.file("ramp.flac")))
        let isBack = Mutex(false)
        let server = try LoopbackWebServer { request in
            let left = max(0, data.count / 2 - (request.rangeStart ?? 0))
            return .file(data, for: request, ending: isBack.withLock { $0 } ? .complete : .cut(after: left))
        }
        let environment = AudioEnvironment(plugins: PluginRegistry(searchPath: []))
        environment.network.reconnectLimit = 0
        let engine = try engine(environment, directory)
        let states = engine.stateUpdates
        try await engine.loadContent(.url(server.url("/ramp.flac")))
        try await engine.play()
        _ = try await engine.advance(frames: 480_000, untilIdle: engine.mainLayer)
        for await state in states { if case .failed(.ioError) = state { break } }
        let place = await engine.currentTime
        #expect(place > 1 && place < 9)
        isBack.withLock { $0 = true }
        try await engine.play()
        _ = try await engine.advance(frames: 960_000, untilIdle: engine.mainLayer)
        try await engine.finishOutput()
        await engine.shutdown()
        let heard = RampAnalysis.runs(in: try WAVFile(contentsOf: directory.file("output.wav")).content)
        let long = heard.filter { $0.length > 480 }
        let broken = Int64((place * 48_000).rounded())
        #expect(long.map(\.kind) == [.source(0), .source(broken + 480)], "\(heard)")
        #expect(long.last.map { $0.length } == Int(480_000 - broken - 480), "\(heard)")
    }

    /// A station that names the first half of its sound "Alpha" and the second half "Beta", and then ends the connection.
    private func station(seconds: Double, in directory: TemporaryDirectory) throws -> LoopbackWebServer {
        let file = try FixtureEncoder().encode(
            TestSignal.noise(seconds: seconds).samples(), as: .mp3(kilobitsPerSecond: 128), to: directory.file("s.mp3"))
        let sound = try Data(contentsOf: file)
        return try LoopbackWebServer { _ in
            var stream = Data()
            for start in stride(from: 0, to: sound.count - 4_096, by: 4_096) {
                stream += sound[start..<start + 4_096]
                let title = start < sound.count / 2 ? "Alpha" : "Beta"
                let text = Data("StreamTitle='\(title)';".utf8)
                let units = (text.count + 15) / 16
                stream += [UInt8(units)] + text + Data(count: units * 16 - text.count)
            }
            var answer = WebAnswer(
                headers: ["Content-Type": "audio/mpeg", "icy-metaint": "4096"], body: stream, ending: .closed)
            answer.announcedLength = nil
            return answer
        }
    }

    @Test func stationTitlesAreReported() async throws {
        let directory = try TemporaryDirectory()
        let server = try station(seconds: 4, in: directory)
        let environment = AudioEnvironment(plugins: PluginRegistry(searchPath: []))
        let engine = try engine(environment, directory)
        let recording = engine.mixEvents.buffered(.bounded(1_024)).numbered
        let deck = try await engine.openDeck(.url(server.url("/live")), gain: 1, isClip: false)
        try await engine.play(deck.id, on: engine.mainLayer, entry: .cut, loop: nil)
        try await engine.setFollowUp(.nothing, on: engine.mainLayer)
        // The station's connection ends after four seconds and is made again.
        #expect(try await engine.advance(frames: 400_000, untilIdle: engine.mainLayer) == 400_000)
        await engine.shutdown()
        var titles = [deck.track.title]
        for await numbered in recording {
            if case .trackInfoChanged(_, let track) = numbered.event.kind { titles.append(track.title) }
        }
        #expect(titles.contains("Alpha") && titles.contains("Beta"), "\(titles)")
        #expect(server.requests.count >= 2)
    }

    /// A player and its remote control show the title of what is heard.
    @Test func stationTitlesReachPlayerAndRemoteControl() async throws {
        let directory = try TemporaryDirectory()
        let server = try station(seconds: 40, in: directory)
        let engine = try engine(AudioEnvironment(plugins: PluginRegistry(searchPath: [])), directory)
        let player = AudioPlayerService(engine: engine)
        let remote = RecordingRemote()
        await player.connectRemoteControl(remote)
        let (tracks, shown) = (player.trackUpdates, remote.updates)
        try await player.startPlaying(
            url: server.url("/live"), configuration: PlayerConfiguration(crossfadeDuration: 0, stopFadeDuration: 0))
        for (title, seconds) in [("Alpha", 2), ("Beta", 28)] {
            _ = try await engine.advance(frames: Int64(seconds) * 48_000, untilIdle: nil)
            for await track in tracks where track?.title == title { break }
            for await nowPlaying in shown where nowPlaying.track?.title == title { break }
            #expect(await player.currentTrack?.title == title)
        }
        let titles = remote.published.compactMap(\.track?.title)
        #expect(titles.firstIndex(of: "Alpha") ?? .max < titles.firstIndex(of: "Beta") ?? -1, "\(titles)")
        await player.disconnectRemoteControl()
        await engine.shutdown()
    }
}
