/// Why it is not clear which player is meant.
public enum PlayerChoiceError: Error, Sendable, Hashable, CustomStringConvertible {
    /// There is no player of that name; these there are.
    case unknown(String, [String])
    /// None was named, and there is not exactly one; these there are.
    case ambiguous([String])

    /// What is wrong and what to do about it.
    public var description: String {
        switch self {
        case .unknown(let name, let players): "there is no player \"\(name)\"; there are: \(Self.list(players))"
        case .ambiguous(let players): "name a player with --on PLAYER; there are: \(Self.list(players))"
        }
    }

    private static func list(_ players: [String]) -> String {
        players.isEmpty ? "none" : players.joined(separator: ", ")
    }
}
