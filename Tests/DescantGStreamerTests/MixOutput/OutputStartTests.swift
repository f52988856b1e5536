import DescantCore
import DescantMixing
import DescantTestSupport
import DescantTesting
import Foundation
import Testing

@testable import DescantGStreamer

/// The order in which the parts of a pipeline start.
@Suite("Start of an output", .serialized)
struct OutputStartTests {
    private let server: PrivatePulseServer
    private let folder: TemporaryDirectory

    init() throws {
        server = try PrivatePulseServer()
        folder = try TemporaryDirectory()
    }

    /// A pull from an appsink that has not started returns the end of the stream: the writer would end, and the start with it.
    @Test func theWriterBeginsWhenTheAppsinkHasStarted() async throws {
        let source = ScriptedMixSource(layers: [.init(1) { _, _ in 0.25 }])
        let shared = OutputShared(sampleRate: 48_000)
        shared.timeline.state.withLock { $0.source = source }
        let session = try OutputSession(
            plan: SessionPlan(
                format: PCMFormat(sampleRate: 48_000, channels: 2),
                destination: .pulse(latency: 0.1, server: server.address), blockFrames: 480, epochFrame: 0,
                applicationName: "test"),
            shared: shared, past: [], replay: [], volume: GainEnvelope(gain: 1)
        ) { _, _, _ in }
        // The next blocks are rendered as the earlier ones are heard.
        session.leadHeardPosition()
        // A sink that opens a named pipe holds the pipeline's start until the pipe has a reader. It starts before the appsink.
        let pipe = folder.file("pipe")
        #expect(mkfifo(pipe.path, 0o600) == 0)
        let blocker = try GStreamerElement("filesink")
        blocker.set("location", pipe.path)
        blocker.set("async", false)
        session.pipeline.add(blocker)
        async let started: Void = session.start(limit: 20)
        // A writer that did not wait would be connected within milliseconds. Each question takes some.
        for _ in 0..<30 where try server.control.streams().isEmpty {}
        #expect(try server.control.streams().isEmpty, "the writer did not wait for the appsink")
        let reader = try FileHandle(forReadingFrom: pipe)
        try await started
        let limit = ContinuousClock.now + .seconds(20)
        while source.renderedFrames < 48_000, ContinuousClock.now < limit { await Task.yield() }
        #expect(source.renderedFrames >= 48_000, "the writer takes blocks")
        await session.close(waiting: 10)
        try reader.close()
    }
}
