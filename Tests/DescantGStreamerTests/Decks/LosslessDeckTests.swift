import DescantCore
import DescantGStreamer
import DescantMixing
import DescantTesting
import Foundation
import Testing

/// A deck delivers a lossless file bit for bit.
struct LosslessDeckTests {
    static let formats: [(FixtureFormat, TestSignal.Depth)] = [
        (.flac(bits: 16), .int16), (.flac(bits: 24), .int24), (.wav(.int16), .int16), (.wav(.int24), .int24),
        (.wav(.float32), .float),
    ]

    @Test(arguments: formats, [44_100, 48_000])
    func samplesAreBitExact(kind: (FixtureFormat, TestSignal.Depth), sampleRate: Int) async throws {
        let directory = try TemporaryDirectory()
        let signal = TestSignal(
            .noise(seed: 3, amplitude: 0.9), frames: 100_003, sampleRate: sampleRate, channels: 2, depth: kind.1)
        let url = try FixtureEncoder().make(signal, as: kind.0, named: "noise", in: directory)
        let opened = try await GStreamerDecks().open(
            .url(url), mix: PCMFormat(sampleRate: 48_000, channels: 2), onEvent: { _ in })
        defer { opened.deck.close() }
        #expect(opened.deck.sampleRate == sampleRate)
        #expect(opened.deck.frameCount == 100_003)
        #expect(opened.deck.isFrameCountExact)
        let outcome = try DeckDrain.read(opened.deck, channels: 2)
        #expect(outcome.failure == nil)
        #expect(outcome.samples == signal.samples())
        #expect(outcome.endPosition == 100_003)
    }

    @Test(arguments: [0, 1, 4_095, 50_000, 100_002])
    func seeksToTheFrame(frame: Int) async throws {
        let directory = try TemporaryDirectory()
        let signal = TestSignal.noise(seed: 5, seconds: 100_003 / 44_100, sampleRate: 44_100)
        for format in [FixtureFormat.flac(bits: 16), .wav(.int16)] {
            let url = try FixtureEncoder().make(signal, as: format, named: "noise", in: directory)
            let opened = try await GStreamerDecks().open(
                .url(url), mix: PCMFormat(sampleRate: 48_000, channels: 2), onEvent: { _ in })
            defer { opened.deck.close() }
            opened.deck.seek(toFrame: Int64(frame))
            let outcome = try DeckDrain.read(opened.deck, channels: 2)
            #expect(outcome.firstPosition == Int64(frame))
            #expect(outcome.samples == signal.samples().slice(frame..<signal.frames), "\(format)")
        }
    }
}
