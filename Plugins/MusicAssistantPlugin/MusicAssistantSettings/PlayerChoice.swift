public import MusicAssistantKit

/// Finds the player that a person means.
public enum PlayerChoice {
    /// Finds a player by identifier or name, upper and lower case alike.
    ///
    /// - Parameters:
    ///   - wanted: What the person said; `nil` for the only player that there is.
    ///   - players: The players of the server.
    /// - Throws: ``PlayerChoiceError`` with the players to choose from.
    public static func player(_ wanted: String?, of players: [MusicAssistantPlayer]) throws -> MusicAssistantPlayer {
        let names = players.map(\.name).sorted()
        guard let wanted else {
            let available = players.filter(\.isAvailable)
            guard available.count == 1 else { throw PlayerChoiceError.ambiguous(names) }
            return available[0]
        }
        if let player = players.first(where: { $0.playerId == wanted }) { return player }
        let found = players.filter { $0.name.lowercased() == wanted.lowercased() }
        guard let player = found.first else { throw PlayerChoiceError.unknown(wanted, names) }
        guard found.count == 1 else { throw PlayerChoiceError.severalNamed(player.name, found) }
        return player
    }
}

/// Why it is not clear which player is meant.
public enum PlayerChoiceError: Error, Sendable, Hashable, CustomStringConvertible {
    /// There is no player of that name; these there are.
    case unknown(String, [String])
    /// None was named, and there is not exactly one; these there are.
    case ambiguous([String])
    /// Several players have the name.
    case severalNamed(String, [MusicAssistantPlayer])

    /// What is wrong and what to do about it.
    public var description: String {
        switch self {
        case .unknown(let name, let players): "there is no player \"\(name)\"; there are: \(Self.list(players))"
        case .ambiguous(let players): "name a player with --on PLAYER; there are: \(Self.list(players))"
        case .severalNamed(let name, let players):
            "\(players.count) players are called \"\(name)\"; name one by its identifier: "
                + Self.list(players.map(\.playerId).sorted())
        }
    }

    private static func list(_ players: [String]) -> String {
        players.isEmpty ? "none" : players.joined(separator: ", ")
    }
}
