/// Medians and spreads of a few figures.
struct Statistics {
    let sorted: [Double]

    init(_ values: [Double]) { sorted = values.sorted() }

    /// `nil` without values.
    var median: Double? {
        guard !sorted.isEmpty else { return nil }
        let middle = sorted.count / 2
        return sorted.count % 2 == 1 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2
    }

    var least: Double? { sorted.first }
    var maximum: Double? { sorted.last }

    /// The least value that so large a part of all is not above; `nil` without values.
    func percentile(_ part: Double) -> Double? {
        guard !sorted.isEmpty else { return nil }
        return sorted[min(sorted.count - 1, max(0, Int((part * Double(sorted.count)).rounded(.up)) - 1))]
    }
}
