internal import ArgumentParser
internal import MusicAssistantKit

/// `descant ma volume`.
struct VolumeCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(commandName: "volume", abstract: "Tells or sets the volume.")

    @OptionGroup var options: RemoteOptions

    @Flag(help: "The volume of the whole group.")
    var group = false

    @Argument(help: ArgumentHelp("0 to 100, or up or down. (default: tell it)", valueName: "level"))
    var level: String?

    func validate() throws {
        guard let level else { return }
        guard level == "up" || level == "down" || Int(level).map({ (0...100).contains($0) }) == true else {
            throw ValidationError("\(level): use 0 to 100, up or down")
        }
    }

    func run() async throws {
        let group = group
        try await options.report { remote, player in
            guard let before = volume(of: player) else { throw CommandFailure("\(player.name) has no volume") }
            var now = player
            if let level {
                try await set(level, of: player.playerId, on: remote.client)
                // Up and down go by steps of the player's choice.
                let wanted = Int(level)
                now = try await remote.player(player.playerId, within: 1) { player in
                    let volume = group ? player.groupVolume ?? player.volume : player.volume
                    return wanted.map { volume == $0 } ?? (volume != before)
                }
            }
            let volume = volume(of: now) ?? before
            let done = group ? "group volume \(volume)" : Listing.volume(now) ?? "volume \(volume)"
            return Report(
                done: done, fields: ["volume": .int(volume), "muted": now.isMuted.map { .bool($0) } ?? .null])
        }
    }

    private func volume(of player: MusicAssistantPlayer) -> Int? {
        group ? player.groupVolume ?? player.volume : player.volume
    }

    private func set(_ level: String, of id: String, on client: MusicAssistantClient) async throws {
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
