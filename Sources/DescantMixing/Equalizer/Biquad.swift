internal import Foundation

/// A second-order filter with the coefficient of its present output normalised to 1.
///
/// Formulas: Robert Bristow-Johnson, "Cookbook formulae for audio equalizer biquad filter coefficients" (W3C Audio
/// Working Group note), section "peakingEQ".
package struct Biquad: Sendable, Hashable {
    package let b0, b1, b2, a1, a2: Double

    /// A filter that raises or lowers the surroundings of a frequency. With
    ///
    /// ```
    /// A = 10^(dB/40)   w = 2π f / rate   α = sin(w) / 2Q
    /// b = [1 + αA, -2cos(w), 1 - αA]   a = [1 + α/A, -2cos(w), 1 - α/A]
    /// ```
    ///
    /// - Parameters:
    ///   - frequency: The centre in Hz, below half the sample rate.
    ///   - gain: The gain at the centre in decibels; 0 gives a filter that changes nothing.
    ///   - quality: Q, the centre divided by the width.
    ///   - sampleRate: Frames per second.
    package init(peakAt frequency: Double, gain: Double, quality: Double, sampleRate: Int) {
        let amplitude = pow(10, gain / 40)
        let angle = 2 * Double.pi * frequency / Double(sampleRate)
        let alpha = sin(angle) / (2 * quality)
        let scale = 1 / (1 + alpha / amplitude)
        b0 = (1 + alpha * amplitude) * scale
        b1 = -2 * cos(angle) * scale
        b2 = (1 - alpha * amplitude) * scale
        a1 = b1
        a2 = (1 - alpha / amplitude) * scale
    }
}
