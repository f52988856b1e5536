internal import Foundation

/// Keeps the mix at or below -0.1 dBFS without touching a sample as long as it stays there by itself.
///
/// It works on whole blocks in place and adds no delay, so it can look ahead only within the block. With the threshold
/// `T` and `p(i)` the greatest magnitude of frame `i`:
///
/// ```
/// need(i)   = min(1, T / p(i))                                  what frame i needs
/// attack(i) = min(need(i), attack(i + 1) + 1 / attackFrames)    backwards: falls in a straight line towards each peak
/// release(i)= g(i - 1) + (1 - g(i - 1)) · (1 - e^(-1 / (0.1 s · rate)))
/// g(i)      = min(attack(i), release(i))                        the gain of every channel of frame i
/// ```
///
/// A peak within the first 2 ms of a block finds less room for its ramp; there the gain steps, since passing the peak or
/// delaying the mix would be worse. When the gain is within 1e-5 of 1 it becomes 1 again, and blocks pass untouched.
package struct PeakLimiter: Sendable {
    /// -0.1 dBFS as a linear magnitude.
    package static let threshold: Float = 0.988_553_1

    /// Whether peaks are limited. Turned off, a gain below 1 returns to 1 smoothly.
    package var isEnabled = true

    /// The gain after the last frame; 1 when idle.
    package private(set) var gain: Double = 1

    private let channels: Int
    private let attackStep: Float
    // In Double: near 1 the steps of the release are smaller than a Float can add.
    private let releaseFactor: Double
    private var envelope: [Float] = []

    package init(sampleRate: Int, channels: Int) {
        self.channels = channels
        attackStep = 1 / max(1, Float(sampleRate) * 0.002)
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
        prepareAttack(samples, frames: frames, isOver: isOver)
        applyGain(samples, frames: frames)
        return true
    }

    /// Lets the gain recover over frames that need no limiting.
    package mutating func skip(frames: Int) {
        guard gain < 1 else { return }
        settle(1 - (1 - gain) * pow(1 - releaseFactor, Double(frames)))
    }

    /// Fills `envelope` with attack(i), from the last frame to the first.
    private mutating func prepareAttack(_ samples: UnsafeMutablePointer<Float>, frames: Int, isOver: Bool) {
        if envelope.count < frames { envelope = [Float](repeating: 1, count: frames) }
        guard isOver else {
            for frame in 0..<frames { envelope[frame] = 1 }
            return
        }
        var next: Float = 1
        for frame in stride(from: frames - 1, through: 0, by: -1) {
            let peak = SamplePeak.of(samples + frame * channels, count: channels)
            let need = peak > Self.threshold ? Self.threshold / peak : 1
            next = min(need, next + attackStep)
            envelope[frame] = next
        }
    }

    private mutating func applyGain(_ samples: UnsafeMutablePointer<Float>, frames: Int) {
        var present = gain
        for frame in 0..<frames {
            present = min(Double(envelope[frame]), present + (1 - present) * releaseFactor)
            let factor = Float(present)
            let first = frame * channels
            for sample in first..<first + channels { samples[sample] *= factor }
        }
        settle(present)
    }

    private mutating func settle(_ value: Double) { gain = value > 1 - 1e-5 ? 1 : value }
}
