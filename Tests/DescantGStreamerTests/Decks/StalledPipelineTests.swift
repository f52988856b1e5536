import DescantCore
import DescantMixing
import DescantTesting
import Foundation
import Synchronization
import Testing

@testable import DescantGStreamer

/// Detection and restart of stalled pipelines: GStreamer 1.22 loses some errors of demuxers. That files are refused although their error is
/// lost is tested with the unplayable ones.
@Suite struct StalledPipelineTests {
    private let directory: TemporaryDirectory

    init() throws { directory = try TemporaryDirectory() }

    private func startedPipeline(_ url: URL) throws -> PlaybinPipeline {
        let resolved = try ResolvedSource(.url(url), access: NetworkAccess())
        let pipeline = try PlaybinPipeline(resolved, channels: 2)
        pipeline.queue.async { pipeline.start() }
        return pipeline
    }

    private func wait(until isThere: () -> Bool) async throws {
        let limit = ContinuousClock.now + .seconds(30)
        while !isThere(), ContinuousClock.now < limit { await Task.yield() }
        try #require(isThere())
    }

    /// The tag demuxer pauses its thread when the parser behind it pulls through it.
    @Test func taggedFileThatIsReadIsNotStalled() async throws {
        let file = CodedFile(
            name: "MP3", fileExtension: "mp3", arguments: ["-metadata", "title=Long", "-id3v2_version", "3"],
            fidelity: .within(1))
        let url = try file.encode(seconds: 120, in: directory.url)
        let pipeline = try startedPipeline(url)
        try await wait { pipeline.sourceShape != nil }
        #expect(!pipeline.hasStoppedReading)
        pipeline.queue.async { pipeline.tearDown() }
    }

    /// The parser of AIFF reads by itself and may be quicker than the thread that connects its pad.
    @Test func everyStartOfAnAIFFFileBringsASample() async throws {
        let file = CodedFile(name: "AIFF", fileExtension: "aiff", arguments: ["-c:a", "pcm_s16be"])
        let url = try file.encode(seconds: 2, in: directory.url)
        for _ in 0..<40 {
            let pipeline = try startedPipeline(url)
            try await wait { pipeline.monitor.hasSample }
            pipeline.queue.async { pipeline.tearDown() }
        }
    }

    @Test func demuxerThatWaitsForAReaderIsNotStalled() async throws {
        let url = directory.file("long.wav")
        let signal = TestSignal.ramp(frames: 480_000, firstIndex: 0, sampleRate: 8_000)
        try WAVFile(signal.samples(), encoding: .int16).write(to: url)
        let pipeline = try startedPipeline(url)
        try await wait { pipeline.sourceShape != nil }
        #expect(!pipeline.hasStoppedReading)
        pipeline.queue.async { pipeline.tearDown() }
    }

    /// A short file is read at once, and looks stalled until it is decoded. A restart then makes GStreamer fail, or
    /// takes reports of the previous run for new ones.
    @Test(arguments: [
        FixtureFormat.vorbis(quality: 5), .opus(kilobitsPerSecond: 96), .aac(kilobitsPerSecond: 128), .wav(.int16),
    ])
    func shortFileIsNotReportedAsStalled(format: FixtureFormat) async throws {
        let url = try FixtureEncoder().make(.sine(440, seconds: 0.1), as: format, named: "short", in: directory)
        let checkDelays = [Double](repeating: 0.000_3, count: 100) + [5]
        for _ in 0..<25 {
            let opened = try await PipelineOpening(
                .url(url), access: { NetworkAccess() }, channels: 2, checkDelays: checkDelays
            ) { _ in }.run()
            defer { opened.deck.close() }
            #expect(abs(opened.info.track.duration - 0.1) < 0.001)
            #expect(!opened.info.track.format.codec.isEmpty)
            let outcome = try DeckDrain.read(opened.deck, channels: 2)
            #expect(outcome.failure == nil)
            #expect(outcome.samples.frameCount == 4_800)
        }
    }

    @Test func eventsAreReportedWithTheirRun() async throws {
        let url = directory.file("short.wav")
        try WAVFile(TestSignal.noise(seconds: 0.1).samples(), encoding: .int16).write(to: url)
        try GStreamerRuntime.start()
        let pipeline = try PlaybinPipeline(ResolvedSource(.url(url), access: NetworkAccess()), channels: 2)
        let runs = Mutex<[Int]>([])
        pipeline.monitor.observe { event, run in
            if case .sample = event { runs.withLock { $0.append(run) } }
        }
        pipeline.queue.async { pipeline.start() }
        try await wait { pipeline.monitor.hasSample }
        for run in 1...5 {
            runs.withLock { $0 = [] }
            pipeline.queue.sync {
                pipeline.restart(isUnsure: true)
                #expect(pipeline.monitor.run == run)
            }
            try await wait { runs.withLock { $0.last == run } }
            #expect(pipeline.monitor.hasSample)
        }
        pipeline.queue.async { pipeline.tearDown() }
    }
}
