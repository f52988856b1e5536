internal import ArgumentParser
internal import MusicAssistantKit

/// `descant ma group`.
struct GroupCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "group", abstract: "Lets players play along with another one, or no longer.",
        discussion: "descant ma group --on Kitchen --add Study --remove Porch")

    @OptionGroup var options: RemoteOptions

    @Option(help: ArgumentHelp("A player that is to play along.", valueName: "player"))
    var add: [String] = []

    @Option(help: ArgumentHelp("A player that is to play by itself.", valueName: "player"))
    var remove: [String] = []

    func validate() throws {
        guard !add.isEmpty || !remove.isEmpty else { throw ValidationError("name players with --add or --remove") }
    }

    func run() async throws {
        try await options.report { remote, player in
            let players = try await remote.client.getPlayers()
            let added = try add.map { try remote.choose($0, of: players) }
            let removed = try remove.map { try remote.choose($0, of: players) }
            try await remote.client.group(
                playerId: player.playerId, adding: added.map(\.playerId), removing: removed.map(\.playerId))
            let parts = [("with", added), ("without", removed)].filter { !$1.isEmpty }
            return Report(
                done: "plays "
                    + parts.map { "\($0) \($1.map(\.name).joined(separator: ", "))" }.joined(separator: ", "),
                fields: [
                    "added": .array(added.map { .string($0.playerId) }),
                    "removed": .array(removed.map { .string($0.playerId) }),
                ])
        }
    }
}
