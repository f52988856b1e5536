import Descant
import DescantTestSupport
import DescantTesting
import Foundation
import Testing

/// Commands on a device that has up to two seconds of sound queued are heard long before the queue has been played.
@Suite(.serialized, .timeLimit(.minutes(5))) struct QueuedCommandTests {
    /// The maximum distance between the heard frame at a command and its effect: an eighth of the queue. A busy machine
    /// takes some of it between the two.
    private static let limit: Int64 = 12_000
    private static let target: Int64 = 960_000

    @Test(arguments: [SoundRig.pulseAudio, .pulseAudioCard, .pipeWire, .alsaCard, .alsaPlugin])
    func queueIsReplaced(rig: SoundRig) async throws {
        var problems = ["not tried"]
        // A busy server may drop some milliseconds by itself: more tries are allowed.
        for _ in 0..<3 where !problems.isEmpty { problems = try await Self.problems(rig) }
        #expect(problems.isEmpty, "\(problems)")
    }

    /// The blocks of a new device need not begin where those of the old one ended.
    @Test func queueIsReplacedBehindAChangeOfTheDevice() async throws {
        var problems = ["not tried"]
        for _ in 0..<3 where !problems.isEmpty {
            problems = try await Self.problems(.pulseAudio, on: PrivatePulseServer.otherSink)
        }
        #expect(problems.isEmpty, "\(problems)")
    }

    /// Plays a ramp, pauses, resumes and seeks; returns what was heard of it that is wrong.
    ///
    /// - Parameter other: A device that is changed to before.
    private static func problems(_ rig: SoundRig, on other: String? = nil) async throws -> [String] {
        let stage = try rig.start()
        let directory = try TemporaryDirectory()
        let file = try FixtureEncoder().encode(
            TestSignal.ramp(frames: 48_000 * 30).samples(), as: .flac(bits: 16), to: directory.file("ramp.flac"))
        let engine = try OfflineEngine.environment.makeEngine(
            output: stage.output(latency: 2))
        let main = engine.mainLayer
        let recording = try await stage.record(other)
        func heard() async -> Int64 { Int64(await engine.status(of: main).position * 48_000) }
        func play(_ frames: Int) async throws { try await recording.wait(frames: recording.frameCount + frames) }

        let deck = try await engine.openDeck(.url(file), gain: 1, isClip: false).id
        try await engine.play(deck, on: main, entry: .cut, loop: nil)
        try await engine.setFollowUp(.nothing, on: main)
        if let other {
            try await play(24_000)
            try await engine.selectOutput(other)
        }
        try await play(96_000)
        let pausedAt = await heard()
        await engine.pause(main, ramp: 0.01)
        try await play(48_000)
        try await engine.resume(main, ramp: 0.01)
        try await play(72_000)
        let seekBegan = await heard()
        try await engine.seek(main, to: Double(target) / 48_000, fade: 0.01)
        try await play(72_000)
        await engine.shutdown()

        // Within the ramps, frames have other values and are not recognised.
        let runs = RampAnalysis.runs(in: SampleBuffer(stereo: await recording.stop()))
            .compactMap { run -> (at: Int, frames: Range<Int64>)? in
                guard case .source(let start) = run.kind, run.length >= 480 else { return nil }
                return (run.at, start..<start + Int64(run.length))
            }
        guard
            let resumed = runs.indices.dropFirst().first(where: {
                runs[$0].at - runs[$0 - 1].at > runs[$0 - 1].frames.count + 24_000
            }),
            let arrival = runs.firstIndex(where: { $0.frames.lowerBound >= target })
        else { return ["no pause or no target in \(runs)"] }
        let (before, after) = (runs[resumed - 1].frames.upperBound, runs[resumed].frames.lowerBound)
        let (lastBefore, firstBehind) = (runs[arrival - 1].frames.upperBound, runs[arrival].frames.lowerBound)
        var problems: [String] = []
        if !(-480..<limit).contains(before - pausedAt) {
            problems.append("paused at \(pausedAt), heard until \(before)")
        }
        if !(0...960).contains(after - before) { problems.append("silent from \(before), resumed at \(after)") }
        if !(-480..<limit).contains(lastBefore - seekBegan) {
            problems.append("the seek came at \(seekBegan), the old position was heard until \(lastBefore)")
        }
        if firstBehind > target + 960 { problems.append("the seek led to \(target), heard from \(firstBehind)") }
        return problems
    }
}
