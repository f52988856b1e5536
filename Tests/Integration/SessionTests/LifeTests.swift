import Descant
import DescantTestSupport
import DescantTesting
import Foundation
import Testing

/// The lifetime of streams on the server, and the log of the first play.
@Suite("Session lifetime on real servers", .serialized, .timeLimit(.minutes(5)))
struct LifeTests {
    @Test(
        "The server sees nothing of us before play and nothing after stop",
        arguments: PrivateSoundServer.Kind.allCases, Subject.Kind.mixing)
    func streamsAreCounted(server: PrivateSoundServer.Kind, subject: Subject.Kind) async throws {
        var left = 1
        // A busy PipeWire sometimes does not remove a stream; the test then tries again.
        for _ in 0..<(server == .pipeWire ? 3 : 1) where left > 0 {
            left = try await connectionsAfterStop(
                Stage(server, subject, idleRelease: 0), looks: server == .pipeWire ? 400 : .max)
        }
        #expect(left == 0)
    }

    /// - Parameter looks: How often the server is asked for them behind the stop.
    private func connectionsAfterStop(_ stage: Stage, looks: Int) async throws -> Int {
        try await stage.subject.load(stage.file)
        #expect(try stage.streamCount() == 0)
        #expect(try stage.connectionCount() == 0)
        let recording = try await MonitorRecording(of: Stage.speakers, at: stage.server.address)
        try await stage.play(recordedBy: recording)
        #expect(try stage.streamCount() == 1)
        // Connections that a busy server did not accept in time are closed behind the calls.
        while try stage.connectionCount() > 2, !Task.isCancelled { await Task.yield() }
        #expect(try stage.connectionCount() == 2)
        #expect(try stage.server.control.streams().first { $0.process == getpid() }?.role == "music")
        await stage.subject.stop()
        // The stream is released behind stop(), when what was rendered has been heard, by tasks that need a thread.
        var (left, looked) = (try stage.connectionCount(), 1)
        while left > 0, looked < looks, !Task.isCancelled {
            await Task.yield()
            (left, looked) = (try stage.connectionCount(), looked + 1)
        }
        #expect(await stage.session.state == .inactive)
        await stage.end()
        return left
    }

    @Test(
        "A first press of play is heard and logs no warning",
        arguments: PrivateSoundServer.Kind.allCases, Subject.Kind.allCases)
    func firstPlay(server: PrivateSoundServer.Kind, subject: Subject.Kind) async throws {
        let stage = try Stage(server, subject)
        let recording = try await MonitorRecording(of: Stage.speakers, at: stage.server.address)
        try await stage.play(recordedBy: recording)
        await stage.end()
        #expect(stage.complaints.isEmpty, "\(stage.complaints)")
        #expect(stage.sessionLogOfPlaying == ["session.activate", "session.deactivate"])
        let heard = HeardFrames([SampleBuffer(stereo: await recording.stop())])
        #expect(heard.last > 24_000, "\(heard)")
    }

    @Test("Without a server play fails with the address and the remedy", arguments: Subject.Kind.mixing)
    func noServer(subject: Subject.Kind) async throws {
        let stage = try Stage(.pulseAudio, subject, isPatient: false)
        stage.server.kill()
        let error = await #expect(throws: (any Error).self) { try await stage.play() }
        #expect("\(error.map { "\($0)" } ?? "")".contains(stage.server.address))
        #expect("\(error.map { "\($0)" } ?? "")".contains("pulseaudio --start"))
        #expect(await stage.session.state == .inactive)
        #expect(await stage.subject.state != .playing)
        await stage.end()
    }

    @Test("With a frozen server play fails with an error that names it", arguments: Subject.Kind.mixing)
    func frozenServer(subject: Subject.Kind) async throws {
        let stage = try Stage(.pulseAudio, subject, isPatient: false)
        stage.server.freeze()
        let error = await #expect(throws: (any Error).self) { try await stage.play() }
        #expect("\(error.map { "\($0)" } ?? "")".contains("no answer within"))
        #expect(await stage.session.state == .inactive)
        stage.server.thaw()
        // A later attempt is possible.
        try await stage.play()
        #expect(await stage.subject.state == .playing)
        await stage.end()
    }

    @Test("The null output needs no server")
    func nullSink() async throws {
        let environment = AudioEnvironment(plugins: PluginRegistry(searchPath: []))
        let directory = try TemporaryDirectory()
        let file = try FixtureEncoder().encode(
            TestSignal.ramp(frames: 48_000).samples(), as: .flac(bits: 16), to: directory.file("ramp.flac"))
        let player = try environment.makePlayer(output: .null)
        #expect(environment.session(for: .null) == nil)
        try await player.startPlaying(url: file, configuration: PlayerConfiguration(crossfadeDuration: 0))
        for await state in player.stateUpdates where state == .finished { break }
        #expect(await environment.session.state == .inactive)
    }
}
