internal import Foundation

/// Keeps the mix at or below -0.1 dBFS. Samples of a mix that does not exceed that pass unchanged.
///
/// It works in place, frame by frame and without delay, so the length of the blocks has no effect. With the threshold
/// `T` and the maximum magnitude `p(i)` of frame `i`:
///
/// ```
/// need(i) = min(1, T / p(i))                                                  what frame i needs
/// g(i)    = max(need(i), g(i - 1) - 1 / attackFrames)                         where need(i) < g(i - 1): falls within 2 ms
///           g(i - 1) + (1 - g(i - 1)) · (1 - e^(-1 / (0.1 s · rate)))         elsewhere: returns with 100 ms
/// out(i)  = in(i) · min(g(i), need(i))                                        for every channel of frame i
/// ```
///
/// A single peak is lowered alone; the frames around it stay unchanged. A loud passage lowers the gain within 2 ms,
/// during which its peaks are clipped. When the gain is within 1e-5 of 1 it becomes 1, and frames pass unchanged.
package struct PeakLimiter: Sendable {
    /// -0.1 dBFS as a linear magnitude.
    package static let threshold: Float = 0.988_553_1

    /// Whether peaks are limited. When turned off, a gain below 1 returns to 1 smoothly.
    package var isEnabled = true

    /// The gain after the last frame; 1 when idle.
    package private(set) var gain: Double = 1

    private let channels: Int
    private let attackStep: Double
    private let releaseFactor: Double

    package init(sampleRate: Int, channels: Int) {
        self.channels = channels
        attackStep = 1 / max(1, Double(sampleRate) * 0.002)
        releaseFactor = 1 - exp(-1 / (0.1 * Double(sampleRate)))
    }

    /// Limits a block in place.
    ///
    /// - Parameters:
    ///   - samples: Interleaved samples.
    ///   - frames: How many frames.
    /// - Returns: Whether any sample may have changed.
    @discardableResult
    package mutating func process(_ samples: UnsafeMutablePointer<Float>, frames: Int) -> Bool {
        let isOver = isEnabled && SamplePeak.of(samples, count: frames * channels) > Self.threshold
        guard isOver || gain < 1 else { return false }
        for frame in 0..<frames {
            let first = samples + frame * channels
            let need = isOver ? need(of: SamplePeak.of(first, count: channels)) : 1
            advance(need: Double(need))
            let factor = min(Float(gain), need)
            for channel in 0..<channels { first[channel] *= factor }
        }
        return true
    }

    /// Advances the release over frames that need no limiting.
    package mutating func skip(frames: Int) {
        for _ in 0..<frames where gain < 1 { advance(need: 1) }
    }

    private func need(of peak: Float) -> Float {
        // Rounded down, so that no product is rounded to more than the threshold.
        peak > Self.threshold ? (Self.threshold / peak).nextDown : 1
    }

    private mutating func advance(need: Double) {
        if need < gain {
            gain = max(need, gain - attackStep)
        } else {
            let released = gain + (1 - gain) * releaseFactor
            gain = released > 1 - 1e-5 ? 1 : released
        }
    }
}

/// Finds the maximum magnitude of samples, eight at a time. Every rendered sample passes through this loop.
package enum SamplePeak {
    /// The maximum magnitude; 0 for no samples. NaN is ignored.
    package static func of(_ samples: UnsafePointer<Float>, count: Int) -> Float {
        var lanes = SIMD8<Float>(repeating: 0)
        let raw = UnsafeRawPointer(samples)
        let whole = count & ~7
        var index = 0
        while index < whole {
            let eight = raw.loadUnaligned(
                fromByteOffset: index * MemoryLayout<Float>.stride, as: SIMD8<UInt32>.self)
            // Clearing the sign bit is the magnitude.
            let magnitude = unsafeBitCast(eight & SIMD8(repeating: 0x7FFF_FFFF), to: SIMD8<Float>.self)
            lanes.replace(with: magnitude, where: magnitude .> lanes)
            index += 8
        }
        var peak = lanes.max()
        while index < count {
            let magnitude = abs(samples[index])
            if magnitude > peak { peak = magnitude }
            index += 1
        }
        return peak
    }
}
