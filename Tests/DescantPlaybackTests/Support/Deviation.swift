/// The first sample that differs from its ideal by more than allowed; `nil` when there is none. One expectation for a whole
/// range, because one per sample would take longer than the rendering.
func deviation(
    of samples: [Float], in frames: Range<Int>, tolerance: Double = 1e-5, from ideal: (Int) -> Double
) -> String? {
    guard frames.upperBound <= samples.count else { return "only \(samples.count) frames" }
    for frame in frames {
        let wanted = ideal(frame - frames.lowerBound)
        if !(abs(Double(samples[frame]) - wanted) <= tolerance) {
            return "\(samples[frame]) at frame \(frame) instead of \(wanted)"
        }
    }
    return nil
}

/// The maximum difference between two neighbouring samples.
func maximumStep(of samples: [Float], in frames: Range<Int>) -> Float {
    var maximum: Float = 0
    for frame in frames.dropFirst() { maximum = max(maximum, abs(samples[frame] - samples[frame - 1])) }
    return maximum
}
