/// Where an excerpt lies within a reference, found by cross-correlation.
public struct Alignment: Sendable, Hashable {
    /// The frame of the reference at which the excerpt begins; negative when it begins before it.
    public var frame: Int
    /// The gain of the excerpt relative to the reference at that frame: 1 for the same sound at the same level, near 0
    /// for other sound.
    public var correlation: Double

    /// Finds an excerpt.
    ///
    /// - Parameters:
    ///   - excerpt: One channel; a few thousand samples of noise are enough.
    ///   - reference: One channel, not shorter than the excerpt.
    public init(of excerpt: [Float], in reference: [Float]) {
        let length = FourierTransform.length(atLeast: reference.count + excerpt.count)
        var spectrum = FourierTransform(reference, length: length)
        var other = FourierTransform(excerpt, length: length)
        spectrum.transform(inverse: false)
        other.transform(inverse: false)
        spectrum.multiplyByConjugate(of: other)
        spectrum.transform(inverse: true)
        var best = 0
        for lag in spectrum.real.indices where spectrum.real[lag] > spectrum.real[best] { best = lag }
        let start = best < reference.count ? best : best - length
        let overlap = max(0, -start)..<min(excerpt.count, reference.count - start)
        var energy = 0.0
        for index in overlap { energy += Double(reference[start + index]) * Double(reference[start + index]) }
        frame = start
        correlation = energy > 0 ? spectrum.real[best] / Double(length) / energy : 0
    }
}
