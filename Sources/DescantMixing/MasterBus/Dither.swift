/// Dither: rounds samples to the steps of 16- or 24-bit integers with triangular noise of ±1 step, so that the rounding
/// error is independent of the signal.
///
/// Samples that lie on a step stay as they are: material of that many bits at unity gain passes bit for bit. The noise
/// begins with the first sample between two steps and ends when every sample has been on a step for 100 ms, so that it
/// does not switch with single samples. The noise is the same in every render.
package struct Dither: Sendable {
    /// Steps from 0 to full scale.
    private let scale: Double
    private let step: Double
    private let channels: Int
    private let hold: Int
    /// The frames of noise that are left.
    private var remaining = 0
    private var noise: UInt64 = 0

    /// - Parameters:
    ///   - bits: Bits of a sample, 2…24.
    ///   - sampleRate: Frames per second.
    ///   - channels: Channels of a frame.
    package init(bits: Int, sampleRate: Int, channels: Int) {
        scale = Double(1 << (bits - 1))
        step = 1 / scale
        hold = max(1, sampleRate / 10)
        self.channels = channels
    }

    /// Whether silence would pass unchanged.
    package var isIdle: Bool { remaining == 0 }

    /// Rounds a block in place, where a sample lies between two steps or one did within the last 100 ms.
    package mutating func process(_ samples: UnsafeMutablePointer<Float>, frames: Int) {
        for frame in 0..<frames {
            let first = samples + frame * channels
            if !isOnSteps(first) { remaining = hold + 1 }
            guard remaining > 0 else { continue }
            remaining -= 1
            for channel in 0..<channels { first[channel] = rounded(first[channel]) }
        }
    }

    private func isOnSteps(_ frame: UnsafePointer<Float>) -> Bool {
        for channel in 0..<channels where Self.nearestInteger(inSteps(frame[channel])) != inSteps(frame[channel]) {
            return false
        }
        return true
    }

    /// In Double: a Float has no bits for noise below a 24-bit sample. Scaling by a power of two is exact.
    private func inSteps(_ sample: Float) -> Double { Double(sample) * scale }

    private mutating func rounded(_ sample: Float) -> Float {
        let steps = Self.nearestInteger(inSteps(sample) + nextNoise())
        // Steps of up to 24 bits are whole numbers in a Float.
        return Float(max(-scale, min(scale - 1, steps)) * step)
    }

    /// Rounds to the nearest integer, to the even one of two; for numbers below 2⁵¹, the others are full scale anyway.
    ///
    /// A Double has no bits for a fraction beside 1.5 × 2⁵². `rounded()` is a call of the mathematics library on processors that
    /// are only known to have SSE2, and takes longer than everything else here.
    private static func nearestInteger(_ number: Double) -> Double { (number + 0x1.8p52) - 0x1.8p52 }

    /// The difference of two uniform distributions, in steps.
    private mutating func nextNoise() -> Double {
        // SplitMix64, by Sebastiano Vigna.
        noise &+= 0x9E37_79B9_7F4A_7C15
        var bits = noise
        bits = (bits ^ (bits >> 30)) &* 0xBF58_476D_1CE4_E5B9
        bits = (bits ^ (bits >> 27)) &* 0x94D0_49BB_1331_11EB
        bits ^= bits >> 31
        return Double(Int64(bits >> 32) - Int64(bits & 0xFFFF_FFFF)) * 0x1p-32
    }
}
