internal import ArgumentParser
internal import MusicAssistantKit

/// `descant ma players`.
struct PlayersCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "players", abstract: "Lists the players.",
        discussion: "Players of the same name are shown with their identifiers; --json shows those of all of them.")

    @Flag(help: "Print JSON.")
    var json = false

    func run() async throws {
        try await Remote.run { remote in
            let players = try await remote.client.getPlayers()
            if json { return Console.show(.array(players.map(\.json))) }
            if players.isEmpty { Console.show("the server has no players") }
            for player in players { Console.show(Listing.line(player, among: players)) }
        }
    }
}

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

/// On or off.
enum Switch: String, ExpressibleByArgument, CaseIterable {
    case on
    case off
}
