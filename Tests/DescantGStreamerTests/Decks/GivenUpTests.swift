import DescantCore
import DescantTesting
import Foundation
import Testing

@testable import DescantGStreamer

/// GStreamer 1.22 loses some errors of demuxers; what they leave is noticed, and the pipeline is started again.
@Suite struct GivenUpTests {
    private let directory: TemporaryDirectory

    init() throws { directory = try TemporaryDirectory() }

    private func startedPipeline(_ url: URL) throws -> PlaybinPipeline {
        let material = try PlaybinMaterial(.url(url), access: NetworkAccess())
        let pipeline = try PlaybinPipeline(material, channels: 2)
        pipeline.queue.async { pipeline.start() }
        return pipeline
    }

    private func wait(until isThere: () -> Bool) async {
        let limit = ContinuousClock.now + .seconds(30)
        while !isThere(), ContinuousClock.now < limit { await Task.yield() }
        #expect(isThere())
    }

    @Test func aDemuxerThatEndsBeforeAnySoundHasGivenUp() async throws {
        var file = Data([0, 0, 0, 20])
        file.append(Data("ftypM4A ".utf8) + Data([0, 0, 2, 0]) + Data("isom".utf8))
        file.append(Data([0, 1, 0, 0]) + Data("mdat".utf8) + Data(repeating: 7, count: 20_000))
        let pipeline = try startedPipeline(directory.write(file, to: "cut.m4a"))
        // With or without an error, which the monitor knows of.
        await wait { pipeline.hasGivenUp }
        for _ in 0..<20 where pipeline.monitor.failure == nil {
            pipeline.queue.async { pipeline.restart(isUnsure: true) }
            pipeline.queue.sync {}
            await wait { pipeline.hasGivenUp }
        }
        await wait { pipeline.monitor.failure != nil }
        pipeline.queue.async { pipeline.tearDown() }
    }

    @Test func aDemuxerThatWaitsForAReaderHasNot() async throws {
        let url = directory.file("long.wav")
        let signal = TestSignal.ramp(frames: 480_000, firstIndex: 0, sampleRate: 8_000)
        try WAVFile(signal.samples(), encoding: .int16).write(to: url)
        let pipeline = try startedPipeline(url)
        await wait { pipeline.sourceShape != nil }
        #expect(!pipeline.hasGivenUp)
        pipeline.queue.async { pipeline.tearDown() }
    }
}
