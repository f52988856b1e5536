internal import ArgumentParser
internal import MusicAssistantKit

/// `descant ma pause`.
struct PauseCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "pause", abstract: "Pauses; a player that cannot pause stops and remembers the position.")

    @OptionGroup var options: RemoteOptions

    func run() async throws {
        try await options.perform("paused") { remote, player in
            try await remote.client.pause(playerId: player.playerId)
        }
    }
}
