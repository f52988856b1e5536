public import Foundation

/// How a gain travels between silence and full level.
///
/// With p the share of the fade that has passed, 0…1, a fade-in has the gain of ``gain(at:)`` and the
/// matching fade-out the same curve of 1 - p. Formulas: the specification's "Sound" section, after the
/// classic crossfade laws (constant power for ``equalPower``, constant amplitude for ``linear``).
public enum FadeCurve: String, Sendable, Hashable, Codable, CaseIterable {
    /// sin(πp/2): constant power for unlike signals, the usual choice for music.
    case equalPower
    /// p: constant amplitude for alike signals; dips 3 dB in the middle for unlike ones.
    case linear
    /// log10(9p + 1): quick start, slow arrival.
    case logarithmic
    /// p²: slow start, quick arrival.
    case exponential
    /// 3p² - 2p³: gentle at both ends.
    case sCurve

    /// The gain of a fade-in.
    ///
    /// - Parameter progress: The share of the fade that has passed; clamped to 0…1.
    /// - Returns: A linear gain, 0…1; exactly 0 at 0 and exactly 1 at 1.
    @inlinable
    public func gain(at progress: Double) -> Double {
        let p = progress
        if !(p > 0) { return 0 }
        if p >= 1 { return 1 }
        switch self {
        case .equalPower: return sin(p * .pi / 2)
        case .linear: return p
        case .logarithmic: return log10(9 * p + 1)
        case .exponential: return p * p
        case .sCurve: return p * p * (3 - 2 * p)
        }
    }

    /// The gain of a fade-out: ``gain(at:)`` of 1 - p.
    ///
    /// - Parameter progress: The share of the fade that has passed; clamped to 0…1.
    @inlinable
    public func inverseGain(at progress: Double) -> Double { gain(at: 1 - progress) }
}
