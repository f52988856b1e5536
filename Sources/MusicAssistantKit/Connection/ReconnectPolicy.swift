/// The delays before attempts to reconnect.
public struct ReconnectPolicy: Sendable, Hashable {
    /// The delays before attempt 1, 2, … in seconds; the last one is used for all later attempts. Empty for no attempts.
    public var delays: [Double]
    /// The random variation of a delay as a fraction of it, 0…1, so that the clients of one server do not return all at
    /// once.
    public var jitter: Double

    /// Creates a policy.
    ///
    /// - Parameters:
    ///   - delays: The delays before each attempt, in seconds; empty for no attempts.
    ///   - jitter: The fraction by which a delay may be shorter or longer, 0…1.
    public init(delays: [Double] = [1, 2, 4, 8, 16, 32, 60], jitter: Double = 0.1) {
        self.delays = delays
        self.jitter = jitter
    }

    /// Never tries again.
    public static let never = ReconnectPolicy(delays: [])

    /// The delay before an attempt in seconds; nil when no attempt is made.
    ///
    /// - Parameters:
    ///   - attempt: The number of the attempt, from 1.
    ///   - chance: A random number from -1 to 1; 0 returns the delay without jitter.
    func delay(before attempt: Int, chance: Double) -> Double? {
        guard let last = delays.last else { return nil }
        let delay = attempt <= delays.count ? delays[max(attempt, 1) - 1] : last
        return max(0, delay * (1 + min(max(jitter, 0), 1) * chance))
    }
}
