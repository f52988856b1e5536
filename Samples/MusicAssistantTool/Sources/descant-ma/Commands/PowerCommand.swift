internal import ArgumentParser
internal import MusicAssistantKit

/// `descant ma power`.
struct PowerCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(commandName: "power", abstract: "Switches a player on or off.")

    @OptionGroup var options: RemoteOptions

    @Argument(help: "on or off.")
    var state: Switch

    func run() async throws {
        let isWanted = state == .on
        try await options.report { remote, player in
            try await remote.client.setPower(playerId: player.playerId, powered: isWanted)
            let now = try await remote.player(player.playerId, within: 3) { $0.isPowered == isWanted }
            guard let isOn = now.isPowered else { throw CommandFailure("\(player.name) cannot be switched on or off") }
            guard isOn == isWanted else {
                throw CommandFailure("\(player.name) is still \(isOn ? "on" : "off"): it did not follow the command")
            }
            return Report(done: isOn ? "on" : "off", fields: ["powered": .bool(isOn)])
        }
    }
}
