/// One group of rows of the table: the same measurement of Descant and its peers.
struct Measure: Sendable {
    /// A program and the closure that measures it; the closure throws when it cannot.
    struct Peer: Sendable {
        let name: String
        let figure: @Sendable () async throws -> Double
    }

    /// The ratios that `--check` demands.
    enum Demand: Sendable {
        /// The peer that Descant is compared with.
        case peer(String)
        /// The maximum ratio of Descant's figure to that of this peer where less is better, else the minimum ratio.
        case times(Double, String)
        /// What Descant's figure may be at most where less is better, else at least.
        case limit(Double)
    }

    /// A demand that is not met, and why.
    struct KnownMiss: Sendable {
        /// The largest figure, or ratio to the peer, that is accepted for this reason.
        let limit: Double
        /// The physical reason, for a reader of the table.
        let reason: String
    }

    let title: String
    let unit: String
    let isLessBetter: Bool
    let peers: [Peer]
    let demand: Demand?
    /// Whether all peers of a round run at the same time, for long measurements with little load.
    var isParallel = false
    /// How often it is measured; `nil` for as often as the table's option says.
    var rounds: Int?
    /// Why the demand may be missed; `--check` accepts it. Where more is better there is none.
    var knownMiss: KnownMiss?
}
