internal import ArgumentParser
internal import Foundation
internal import MusicAssistantKit
internal import MusicAssistantSettings

/// A connection for the length of one command.
struct Remote {
    let client: MusicAssistantClient
    /// The events of the server, subscribed before the connection so that none is missed.
    let events: MusicAssistantEventStream<MusicAssistantEvent>
    var settings: RemoteSettings

    /// Connects, logs in with the remembered token, runs something and disconnects.
    static func run(
        _ settings: RemoteSettings? = nil, needsToken: Bool = true, reconnect: ReconnectPolicy = .never,
        body: (inout Remote) async throws -> Void
    ) async throws {
        let settings = try settings ?? RemoteSettings()
        guard settings.token != nil || !needsToken else {
            if settings.server == nil { throw RemoteSettingsError.noServer }
            throw CommandFailure("you are not logged in; run: descant ma login")
        }
        let client = try settings.makeClient(reconnect: reconnect) { entry in
            if entry.level == LogEntry.Level.warning { Console.write("descant ma: \(entry.message)") }
        }
        var remote = Remote(client: client, events: client.events.all, settings: settings)
        do {
            try await client.connect()
            try await body(&remote)
        } catch {
            await client.disconnect()
            throw error
        }
        await client.disconnect()
    }

    /// The selected player: the named one, else the remembered one, else the only one.
    func player(_ name: String?) async throws -> MusicAssistantPlayer {
        try choose(name ?? settings.player, of: try await client.getPlayers())
    }

    /// Returns the player with a name. When several have that name, the user at a terminal is asked to choose.
    func choose(_ name: String?, of players: [MusicAssistantPlayer]) throws -> MusicAssistantPlayer {
        do {
            return try PlayerChoice.player(name, of: players)
        } catch PlayerChoiceError.severalNamed(let name, let found) {
            let lines = found.map { "\(Listing.line($0, among: players)), \($0.provider)" }
            guard let index = Console.choose("\(found.count) players are called \"\(name)\":", among: lines) else {
                throw PlayerChoiceError.severalNamed(name, found)
            }
            return found[index]
        } catch PlayerChoiceError.unknown(let id, let names) where id == settings.player {
            throw PlayerChoiceError.unknown(settings.playerName ?? id, names)
        }
    }

    /// The queue that a player plays.
    func queue(of player: MusicAssistantPlayer) async throws -> String {
        try await client.getActiveQueue(playerId: player.playerId)?.queueId ?? player.playerId
    }

    /// Remembers a player for later commands without `--on`, unless variables name the server or player for this command.
    ///
    /// - Parameters:
    ///   - player: The player.
    ///   - isNamed: Whether the user named it on the command line.
    func remember(_ player: MusicAssistantPlayer, isNamed: Bool) throws {
        let variable = ProcessInfo.processInfo.environment["DESCANT_MA_PLAYER"] ?? ""
        guard isNamed || variable.isEmpty else { return }
        guard settings.player != player.playerId || settings.playerName != player.name else { return }
        var settings = settings
        (settings.player, settings.playerName) = (player.playerId, player.name)
        try settings.rememberPlayer()
    }

    /// The state of a player after a command. Players need a moment to carry it out.
    ///
    /// - Parameters:
    ///   - id: The player.
    ///   - seconds: The maximum wait, in seconds.
    ///   - isWanted: Whether the player has carried out the command.
    func player(_ id: String, within seconds: Double, isWanted: @Sendable @escaping (MusicAssistantPlayer) -> Bool)
        async throws -> MusicAssistantPlayer
    {
        let updates = client.events.playerUpdates
        func present() async throws -> MusicAssistantPlayer {
            guard let player = try await client.getPlayer(playerId: id) else {
                throw CommandFailure("the server has lost the player")
            }
            return player
        }
        let now = try await present()
        if isWanted(now) { return now }
        await withTaskGroup(of: Void.self) { group in
            group.addTask {
                for await update in updates where update.playerId == id {
                    if let player = update.player, isWanted(player) { return }
                }
            }
            group.addTask { try? await Task.sleep(for: .seconds(seconds)) }
            await group.next()
            group.cancelAll()
        }
        return try await present()
    }
}

/// The result of a command.
struct CommandResult {
    var done: String
    var fields: [String: JSONValue] = [:]
}

/// The options that commands share.
struct RemoteOptions: ParsableArguments {
    @Option(name: .customLong("on"), help: ArgumentHelp("The player, by name or identifier.", valueName: "player"))
    var player: String?

    @Flag(help: "Print JSON.")
    var json = false

    /// Runs a command on the selected player, and prints one word.
    func perform(_ done: String, _ body: (Remote, MusicAssistantPlayer) async throws -> Void) async throws {
        try await report { remote, player in
            try await body(remote, player)
            return CommandResult(done: done)
        }
    }

    /// Runs a command on the selected player, and prints its result.
    func report(_ body: (Remote, MusicAssistantPlayer) async throws -> CommandResult) async throws {
        try await Remote.run { remote in
            let player = try await remote.player(self.player)
            guard player.isAvailable else {
                throw CommandFailure("\(player.name) cannot be reached; is it switched on and in the network?")
            }
            let report = try await body(remote, player)
            if json {
                let head: [String: JSONValue] = [
                    "player": .string(player.playerId), "name": .string(player.name), "done": .string(report.done),
                ]
                Console.show(.object(head.merging(report.fields) { _, new in new }))
            } else {
                Console.show("\(player.name): \(report.done)")
            }
        }
    }

    /// The same for commands to the queue of the player.
    func onQueue(_ body: (Remote, _ queue: String) async throws -> CommandResult) async throws {
        try await report { remote, player in try await body(remote, remote.queue(of: player)) }
    }
}
