internal import ArgumentParser
internal import MusicAssistantKit

/// `descant ma stop`.
struct StopCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "stop", abstract: "Stops.")

    @OptionGroup var options: RemoteOptions

    func run() async throws {
        try await options.perform("stopped") { remote, player in
            try await remote.client.stop(playerId: player.playerId)
        }
    }
}
