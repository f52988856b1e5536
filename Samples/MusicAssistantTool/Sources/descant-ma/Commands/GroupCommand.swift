internal import ArgumentParser
internal import MusicAssistantKit
internal import MusicAssistantSettings

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
        try await options.perform("group changed") { remote, player in
            let players = try await remote.client.getPlayers()
            try await remote.client.group(
                playerId: player.playerId,
                adding: add.map { try PlayerChoice.player($0, of: players).playerId },
                removing: remove.map { try PlayerChoice.player($0, of: players).playerId })
        }
    }
}
