internal import Foundation

/// The figures of one measure.
struct MeasureResult: Encodable {
    struct Row: Encodable {
        let peer: String
        let median: Double
        let least: Double
        let maximum: Double
        /// Descant's figure divided by the peer's, paired by round: the median and its spread.
        let ratio: Double
        let minimumRatio: Double
        let maximumRatio: Double
    }

    let title: String
    let unit: String
    let isLessBetter: Bool
    /// How often it was measured.
    let rounds: Int
    let rows: [Row]
    /// Why peers have no row.
    let failures: [String: String]
    /// What is demanded, in words; `nil` where nothing is.
    let demand: String?
    /// Whether the demand is met; `nil` without a demand.
    let isMet: Bool?
    /// Why the demand is not met; `nil` when no known reason explains it.
    let reason: String?

    /// - Parameters:
    ///   - measure: What was measured.
    ///   - rounds: The figures of every round, by peer.
    init(_ measure: Measure, rounds: [[String: Double]], failures: [String: String]) {
        title = measure.title
        unit = measure.unit
        isLessBetter = measure.isLessBetter
        self.rounds = rounds.count
        self.failures = failures
        var rows: [Row] = []
        for peer in measure.peers {
            let figures = Statistics(rounds.compactMap { $0[peer.name] })
            let ratios = Statistics(
                rounds.compactMap { round in
                    guard let own = round[TableBench.ownName], let other = round[peer.name] else { return nil }
                    // A count may be 0.
                    return own == other ? 1 : other > 0 ? own / other : nil
                })
            guard let median = figures.median, let least = figures.least, let maximum = figures.maximum,
                let ratio = ratios.median, let minimumRatio = ratios.least, let maximumRatio = ratios.maximum
            else { continue }
            rows.append(
                Row(
                    peer: peer.name, median: median, least: least, maximum: maximum, ratio: ratio,
                    minimumRatio: minimumRatio,
                    maximumRatio: maximumRatio))
        }
        self.rows = rows
        demand = measure.demand.map { Self.words(for: $0, isLessBetter: measure.isLessBetter) }
        let (figure, limit): (Double?, Double) =
            switch measure.demand {
            case .times(let times, let name): (rows.first { $0.peer == name }?.ratio, times)
            case .peer(let name): (rows.first { $0.peer == name }?.ratio, 1)
            case .limit(let limit): (rows.first { $0.peer == TableBench.ownName }?.median, limit)
            case nil: (nil, 0)
            }
        // Without a figure the demand is not met.
        let isMet = figure.map { measure.isLessBetter ? $0 <= limit : $0 >= limit } ?? false
        self.isMet = measure.demand == nil ? nil : isMet
        reason = measure.knownMiss.flatMap { miss in
            guard !isMet, let figure, figure <= miss.limit else { return nil }
            return miss.reason
        }
    }

    private static func words(for demand: Measure.Demand, isLessBetter: Bool) -> String {
        let bound = isLessBetter ? "at most" : "at least"
        return switch demand {
        case .peer(let name): "\(bound) as \(name)"
        case .times(let times, let name): "\(bound) \(times) × \(name)"
        case .limit(let limit): "\(bound) " + String(format: "%g", limit)
        }
    }
}
