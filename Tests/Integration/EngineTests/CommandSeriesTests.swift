import Descant
import DescantTestSupport
import DescantTesting
import Foundation
import Testing

/// A hundred and more commands at random moments, each of which replaces what a device has queued.
@Suite(.serialized, .timeLimit(.minutes(5))) struct CommandSeriesTests {
    @Test(arguments: [SoundRig.pulseAudio, .pulseAudioCard, .pulseAudioTunnel, .pipeWireCard, .alsaCard, .alsaPlugin])
    func twoHundredCommandsLeaveAnotherLayerUntouched(rig: SoundRig) async throws {
        var runs: [RampRun] = []
        for seed in 1...3 where runs.count != 1 { runs = try await Self.runsBesideCommands(rig, seed: UInt64(seed)) }
        #expect(runs.count == 1, "the layer without commands broke off: \(runs.map { ($0.at, $0.length, $0.kind) })")
    }

    /// A change that came too late for the device would begin in the middle of its fade.
    @Test(arguments: SoundRig.allCases)
    func changesAreHeardFromTheBeginningOfTheirFades(rig: SoundRig) async throws {
        var steps = [0]
        // A busy machine is late now and then.
        for seed in 1...3 where steps.count > 2 || steps == [0] {
            steps = try await Self.stepsBetweenCommands(rig, seed: UInt64(seed))
        }
        #expect(steps.count <= 2, "100 commands, steps at the frames \(steps)")
    }

    /// Plays a tone that gets 100 commands at random moments, each with a fade; returns the frames at which its samples leap.
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
        return left.indices.dropFirst().filter { abs(left[$0] - left[$0 - 1]) > 0.006 }
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
}
