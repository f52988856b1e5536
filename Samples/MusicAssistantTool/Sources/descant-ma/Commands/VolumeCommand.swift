internal import ArgumentParser
internal import MusicAssistantKit

/// `descant ma volume`.
struct VolumeCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(commandName: "volume", abstract: "Sets the volume.")

    @OptionGroup var options: RemoteOptions

    @Flag(help: "Set the volume of the whole group.")
    var group = false

    @Argument(help: ArgumentHelp("0 to 100, or up or down.", valueName: "level"))
    var level: String

    func validate() throws {
        guard level == "up" || level == "down" || Int(level).map({ (0...100).contains($0) }) == true else {
            throw ValidationError("\(level): use 0 to 100, up or down")
        }
    }

    func run() async throws {
        try await options.perform("volume \(level)") { remote, player in
            let (client, id) = (remote.client, player.playerId)
            switch (level, group) {
            case ("up", false): try await client.volumeUp(playerId: id)
            case ("up", true): try await client.groupVolumeUp(playerId: id)
            case ("down", false): try await client.volumeDown(playerId: id)
            case ("down", true): try await client.groupVolumeDown(playerId: id)
            case (_, false): try await client.setVolume(playerId: id, volume: Int(level) ?? 0)
            case (_, true): try await client.setGroupVolume(playerId: id, volume: Int(level) ?? 0)
            }
        }
    }
}
