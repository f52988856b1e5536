/// When a client that lost its connection tries again.
public struct ReconnectPolicy: Sendable, Hashable {
    /// Seconds to wait before attempt 1, 2, …; the last one holds for every attempt after it. Empty means never.
    public var delays: [Double]
    /// How much a delay may differ by chance, as a share of it, 0…1: clients that lost one server do not return at once.
    public var jitter: Double

    /// Creates a policy.
    ///
    /// - Parameters:
    ///   - delays: Seconds before each attempt; empty means never.
    ///   - jitter: The share of a delay by which it may be shorter or longer, 0…1.
    public init(delays: [Double] = [1, 2, 4, 8, 16, 32, 60], jitter: Double = 0.1) {
        self.delays = delays
        self.jitter = jitter
    }

    /// Never tries again.
    public static let never = ReconnectPolicy(delays: [])

    /// Seconds to wait before an attempt; nil when there is to be none.
    ///
    /// - Parameters:
    ///   - attempt: The number of the attempt, from 1.
    ///   - chance: A number from -1 to 1; 0 gives the delay as it stands in the list.
    func delay(before attempt: Int, chance: Double) -> Double? {
        guard let last = delays.last else { return nil }
        let delay = attempt <= delays.count ? delays[max(attempt, 1) - 1] : last
        return max(0, delay * (1 + min(max(jitter, 0), 1) * chance))
    }
}
