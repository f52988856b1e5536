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
    var greatest: Double? { sorted.last }
}
