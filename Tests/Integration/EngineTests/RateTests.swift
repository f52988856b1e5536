import Descant
import DescantTesting
import Foundation
import Testing

/// Another speed keeps the pitch.
@Suite(.timeLimit(.minutes(5))) struct RateTests {
    @Test(arguments: [0.5, 0.8, 1.25, 2, 3])
    func rateKeepsPitchWithinATenthOfAPercent(rate: Double) async throws {
        let offline = try OfflineEngine()
        let tone = TestSignal.sine(440, seconds: 6)
        let file = try FixtureEncoder().make(tone, as: .flac(bits: 24), named: "tone", in: offline.directory)
        let deck = try await offline.engine.openDeck(.url(file), gain: 1, isClip: false)
        let main = offline.engine.mainLayer
        try await offline.engine.play(deck.id, on: main, entry: .cut, loop: nil)
        try await offline.engine.setFollowUp(.nothing, on: main)
        _ = try await offline.engine.advance(frames: 48_000, untilIdle: nil)
        try await offline.engine.setRate(rate, of: main)
        let rest = try await offline.engine.advance(frames: 48_000 * 20, untilIdle: main)
        let rendered = try await offline.rendered()
        // The old speed fades out over 10 ms.
        let expected = 480 + (240_000 - 480) / rate
        #expect(abs(Double(rest) - expected) <= 1, "\(rest) frames instead of \(expected) at a rate of \(rate)")
        let steady = Array(rendered.channel(0)[57_600..<Int(48_000 * (1 + 0.8 * 5 / rate))])
        #expect(abs(frequency(of: steady, sampleRate: 48_000) / 440 - 1) <= 0.001)
        let slope = SlopeAnalysis.ratio(in: rendered, frequency: 440, amplitude: 0.25)
        #expect(slope <= 1.2, "a click: \(slope) times the steady slope")
    }

    /// A tone that is cut into two files has its length, and no gap at the join.
    @Test(arguments: [0.7, 1.5, 2], OfflineEngine.Decoders.allCases)
    func joinAtAnotherRateHasNoGap(rate: Double, decoders: OfflineEngine.Decoders) async throws {
        let offline = try OfflineEngine(decoders: decoders)
        let tone = TestSignal.sine(441.3, amplitude: 0.5, seconds: 4).samples()
        var decks: [DeckID] = []
        for part in [0..<96_007, 96_007..<192_000] {
            decks.append(try await offline.open(try offline.file(tone.slice(part))))
        }
        try await offline.engine.setRate(rate, of: offline.main)
        let frames = try await offline.renderPlaylist(decks, join: .gapless)
        #expect(abs(Double(frames) - 192_000 / rate) <= 2, "\(frames) frames at a rate of \(rate)")
        let rendered = try await offline.rendered().channel(0)
        let join = Int(96_007 / rate)
        // Peaks of every 2.5 ms, which hold a period: the tone is as loud at the join as elsewhere.
        let peaks = stride(from: join - 4_800, to: join + 4_800, by: 60).map { start in
            rendered[start..<start + 120].map { abs($0) }.max() ?? 0
        }
        let lowest = peaks.min() ?? 0
        #expect(lowest > 0.45, "a dip to \(lowest) of 0.5 at a rate of \(rate)")
    }

    /// At another speed a chord stays a chord: what is not of it is 10 dB below, which scaletempo misses by 8.
    @Test(arguments: [0.75, 1.25, 1.5])
    func chordsStayClean(rate: Double) async throws {
        let offline = try OfflineEngine()
        let tones = [110, 220, 277.18, 329.63, 440, 659.26]
        let parts = tones.map { TestSignal.sine($0, amplitude: 0.12, seconds: 8, depth: .float).samples() }
        let sum = parts[0].samples.indices.map { index in parts.reduce(Float(0)) { $0 + $1.samples[index] } }
        let chord = SampleBuffer(format: parts[0].format, samples: sum)
        let deck = try await offline.open(try offline.file(chord))
        try await offline.engine.setRate(rate, of: offline.main)
        _ = try await offline.renderPlaylist([deck], join: .gapless)
        let heard = Array(try await offline.rendered().channel(0)[48_000..<48_000 * 4])
        let power = heard.reduce(0) { $0 + Double($1 * $1) } / Double(heard.count)
        let inTune = tones.reduce(0) { $0 + self.power(of: $1, in: heard, sampleRate: 48_000) }
        let distance = 10 * log10(inTune / max(power - inTune, 1e-12))
        #expect(distance > 10, "\(distance) dB at a rate of \(rate)")
    }

    /// The power of a tone, whose phase may change from one quarter of a second to the next.
    private func power(of frequency: Double, in samples: [Float], sampleRate: Double) -> Double {
        let width = Int(sampleRate / 4)
        let starts = Array(stride(from: 0, through: samples.count - width, by: width))
        let powers = starts.map { start in
            let step = 2 * Double.pi * frequency / sampleRate
            var (real, imaginary) = (0.0, 0.0)
            for index in 0..<width {
                real += Double(samples[start + index]) * cos(step * Double(index))
                imaginary += Double(samples[start + index]) * sin(step * Double(index))
            }
            return 2 * (real * real + imaginary * imaginary) / Double(width * width)
        }
        return powers.reduce(0, +) / Double(starts.count)
    }

    /// The mean frequency of a tone, from its upward zero crossings.
    private func frequency(of samples: [Float], sampleRate: Double) -> Double {
        var crossings: [Double] = []
        for index in 1..<samples.count where samples[index - 1] < 0 && samples[index] >= 0 {
            let fraction = Double(samples[index - 1] / (samples[index - 1] - samples[index]))
            crossings.append(Double(index - 1) + fraction)
        }
        guard let first = crossings.first, let last = crossings.last, last > first else { return 0 }
        return Double(crossings.count - 1) / (last - first) * sampleRate
    }
}
