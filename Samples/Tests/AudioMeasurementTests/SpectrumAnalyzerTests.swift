import AudioMeasurement
import Foundation
import Testing

struct SpectrumAnalyzerTests {
    private func levels(_ frequency: Double, amplitude: Double = 1, rate: Int = 48_000, channels: Int = 2) -> [Float] {
        var analyzer = SpectrumAnalyzer(sampleRate: rate, channels: channels)
        analyzer.add(
            (0..<rate).flatMap { frame in
                let sample = Float(amplitude * sin(2 * Double.pi * frequency * Double(frame) / Double(rate)))
                return [Float](repeating: sample, count: channels)
            })
        return analyzer.bandLevels(after: 0)
    }

    private func band(of frequency: Double) -> Int {
        (0..<SpectrumAnalyzer.bandCount).last { SpectrumAnalyzer.edge($0) <= frequency } ?? 0
    }

    @Test(arguments: [100.0, 440, 1_000, 3_150, 10_000], [44_100, 48_000, 96_000])
    func aSineHasItsPowerInItsBands(frequency: Double, rate: Int) {
        let levels = levels(frequency, amplitude: 0.5, rate: rate)
        let band = band(of: frequency)
        // The window spreads a sine over a few bins, which are wider than the lowest bands.
        let near = levels.indices.filter { abs($0 - band) <= (frequency < 300 ? 8 : 3) }
        let power = near.reduce(0.0) { $0 + pow(10, Double(levels[$1]) / 10) }
        #expect(abs(10 * log10(power) + 6.02) < 0.3)
        #expect(levels.indices.allSatisfy { abs($0 - band) <= (frequency < 300 ? 24 : 8) || levels[$0] < -50 })
    }

    @Test func silenceIsAtTheFloorAndLevelsFallSlowly() {
        var analyzer = SpectrumAnalyzer(sampleRate: 48_000, channels: 1)
        #expect(analyzer.bandLevels(after: 1).allSatisfy { $0 == SpectrumAnalyzer.floor })
        analyzer.add((0..<9_600).map { Float(sin(Double($0) / 7)) })
        let loudest = analyzer.bandLevels(after: 0).max() ?? 0
        analyzer.add([Float](repeating: 0, count: 9_600))
        let later = analyzer.bandLevels(after: 0.1).max() ?? 0
        #expect(abs(loudest - later - 0.1 * SpectrumAnalyzer.fall) < 0.01)
        #expect(analyzer.bandLevels(after: 10).allSatisfy { $0 == SpectrumAnalyzer.floor })
    }

    @Test(arguments: [1, 7, 1_000, 768_000]) func everyRateAndAnySampleGiveLevels(rate: Int) {
        var analyzer = SpectrumAnalyzer(sampleRate: rate, channels: 3)
        analyzer.add([.nan, .infinity, -.greatestFiniteMagnitude, 1, 1, 1, 1])
        let levels = analyzer.bandLevels(after: .nan)
        #expect(levels.count == SpectrumAnalyzer.bandCount && levels.allSatisfy { $0 >= SpectrumAnalyzer.floor })
    }
}
