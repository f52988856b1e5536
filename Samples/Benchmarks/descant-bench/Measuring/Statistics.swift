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

    /// A percentile: the smallest value that a given fraction of all values does not exceed; `nil` without values.
    func percentile(_ part: Double) -> Double? {
        guard !sorted.isEmpty else { return nil }
        return sorted[min(sorted.count - 1, max(0, Int((part * Double(sorted.count)).rounded(.up)) - 1))]
    }
}
