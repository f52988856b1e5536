import DescantCore
import DescantMixing
import DescantTestSupport
import DescantTesting
import Foundation
import Testing

@testable import DescantGStreamer

/// Extreme sample rates: unsupported ones are refused, the others need little memory.
struct ConverterLimitTests {
    @Test(arguments: [(0, 48_000), (-1, 48_000), (1_536_001, 48_000), (16_777_216, 48_000), (Int.max, 1), (48_000, 0)])
    func unsupportedRatesAreRefusedWithTheirNumber(rates: (Int, Int)) {
        let error = #expect(throws: CoreError.self) {
            _ = try GstSampleConverterFactory().makeConverter(
                from: PCMFormat(sampleRate: rates.0, channels: 2), to: PCMFormat(sampleRate: rates.1, channels: 2))
        }
        #expect(error?.code == "unsupported")
        #expect(error?.message.contains("1 to 1536000 Hz") == true, "\(rates)")
    }

    static let pairs = [
        (1, 48_000), (1, 8_000), (7, 48_000), (44_099, 48_000), (44_100, 768_000), (1_536_000, 8_000),
        (1_535_999, 8_000), (1_535_992, 8_000), (1_536_000, 48_000), (1_535_999, 48_000), (767_999, 768_000),
    ]

    @Test(arguments: pairs)
    func everySupportedPairTakesLittleMemory(rates: (Int, Int)) throws {
        let before = try ProcessUsage().residentBytes
        let converter = try GstSampleConverterFactory().makeConverter(
            from: PCMFormat(sampleRate: rates.0, channels: 2), to: PCMFormat(sampleRate: rates.1, channels: 2))
        var output: [Float] = []
        let frames = min(rates.0, 4_096)
        let input = [Float](repeating: 0.5, count: frames * 2)
        converter.convert(input, frames: min(frames, 8), appendingTo: &output)
        #expect(try ProcessUsage().residentBytes - before < 150 << 20)
    }

    @Test func filterCacheIsBounded() throws {
        let before = try ProcessUsage().residentBytes
        // 4 MB each.
        for rate in stride(from: 400_000, to: 1_400_000, by: 1_500) {
            let filter = PolyphaseConverter(from: rate, to: 48_000, channels: 2)
            _ = filter?.latency
        }
        #expect(try ProcessUsage().residentBytes - before < 200 << 20)
    }
}

/// A file of few frames a second plays at its own rate.
@Suite(.timeLimit(.minutes(5))) struct LowRateTests {
    @Test(arguments: [(1_000, 100.0), (4_000, 440.0), (1_234, 100.0)])
    func playsAtItsPitchAndLength(rate: Int, frequency: Double) async throws {
        let directory = try TemporaryDirectory()
        let tone = TestSignal.sine(frequency, amplitude: 0.5, seconds: 3, sampleRate: rate, depth: .float)
        let url = try FixtureEncoder().make(tone, as: .wav(.float32), named: "low", in: directory)
        let mix = try await OfflineMix.render(.url(url))
        #expect(mix.frameCount == 144_000)
        let fit = ToneFit(frequency: frequency, in: mix.channel(0), frames: 24_000..<120_000, sampleRate: 48_000)
        #expect(abs(fit.amplitude - 0.5) < 0.005)
    }

    @Test(arguments: [100, 999])
    func tempoAtLowSampleRatesWorks(rate: Int) async throws {
        let directory = try TemporaryDirectory()
        let sound = TestSignal.noise(seconds: 5, sampleRate: rate)
        let url = try FixtureEncoder().make(sound, as: .wav(.int16), named: "low", in: directory)
        for speed in [0.5, 2, 3] {
            let mix = try await OfflineMix.render(.url(url), speed: speed)
            #expect(mix.samples.allSatisfy { $0.isFinite })
        }
    }
}
