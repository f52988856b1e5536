internal import ArgumentParser
internal import MusicAssistantKit

/// `descant ma players`.
struct PlayersCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "players", abstract: "Lists the players.",
        discussion: "Players of the same name are shown with their identifiers; --json shows those of all of them.")

    @Flag(help: "Print JSON.")
    var json = false

    func run() async throws {
        try await Remote.run { remote in
            let players = try await remote.client.getPlayers()
            if json { return Console.show(.array(players.map(\.json))) }
            if players.isEmpty { Console.show("the server has no players") }
            for player in players { Console.show(Listing.line(player, among: players)) }
        }
    }
}
