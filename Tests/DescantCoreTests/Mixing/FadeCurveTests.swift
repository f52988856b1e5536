import DescantCore
import Foundation
import Testing

@Suite struct FadeCurveTests {
    @Test(arguments: FadeCurve.allCases)
    func endsAreExactAndTheCurveIsMonotonic(_ curve: FadeCurve) {
        #expect(curve.gain(at: 0) == 0)
        #expect(curve.gain(at: 1) == 1)
        #expect(curve.gain(at: -3) == 0)
        #expect(curve.gain(at: 1.5) == 1)
        #expect(curve.gain(at: .nan) == 0)
        let gains = (0...1000).map { curve.gain(at: Double($0) / 1000) }
        #expect(zip(gains, gains.dropFirst()).allSatisfy { $0 < $1 })
        #expect(curve.inverseGain(at: 0.3) == curve.gain(at: 0.7))
    }

    @Test func formulas() {
        for p in stride(from: 0.05, to: 1, by: 0.05) {
            #expect(abs(FadeCurve.equalPower.gain(at: p) - sin(p * .pi / 2)) < 1e-15)
            #expect(FadeCurve.linear.gain(at: p) == p)
            #expect(abs(FadeCurve.logarithmic.gain(at: p) - log10(9 * p + 1)) < 1e-15)
            #expect(abs(FadeCurve.exponential.gain(at: p) - p * p) < 1e-15)
            #expect(abs(FadeCurve.sCurve.gain(at: p) - (3 * p * p - 2 * p * p * p)) < 1e-15)
        }
    }

    @Test func equalPowerKeepsPowerAndLinearKeepsAmplitude() {
        for p in stride(from: 0.0, through: 1, by: 0.01) {
            let (into, out) = (FadeCurve.equalPower.gain(at: p), FadeCurve.equalPower.inverseGain(at: p))
            #expect(abs(into * into + out * out - 1) < 1e-12)
            #expect(abs(FadeCurve.linear.gain(at: p) + FadeCurve.linear.inverseGain(at: p) - 1) < 1e-12)
            #expect(abs(FadeCurve.sCurve.gain(at: p) + FadeCurve.sCurve.inverseGain(at: p) - 1) < 1e-12)
        }
    }
}
