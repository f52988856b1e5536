internal import ArgumentParser
internal import MusicAssistantKit

/// `descant ma mute`.
struct MuteCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(commandName: "mute", abstract: "Makes a player silent, or not.")

    @OptionGroup var options: RemoteOptions

    @Argument(help: "on or off.")
    var state: Switch

    func run() async throws {
        let isWanted = state == .on
        try await options.report { remote, player in
            try await remote.client.setMuted(playerId: player.playerId, muted: isWanted)
            let now = try await remote.player(player.playerId, within: 3) { $0.isMuted == isWanted }
            guard let isMuted = now.isMuted else { throw CommandFailure("\(player.name) cannot be muted") }
            guard isMuted == isWanted else {
                throw CommandFailure(
                    "\(player.name) is \(isMuted ? "still" : "not") muted: it did not follow the command")
            }
            return Report(done: isMuted ? "muted" : "not muted", fields: ["muted": .bool(isMuted)])
        }
    }
}
