public import MusicAssistantKit

/// Finds the player that the user names.
public enum PlayerChoice {
    /// Finds a player by identifier or name, ignoring case.
    ///
    /// - Parameters:
    ///   - wanted: The identifier or name; `nil` for the only player.
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

/// Why no player could be chosen.
public enum PlayerChoiceError: Error, Sendable, Hashable, CustomStringConvertible {
    /// There is no player of that name; the value lists the players.
    case unknown(String, [String])
    /// No player was named, and there is not exactly one; the value lists the players.
    case ambiguous([String])
    /// Several players have the name.
    case severalNamed(String, [MusicAssistantPlayer])

    /// The problem and its remedy.
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
