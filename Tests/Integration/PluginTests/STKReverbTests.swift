import Descant
import DescantTesting
import Foundation
import Testing

/// The reverb's bundle, loaded as a host loads it.
@Suite struct STKReverbTests {
    private let shelf: BundleShelf
    private let registry: PluginRegistry

    init() throws {
        shelf = try BundleShelf()
        try shelf.write(BuiltLibrary.plugin("STKReverb"))
        registry = shelf.registry()
    }

    @Test func keepsTheContractOfEffects() {
        let formats = [PCMFormat(sampleRate: 44_100, channels: 2), PCMFormat(sampleRate: 96_000, channels: 1)]
        #expect(AudioEffectContract(formats: formats) { try registry.makeEffect("reverb") }.findings() == [])
    }

    @Test func formatsWithMoreChannelsAreRefusedByName() async throws {
        let environment = AudioEnvironment(plugins: registry)
        let engine = try environment.makeEngine(
            output: .wav(shelf.directory.file("a.wav"), .f32), format: PCMFormat(sampleRate: 48_000, channels: 6))
        let effects = try #require(engine as? any EffectEngine)
        let insert = EffectInsert("reverb", try registry.makeEffect("reverb"))
        let error = await #expect(throws: CoreError.self) { try await effects.setEffects([insert], at: .mix) }
        #expect(error?.code == "unsupported" && error?.message.contains("\"reverb\"") == true)
        await engine.shutdown()
    }

    /// A burst of noise through the mixer and GStreamer into a file: the room answers, and its answer falls.
    @Test func roomIsHeardBehindTheSound() async throws {
        let burst = TestSignal.noise(seed: 3, seconds: 0.2, sampleRate: 48_000, channels: 2).samples()
        let source = try FixtureEncoder().encode(burst, as: .flac(bits: 16), to: shelf.directory.file("burst.flac"))
        let file = shelf.directory.file("room.wav")
        let engine = try AudioEnvironment(plugins: registry).makeEngine(
            output: .wav(file, .f32))
        let player = AudioPlayerService(engine: engine)
        try await player.setEffects([EffectInsert("reverb", try registry.makeEffect("reverb"), values: ["size": 0.5])])
        try await player.loadPlaylist([source], configuration: PlayerConfiguration(crossfadeDuration: 0))
        _ = try await engine.advance(frames: 48_000, untilIdle: engine.mainLayer)
        let tail = try #require(engine as? any EffectEngine)
        let seconds = await tail.effectTail
        #expect(seconds > 1 && seconds < 10)
        _ = try await engine.advance(frames: engine.mixFormat.frames(in: seconds), untilIdle: nil)
        try await engine.finishOutput()
        await engine.shutdown()
        let samples = try WAVFile(contentsOf: file).content.samples
        let level = { (frames: Range<Int>) in
            LevelAnalysis.peak(Array(samples[frames.lowerBound * 2..<frames.upperBound * 2]))
        }
        let (early, late) = (level(10_000..<14_000), level(48_000..<52_000))
        #expect(early > 0.001 && late < early / 4, "\(early), then \(late)")
        #expect(level(samples.count / 2 - 2_000..<samples.count / 2) < 1e-6)
    }
}
