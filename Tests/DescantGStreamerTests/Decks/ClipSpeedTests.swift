import DescantCore
import DescantGStreamer
import DescantMixing
import DescantTesting
import Foundation
import Testing

/// Clips at other speeds through the whole engine.
struct ClipSpeedTests {
    private static let frames = 48_007
    private let format = PCMFormat(sampleRate: 48_000, channels: 2)
    private let directory: TemporaryDirectory

    init() throws { directory = try TemporaryDirectory() }

    private struct Bench {
        let mixer: Mixer
        let output: ManualOutput
    }

    private func makeBench() -> Bench {
        let output = ManualOutput(format: format, isOffline: true, blockFrames: 4_800)
        let mixer = Mixer(
            decks: GStreamerDecks(), output: output, converters: GstSampleConverterFactory(),
            tempo: GstTempoChangerFactory(), identifier: "offline")
        return Bench(mixer: mixer, output: output)
    }

    private func makeTone() throws -> AudioSource {
        let tone = TestSignal(
            .sine(frequency: 440, amplitude: 0.5, phase: 0), frames: Self.frames, channels: 2, depth: .int16)
        return .url(try FixtureEncoder().make(tone, as: .flac(bits: 16), named: "clip-\(UUID())", in: directory))
    }

    /// A sound effect has the exact length, and its loop has no gap of 10 ms.
    @Test(arguments: [0.5, 0.7, 1.5, 2, 3], [1, 3])
    func clipHasItsExactLengthAndPitch(rate: Double, passes: Int) async throws {
        let bench = makeBench()
        let main = bench.mixer.mainLayer
        let deck = try await bench.mixer.openDeck(try makeTone(), gain: 1, isClip: true)
        try await bench.mixer.setRate(rate, of: main)
        try await bench.mixer.play(deck.id, on: main, entry: .cut, loop: LoopPlan(passes: passes))
        try await bench.mixer.setFollowUp(.nothing, on: main)
        _ = try await bench.mixer.advance(frames: 48_000 * 20, untilIdle: main)
        await bench.mixer.shutdown()
        let left = bench.output.rendered.channel(0)
        let sounding = try #require(left.lastIndex { $0 != 0 }) + 1
        let expected = passes * Int((Double(Self.frames) / rate).rounded(.up))
        #expect(abs(sounding - expected) <= passes, "\(sounding) of \(expected) frames")
        for start in stride(from: 0, to: expected - 480, by: 240) {
            let peak = left[start..<start + 480].map { abs($0) }.max() ?? 0
            #expect(peak > 0.4 && peak < 0.6, "a peak of \(peak) at \(start)")
        }
        let middle = Array(left[1_000..<1_000 + 12_000])
        let crossings = zip(middle, middle.dropFirst()).filter { $0 < 0 && $1 >= 0 }.count
        #expect((108...112).contains(crossings))
    }

    /// A change of the speed changes the clips that sound, on the layer alone.
    @Test func speedOfAnOverlayChangesOnTheWay() async throws {
        let bench = makeBench()
        let layer = await bench.mixer.addLayer(.overlay)
        let deck = try await bench.mixer.openDeck(try makeTone(), gain: 1, isClip: true)
        try await bench.mixer.play(deck.id, on: layer, entry: .cut, loop: LoopPlan(passes: 1))
        _ = try await bench.mixer.advance(frames: 24_000, untilIdle: layer)
        try await bench.mixer.setRate(2, of: layer)
        _ = try await bench.mixer.advance(frames: 48_000 * 4, untilIdle: layer)
        await bench.mixer.shutdown()
        let left = bench.output.rendered.channel(0)
        let sounding = try #require(left.lastIndex { $0 != 0 }) + 1
        // The fade before the change lasts a few milliseconds at the old speed.
        #expect(abs(sounding - 36_004) < 480, "\(sounding) frames")
    }

    /// A deck that was taken back from a layer plays at the speed of the layer that it is on.
    @Test func clipThatWasTakenBackLosesTheSpeed() async throws {
        let bench = makeBench()
        let main = bench.mixer.mainLayer
        let overlay = await bench.mixer.addLayer(.overlay)
        let first = try await bench.mixer.openDeck(try makeTone(), gain: 1, isClip: true)
        let second = try await bench.mixer.openDeck(try makeTone(), gain: 1, isClip: true)
        try await bench.mixer.setRate(3, of: main)
        try await bench.mixer.play(first.id, on: main, entry: .cut, loop: nil)
        try await bench.mixer.setFollowUp(.deck(second.id, .gapless), on: main)
        try await bench.mixer.setFollowUp(.nothing, on: main)
        _ = try await bench.mixer.advance(frames: 96_000, untilIdle: main)
        let silence = bench.output.rendered.frameCount
        try await bench.mixer.play(second.id, on: overlay, entry: .cut, loop: LoopPlan(passes: 1))
        _ = try await bench.mixer.advance(frames: 48_000 * 4, untilIdle: overlay)
        await bench.mixer.shutdown()
        let left = bench.output.rendered.channel(0)
        let sounding = try #require(left.lastIndex { $0 != 0 }) + 1 - silence
        #expect(abs(sounding - Self.frames) <= 1, "\(sounding) of \(Self.frames) frames")
    }
}
