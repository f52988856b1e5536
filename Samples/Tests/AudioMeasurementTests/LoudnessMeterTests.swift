import Foundation
import Testing

@testable import AudioMeasurement

/// Known values: a 997 Hz sine of 0 dBFS in one front channel reads -3.01 LKFS (BS.1770-4, annex 1), in two channels
/// 3.01 dB more; gates as in EBU Tech 3341's first cases.
struct LoudnessMeterTests {
    private func sine(
        _ frequency: Double, dBFS: Double, seconds: Double, rate: Int, channels: Int, sounding: [Int]? = nil
    ) -> [Float] {
        let amplitude = pow(10, dBFS / 20)
        var samples = [Float](repeating: 0, count: Int(seconds * Double(rate)) * channels)
        for frame in 0..<samples.count / channels {
            let value = Float(amplitude * sin(2 * .pi * frequency * Double(frame) / Double(rate)))
            for channel in sounding ?? Array(0..<channels) { samples[frame * channels + channel] = value }
        }
        return samples
    }

    private func loudness(_ parts: [[Float]], rate: Int, channels: Int) throws -> Double {
        var meter = LoudnessMeter(sampleRate: rate, channels: channels)
        for part in parts { meter.process(part) }
        return try #require(meter.integratedLoudness)
    }

    @Test(arguments: [8000, 22050, 44100, 48000, 96000, 192_000])
    func oneFullScaleChannelReadsMinus3LKFS(rate: Int) throws {
        let signal = sine(997, dBFS: 0, seconds: 1, rate: rate, channels: 2, sounding: [0])
        #expect(try abs(loudness([signal], rate: rate, channels: 2) - -3.01) < 0.1)
    }

    @Test func twoFullScaleChannelsRead0LKFS() throws {
        let signal = sine(997, dBFS: 0, seconds: 1, rate: 48000, channels: 2)
        #expect(try abs(loudness([signal], rate: 48000, channels: 2)) < 0.02)
    }

    @Test func stereoAtMinus23dBFSReadsMinus23LUFS() throws {
        let signal = sine(1000, dBFS: -23, seconds: 2, rate: 48000, channels: 2)
        #expect(try abs(loudness([signal], rate: 48000, channels: 2) - -23) < 0.1)
    }

    @Test func quietBlocksAreGated() throws {
        // EBU Tech 3341 case 3: -36, -23, -36 dBFS for 10, 60, 10 s reads -23.
        let quiet = sine(1000, dBFS: -36, seconds: 10, rate: 8000, channels: 2)
        let loud = sine(1000, dBFS: -23, seconds: 60, rate: 8000, channels: 2)
        #expect(try abs(loudness([quiet, loud, quiet], rate: 8000, channels: 2) - -23) < 0.1)
    }

    @Test func blocksBelowMinus70LUFSAreGated() throws {
        // EBU Tech 3341 case 4.
        let levels: [(Double, Double)] = [(-72, 10), (-36, 10), (-23, 60), (-36, 10), (-72, 10)]
        let parts = levels.map { sine(1000, dBFS: $0.0, seconds: $0.1, rate: 8000, channels: 2) }
        #expect(try abs(loudness(parts, rate: 8000, channels: 2) - -23) < 0.1)
    }

    @Test func surroundChannelsHaveTheirWeights() throws {
        // EBU Tech 3341 case 6: 5.1 with -28, -28, -24, no LFE, -30, -30 dBFS reads -23.
        let levels: [Double?] = [-28, -28, -24, nil, -30, -30]
        var signal = [Float](repeating: 0, count: 2 * 48000 * 6)
        for (channel, level) in levels.enumerated() {
            guard let level else { continue }
            let part = sine(1000, dBFS: level, seconds: 2, rate: 48000, channels: 6, sounding: [channel])
            for index in signal.indices { signal[index] += part[index] }
        }
        #expect(try abs(loudness([signal], rate: 48000, channels: 6) - -23) < 0.1)
    }

    @Test func filtersMatchTheRecommendationsCoefficients() {
        // BS.1770-4 tables 1 and 2, at 48 kHz: the impulse response of both filters in series begins with b0 of the shelf.
        var weighting = KWeighting(sampleRate: 48000)
        #expect(abs(weighting.process(1) - 1.53512485958697) < 1e-9)
        // Second value: b1 - a1 b0 of the shelf, then (-2 - a1) of the high-pass on the first.
        let shelf = -2.69169618940638 + 1.69065929318241 * 1.53512485958697
        let expected = shelf + (-2 + 1.99004745483398) * 1.53512485958697
        #expect(abs(weighting.process(0) - expected) < 1e-9)
    }

    @Test func silenceHasNoLoudness() {
        var meter = LoudnessMeter(sampleRate: 48000, channels: 2)
        meter.process([Float](repeating: 0, count: 96000))
        #expect(meter.integratedLoudness == nil)
        #expect(meter.peak == 0)
        #expect(meter.frames == 48000)
    }

    @Test func loudnessDoesNotDependOnBlockSize() throws {
        let signal = sine(440, dBFS: -12, seconds: 2, rate: 44100, channels: 1)
        let whole = try loudness([signal], rate: 44100, channels: 1)
        let pieces = stride(from: 0, to: signal.count, by: 777).map { Array(signal[$0..<min($0 + 777, signal.count)]) }
        #expect(try loudness(pieces, rate: 44100, channels: 1) == whole)
    }
}
