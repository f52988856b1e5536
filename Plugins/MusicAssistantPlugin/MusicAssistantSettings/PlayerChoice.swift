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
        let found =
            players.first { $0.playerId == wanted }
            ?? players.first { $0.name.lowercased() == wanted.lowercased() }
        guard let found else { throw PlayerChoiceError.unknown(wanted, names) }
        return found
    }
}
