/// How often an overlay is played.
public enum LoopMode: Sendable, Hashable, Codable {
    /// Once.
    case once
    /// A number of times, 1…1000.
    case count(Int)
    /// Until it is stopped.
    case infinite

    /// How many passes there are; `nil` for endlessly.
    public var passes: Int? {
        switch self {
        case .once: 1
        case .count(let count): count
        case .infinite: nil
        }
    }

    /// The same mode with its count within 1…1000.
    var clamped: LoopMode {
        guard case .count(let count) = self else { return self }
        return .count(count.clamped(to: 1...1000))
    }
}
