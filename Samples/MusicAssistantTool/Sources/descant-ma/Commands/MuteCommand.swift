internal import ArgumentParser
internal import MusicAssistantKit

/// `descant ma mute`.
struct MuteCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(commandName: "mute", abstract: "Makes a player silent, or not.")

    @OptionGroup var options: RemoteOptions

    @Argument(help: "on or off.")
    var state: Switch

    func run() async throws {
        try await options.perform(state == .on ? "muted" : "no longer muted") { remote, player in
            try await remote.client.setMuted(playerId: player.playerId, muted: state == .on)
        }
    }
}
