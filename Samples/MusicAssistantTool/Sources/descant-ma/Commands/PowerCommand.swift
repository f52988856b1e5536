internal import ArgumentParser
internal import MusicAssistantKit

/// `descant ma power`.
struct PowerCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(commandName: "power", abstract: "Switches a player on or off.")

    @OptionGroup var options: RemoteOptions

    @Argument(help: "on or off.")
    var state: Switch

    func run() async throws {
        try await options.perform(state == .on ? "on" : "off") { remote, player in
            try await remote.client.setPower(playerId: player.playerId, powered: state == .on)
        }
    }
}
