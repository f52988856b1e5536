extension Comparable {
    /// The nearest value within a range; NaN becomes the lower bound.
    ///
    /// - Parameter range: The range.
    func clamped(to range: ClosedRange<Self>) -> Self {
        if self >= range.upperBound { return range.upperBound }
        return self >= range.lowerBound ? self : range.lowerBound
    }
}
