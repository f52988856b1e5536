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
            if players.isEmpty { Console.write("the server has no players") }
            for player in players { Console.show(Listing.line(player, among: players)) }
        }
    }
}

/// `descant ma volume`.
struct VolumeCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "volume", abstract: "Tells or sets the volume.",
        discussion: """
            descant ma volume 30       30 of 100
            descant ma volume +10      louder by 10, 100 at most
            descant ma volume -- -10   softer by 10, 0 at least
            descant ma volume up       louder by a step of the player's choice
            """)

    @OptionGroup var options: RemoteOptions

    @Flag(help: "The volume of the whole group.")
    var group = false

    @Argument(
        help: ArgumentHelp("0 to 100; with + or - from here; up or down. (default: tell it)", valueName: "level"))
    var level: Level?

    func run() async throws {
        let group = group
        try await options.report { remote, player in
            guard let before = volume(of: player) else { throw CommandFailure("\(player.name) has no volume") }
            var now = player
            if let level {
                let wanted = level.volume(from: before)
                try await set(level, wanted ?? before, of: player.playerId, on: remote.client)
                now = try await remote.player(player.playerId, within: 3) { player in
                    let volume = group ? player.groupVolume ?? player.volume : player.volume
                    return wanted.map { volume == $0 } ?? (volume != before)
                }
                // A player may have fewer steps than 100, so that any change counts.
                guard wanted == before || volume(of: now) ?? before != before else {
                    throw CommandFailure(
                        "\(player.name) is still at \(group ? "group " : "")volume \(before): it did not follow the command"
                    )
                }
            }
            let volume = volume(of: now) ?? before
            let done = group ? "group volume \(volume)" : Listing.volume(now) ?? "volume \(volume)"
            return CommandResult(
                done: done, fields: ["volume": .int(volume), "muted": now.isMuted.map { .bool($0) } ?? .null])
        }
    }

    private func volume(of player: MusicAssistantPlayer) -> Int? {
        group ? player.groupVolume ?? player.volume : player.volume
    }

    private func set(_ level: Level, _ volume: Int, of id: String, on client: MusicAssistantClient) async throws {
        switch (level, group) {
        case (.up, false): try await client.volumeUp(playerId: id)
        case (.up, true): try await client.groupVolumeUp(playerId: id)
        case (.down, false): try await client.volumeDown(playerId: id)
        case (.down, true): try await client.groupVolumeDown(playerId: id)
        case (_, false): try await client.setVolume(playerId: id, volume: volume)
        case (_, true): try await client.setGroupVolume(playerId: id, volume: volume)
        }
    }

    /// A volume, or a step from the present one.
    enum Level: ExpressibleByArgument {
        case to(Int)
        case by(Int)
        /// By a step of the player's choice.
        case up
        case down

        init?(argument: String) {
            let sign = argument.first.flatMap { "+-".contains($0) ? $0 : nil }
            switch (argument, sign, Int(digits: argument.dropFirst(sign == nil ? 0 : 1))) {
            case ("up", _, _): self = .up
            case ("down", _, _): self = .down
            case (_, nil, let volume?) where volume <= 100: self = .to(volume)
            case (_, "+", let change?): self = .by(min(change, 100))
            case (_, "-", let change?): self = .by(-min(change, 100))
            default: return nil
            }
        }

        /// The volume to reach from another one; `nil` when the player chooses it.
        func volume(from before: Int) -> Int? {
            let present = min(100, max(0, before))
            return switch self {
            case .to(let volume): volume
            case .by(let change): min(100, max(0, present + change))
            case .up: present == 100 ? before : nil
            case .down: present == 0 ? before : nil
            }
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
            return CommandResult(done: isMuted ? "muted" : "not muted", fields: ["muted": .bool(isMuted)])
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
            return CommandResult(done: isOn ? "on" : "off", fields: ["powered": .bool(isOn)])
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
            return CommandResult(
                done: "plays "
                    + parts.map { "\($0) \($1.map(\.name).joined(separator: ", "))" }.joined(separator: ", "),
                fields: [
                    "added": .array(added.map { .string($0.playerId) }),
                    "removed": .array(removed.map { .string($0.playerId) }),
                ])
        }
    }
}

extension Int {
    /// A number of digits alone, as people count places and volumes; for `Int(_:)` "+2" is a number, too.
    init?(digits: some StringProtocol) {
        guard digits.utf8.allSatisfy({ (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }) else { return nil }
        self.init(digits, radix: 10)
    }
}

/// On or off.
enum Switch: String, ExpressibleByArgument, CaseIterable {
    case on
    case off
}
