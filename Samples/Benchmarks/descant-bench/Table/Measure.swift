/// One row group of the table: the same thing measured on Descant and its peers.
struct Measure: Sendable {
    /// A program and how to get its figure; the closure throws when it cannot.
    struct Peer: Sendable {
        let name: String
        let figure: @Sendable () async throws -> Double
    }

    /// The ratios that `--check` demands.
    enum Demand: Sendable {
        /// Descant beats or equals this peer.
        case peer(String)
        /// The maximum ratio of Descant's figure to that of this peer where less is better, else the minimum ratio.
        case times(Double, String)
        /// Descant's figure is not greater.
        case atMost(Double)
    }

    let title: String
    let unit: String
    let isLessBetter: Bool
    let peers: [Peer]
    let demand: Demand?
    /// Whether all peers of a round run at the same time: for what takes long and hardly loads the machine.
    var isParallel = false
}
