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

/// A second-order filter in transposed direct form II: y = b0 x + b1 x[-1] + b2 x[-2] - a1 y[-1] - a2 y[-2].
struct Biquad: Sendable {
    let b0: Double
    let b1: Double
    let b2: Double
    let a1: Double
    let a2: Double
    private var first = 0.0
    private var second = 0.0

    init(b0: Double, b1: Double, b2: Double, a1: Double, a2: Double) {
        self.b0 = b0
        self.b1 = b1
        self.b2 = b2
        self.a1 = a1
        self.a2 = a2
    }

    mutating func process(_ input: Double) -> Double {
        let output = b0 * input + first
        first = b1 * input - a1 * output + second
        second = b2 * input - a2 * output
        return output
    }
}

/// The weights `G` that BS.1770-4 gives channels by their direction.
///
/// A loudspeaker between 60° and 120° to the side counts 1.41 (+1.5 dB), every other one 1, the LFE channel nothing.
public enum ChannelWeights {
    private static let side = 1.41

    /// Weights in the channel order of WAVE files: FL FR FC LFE, then surround pairs.
    ///
    /// - Parameter channels: Samples per frame. 4 is taken for a quadraphonic, 5 for a 5.0, 6 for a 5.1, 7 for a 6.1 and
    ///   8 for a 7.1 layout, whose back pair stands behind 120° and counts 1.
    /// - Returns: One weight a channel.
    public static func weights(forChannels channels: Int) -> [Double] {
        switch channels {
        case 4: [1, 1, side, side]
        case 5: [1, 1, 1, side, side]
        case 6: [1, 1, 1, 0, side, side]
        case 7: [1, 1, 1, 0, 1, side, side]
        case 8: [1, 1, 1, 0, 1, 1, side, side]
        default: Array(repeating: 1, count: channels)
        }
    }
}
