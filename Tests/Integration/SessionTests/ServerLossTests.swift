import Descant
import DescantTestSupport
import DescantTesting
import Foundation
import Testing

/// Loss and return of the sound server during playback.
@Suite("Loss and return of a server", .serialized, .timeLimit(.minutes(5)))
struct ServerLossTests {
    @Test(
        "Playing goes on where it was lost, nothing skipped, with one pair of events",
        arguments: PrivateSoundServer.Kind.allCases, [Subject.Kind.player, .controller])
    func goesOn(kind: PrivateSoundServer.Kind, subject: Subject.Kind) async throws {
        var problems = ["not tried"]
        // A busy server or its recorder may drop more by itself: more tries are allowed.
        for _ in 0..<3 where !problems.isEmpty {
            let (frozen, before, after) = try await lose(Stage(kind, subject))
            problems = []
            // PipeWire drops some milliseconds by itself.
            let tolerance: Double = kind == .pipeWire ? 9_600 : 4_800
            if !(-48...tolerance).contains(Double(after.first) - frozen) {
                problems.append("froze at \(frozen), then from \(after.first): \(after)")
            }
            // The recorder loses the data on the way to it.
            if after.first - before.last >= 14_400 {
                problems.append("heard to \(before.last), then from \(after.first): \(after)")
            }
        }
        #expect(problems.isEmpty, "\(problems)")
    }

    /// The frame at which the player stopped, and the sound before and after.
    private typealias Loss = (frozen: Double, before: HeardFrames, after: HeardFrames)

    private func lose(_ stage: Stage) async throws -> Loss {
        let before = try await MonitorRecording(of: Stage.speakers, at: stage.server.address)
        try await stage.play(recordedBy: before)
        // Otherwise playback resumes before the recorded sink exists.
        try await stage.engine.selectOutput(Stage.speakers)
        let news = stage.engine.mixEvents.buffered(.bounded(1_024)).numbered
        stage.server.kill()
        try await stage.status { $0.state == .serverLost }
        for await item in news { if case .outputLost = item.event.kind { break } }
        let frozen = await stage.position
        let heardBefore = HeardFrames([SampleBuffer(stereo: await before.stop())])
        let again = stage.engine.mixEvents.buffered(.bounded(1_024)).numbered
        // The recorder is there before our stream is.
        let after = try await stage.server.start { try await MonitorRecording(of: Stage.speakers, at: $0) }
        for await item in again { if case .outputRestored = item.event.kind { break } }
        try await stage.status { $0.state == .active }
        try await stage.wait(for: Int64(frozen) + 36_000, in: after)
        #expect(await stage.subject.state == .playing)
        await stage.end()
        #expect(stage.sessionLog.count { $0 == "session.serverLost" } == 1, "\(stage.sessionLog)")
        #expect(stage.sessionLog.count { $0 == "session.serverRestored" } == 1, "\(stage.sessionLog)")
        return (frozen, heardBefore, HeardFrames([SampleBuffer(stereo: await after.stop())]))
    }

    @Test("A pause during the loss of the server is kept", arguments: Subject.Kind.mixing)
    func pausedMeanwhile(subject: Subject.Kind) async throws {
        let stage = try Stage(.pulseAudio, subject)
        try await stage.play()
        stage.server.kill()
        try await stage.status { $0.state == .serverLost }
        try await stage.subject.pause()
        try stage.server.start()
        try await stage.status { $0.state == .active }
        #expect(await stage.subject.state == .paused)
        try await stage.subject.resume()
        let recording = try await MonitorRecording(of: Stage.speakers, at: stage.server.address)
        try await stage.wait(for: 0, in: recording)
        await stage.end()
        #expect(HeardFrames([SampleBuffer(stereo: await recording.stop())]).last > 0)
    }
}
