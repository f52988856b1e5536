import Descant
import DescantTestSupport
import DescantTesting
import Foundation
import Testing

/// A sound server, a session on it, and a player of a ramp whose frames contain their own index.
final class Stage: Sendable {
    static let speakers = PrivatePulseServer.defaultSink
    static let headphones = PrivatePulseServer.otherSink

    let server: PrivateSoundServer
    private let kind: PrivateSoundServer.Kind
    let session: AudioSessionCoordinator
    let engine: any MixingEngine
    let subject: Subject
    let logger = RecordingLogger()
    let file: URL
    private let directory: TemporaryDirectory

    /// - Parameters:
    ///   - modules: Additional modules of PulseAudio.
    ///   - idleRelease: The silence after which the stream is released, in seconds.
    ///   - isPatient: Whether a server that answers late is asked again.
    init(
        _ kind: PrivateSoundServer.Kind, _ subject: Subject.Kind, modules: [String] = [], idleRelease: Double = 5,
        isPatient: Bool = true
    ) throws {
        self.kind = kind
        server = try PrivateSoundServer(kind, modules: modules)
        let port: any AudioSessionPort =
            isPatient ? PatientSession(server: server.address) : PulseAudioSession(server: server.address)
        session = AudioSessionCoordinator(port: port, logger: logger)
        let environment = AudioEnvironment(
            plugins: PluginRegistry(searchPath: []), logger: logger, session: session)
        engine = try environment.makeEngine(
            output: .pulse(latency: 0.1, server: server.address), idleRelease: idleRelease)
        self.subject = Subject(
            subject, engine: engine, server: server.address, session: session, logger: logger)
        directory = try TemporaryDirectory(label: "descant-session")
        file = try FixtureEncoder().encode(
            TestSignal.ramp(frames: 48_000 * 30).samples(), as: .flac(bits: 16), to: directory.file("ramp.flac"))
    }

    /// Plays; with a recording, until a second is heard in it.
    func play(recordedBy recording: MonitorRecording? = nil) async throws {
        try await subject.play(file)
        if let recording { try await wait(for: 48_000, in: recording) }
    }

    /// Waits until a frame of the ramp, or a later one, is heard. On a busy machine the sound may break off meanwhile.
    func wait(for frame: Int64, in recording: MonitorRecording) async throws {
        while HeardFrames([SampleBuffer(stereo: recording.newest(frames: 9_600))]).last <= frame {
            try await recording.wait(frames: recording.frameCount + 2_400)
        }
    }

    /// Own streams on the server.
    func streamCount() throws -> Int { try server.control.streams().count { $0.process == getpid() } }

    /// Own connections to the server: one of the session, one of a stream.
    func connectionCount() throws -> Int { try server.control.connectionCount(of: getpid()) }

    /// The heard position, in frames of the ramp.
    var position: Double { get async { await engine.status(of: engine.mainLayer).position * 48_000 } }

    /// Waits for an event of the session.
    @discardableResult
    func status(
        where isIt: @Sendable (AudioSessionStatus) -> Bool
    ) async throws -> AudioSessionStatus {
        for await status in session.updates where isIt(status) { return status }
        throw CoreError.invalidState("the session ended before that")
    }

    /// The names of the session's log records, in order.
    var sessionLog: [String] { logger.events.map(\.name).filter { $0.hasPrefix("session.") } }

    /// The same without changes of the route on PipeWire, which may have a new stream on another device for a moment.
    var sessionLogOfPlaying: [String] { sessionLog.filter { kind == .pulseAudio || $0 != "session.routeChange" } }

    /// The reasons of the changes of the route, in the order of the session's log.
    var routeChanges: [String] {
        logger.events.filter { $0.name == "session.routeChange" }.compactMap { $0.fields[.reason]?.description }
    }

    /// The messages of level warning and above.
    var complaints: [RecordingLogger.Entry] { logger.entries.filter { $0.level >= .warning } }

    /// Ends everything and checks that nothing is left on a server that is there. A busy PipeWire sometimes does not remove a stream.
    func end(_ location: SourceLocation = #_sourceLocation) async {
        await subject.stop()
        await engine.shutdown()
        guard kind == .pulseAudio else { return }
        // Connections are closed behind the calls, by tasks that need a thread.
        while let left = try? connectionCount(), left > 0 {
            guard !Task.isCancelled else {
                Issue.record("\(left) connections are left on the server", sourceLocation: location)
                return
            }
            await Task.yield()
        }
    }
}
