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

    /// PipeWire plays in long steps, with which it rarely drops out by itself.
    @Test(arguments: [
        SoundRig.pulseAudio, .pulseAudioCard, .pulseAudioTunnel, .pipeWireSlowCard, .alsaCard, .alsaPlugin,
    ])
    func twoHundredCommandsLeaveAnotherLayerUntouched(rig: SoundRig) async throws {
        var runs: [RampRun] = []
        for seed in 1...(rig.dropsOut ? 8 : 3) where runs.count != 1 {
            runs = try await Self.runsBesideCommands(rig, seed: UInt64(seed))
        }
        #expect(runs.count == 1, "the layer without commands broke off: \(runs.map { ($0.at, $0.length, $0.kind) })")
    }

    /// A change that came too late for the device would begin in the middle of its fade.
    @Test(arguments: SoundRig.allCases)
    func changesAreHeardFromTheBeginningOfTheirFades(rig: SoundRig) async throws {
        var steps = Array(0..<100)
        // Some may come late, as the commands, the server and the recording have to wait for a processor that other tests keep busy, and a
        // drop-out leaps, too. Without its reserve of time, the device would be late for most of them.
        let limit = rig.dropsOut ? 20 : 8
        for seed in 1...3 where steps.count > limit {
            steps = try await Self.stepsBetweenCommands(rig, seed: UInt64(seed))
        }
        #expect(steps.count <= limit, "100 commands, steps at the frames \(steps)")
    }

    /// Plays a tone that gets 100 commands at random moments, each with a fade; returns the frames at which its samples leap. Leaps within
    /// 50 ms are one: a block that came late begins and ends with one.
    private static func stepsBetweenCommands(_ rig: SoundRig, seed: UInt64) async throws -> [Int] {
        let stage = try rig.start()
        let directory = try TemporaryDirectory()
        let tone = try FixtureEncoder().encode(
            TestSignal.sine(50, amplitude: 0.5, seconds: 30).samples(), as: .flac(bits: 16),
            to: directory.file("tone.flac"))
        let engine = try OfflineEngine.environment.makeEngine(
            output: stage.output())
        let recording = try await stage.record()
        func play(_ frames: Int) async throws { try await recording.wait(frames: recording.frameCount + frames) }

        let main = engine.mainLayer
        let deck = try await engine.openDeck(.url(tone), gain: 1, isClip: false).id
        try await engine.play(deck, on: main, entry: .cut, loop: nil)
        try await play(24_000)
        var random = SeededGenerator(seed: seed)
        for _ in 0..<50 {
            await engine.setGain(.random(in: 0.5...1, using: &random), of: main, ramp: 0.02)
            try await play(.random(in: 480...4_800, using: &random))
            await engine.pause(main, ramp: 0.01)
            try await play(.random(in: 480...4_800, using: &random))
            try await engine.resume(main, ramp: 0.01)
            try await play(.random(in: 480...4_800, using: &random))
        }
        let recorded = SampleBuffer(stereo: await recording.stop())
        await engine.shutdown()
        // The tone rises by 0.0033 a sample, a fade by 0.001.
        let left = recorded.channel(0)
        let leaps = left.indices.dropFirst().filter { abs(left[$0] - left[$0 - 1]) > 0.006 }
        return leaps.reduce(into: []) { steps, frame in
            if frame - (steps.last ?? -2_400) >= 2_400 { steps.append(frame) }
        }
    }

    /// Plays a ramp on an overlay layer while the main layer, which plays silence, gets 200 commands at random moments; each of them replaces
    /// the queue of both. Returns the heard runs of the ramp: one, when no frame is missing, repeated or changed.
    private static func runsBesideCommands(_ rig: SoundRig, seed: UInt64) async throws -> [RampRun] {
        let stage = try rig.start()
        let directory = try TemporaryDirectory()
        let ramp = try FixtureEncoder().encode(
            TestSignal.ramp(frames: 48_000 * 60).samples(), as: .flac(bits: 16), to: directory.file("ramp.flac"))
        let silence = try FixtureEncoder().encode(
            TestSignal.silence(seconds: 60).samples(), as: .flac(bits: 16), to: directory.file("silence.flac"))
        let engine = try OfflineEngine.environment.makeEngine(
            output: stage.output())
        let recording = try await stage.record()
        func play(_ frames: Int) async throws { try await recording.wait(frames: recording.frameCount + frames) }
        func open(_ url: URL) async throws -> DeckID { try await engine.openDeck(.url(url), gain: 1, isClip: false).id }

        let main = engine.mainLayer
        let overlay = await engine.addLayer(.overlay)
        try await engine.play(open(ramp), on: overlay, entry: .cut, loop: nil)
        try await engine.play(open(silence), on: main, entry: .cut, loop: nil)
        try await play(48_000)
        var random = SeededGenerator(seed: seed)
        for _ in 0..<200 {
            switch Int.random(in: 0..<10, using: &random) {
            case 0...1: await engine.pause(main, ramp: 0.01)
            case 2...3: try await engine.resume(main, ramp: 0.01)
            case 4...5: await engine.setGain(.random(in: 0...1, using: &random), of: main, ramp: 0.02)
            case 6...8: try await engine.seek(main, to: .random(in: 0...50, using: &random), fade: 0.01)
            default: try await engine.play(open(silence), on: main, entry: .crossfade(0.1, curve: .linear), loop: nil)
            }
            try await play(.random(in: 480...4_800, using: &random))
        }
        try await play(24_000)
        let recorded = SampleBuffer(stereo: await recording.stop())
        await engine.shutdown()
        return RampAnalysis.runs(in: recorded).filter { run in
            if case .source = run.kind { run.length >= 16 } else { false }
        }
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
