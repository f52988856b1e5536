internal import Foundation

/// The two filters in series that BS.1770 puts before every channel's mean square.
struct KWeighting: Sendable {
    private var shelf: Biquad
    private var highPass: Biquad

    /// Designs both filters for a sample rate.
    ///
    /// With K = tan(π f0 / rate), the bilinear transform of
    /// - the shelf (Vh s² + Vb s/Q + 1) / (s² + s/Q + 1), Vh = 10^(G/20), Vb = Vh^0.4996667741545416;
    /// - the high-pass s² / (s² + s/Q + 1), its numerator left unscaled as in the Recommendation.
    init(sampleRate: Double) {
        shelf = Self.makeShelf(sampleRate: sampleRate)
        highPass = Self.makeHighPass(sampleRate: sampleRate)
    }

    mutating func process(_ sample: Double) -> Double { highPass.process(shelf.process(sample)) }

    private static func makeShelf(sampleRate: Double) -> Biquad {
        let gain = 3.999843853973347
        let quality = 0.7071752369554196
        let k = tan(.pi * 1681.974450955533 / sampleRate)
        let high = pow(10, gain / 20)
        let band = pow(high, 0.4996667741545416)
        let norm = 1 + k / quality + k * k
        return Biquad(
            b0: (high + band * k / quality + k * k) / norm,
            b1: 2 * (k * k - high) / norm,
            b2: (high - band * k / quality + k * k) / norm,
            a1: 2 * (k * k - 1) / norm,
            a2: (1 - k / quality + k * k) / norm)
    }

    private static func makeHighPass(sampleRate: Double) -> Biquad {
        let quality = 0.5003270373238773
        let k = tan(.pi * 38.13547087602444 / sampleRate)
        let norm = 1 + k / quality + k * k
        return Biquad(
            b0: 1, b1: -2, b2: 1,
            a1: 2 * (k * k - 1) / norm,
            a2: (1 - k / quality + k * k) / norm)
    }
}
