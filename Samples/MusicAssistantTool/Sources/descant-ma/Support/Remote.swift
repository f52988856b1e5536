internal import ArgumentParser
internal import Foundation
internal import MusicAssistantKit
internal import MusicAssistantSettings

/// A connection for the length of one command.
struct Remote {
    let client: MusicAssistantClient
    /// What happens on the server, from the connection on: subscribed before it, so that nothing is missed.
    let events: MusicAssistantEventStream<MusicAssistantEvent>
    var settings: RemoteSettings

    /// Connects, logs in with the remembered token, runs something and disconnects.
    static func run(
        _ settings: RemoteSettings? = nil, needsToken: Bool = true, body: (inout Remote) async throws -> Void
    ) async throws {
        let settings = try settings ?? RemoteSettings()
        guard settings.token != nil || !needsToken else {
            if settings.server == nil { throw RemoteSettingsError.noServer }
            throw CommandFailure("you are not logged in; run: descant ma login")
        }
        let client = try settings.makeClient(reconnect: .never) { entry in
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

    /// The player that is meant: the one that was named, else the remembered one, else the only one.
    func player(_ name: String?) async throws -> MusicAssistantPlayer {
        try PlayerChoice.player(name ?? settings.player, of: try await client.getPlayers())
    }

    /// The queue that a player plays.
    func queue(of player: MusicAssistantPlayer) async throws -> String {
        try await client.getActiveQueue(playerId: player.playerId)?.queueId ?? player.playerId
    }
}

/// The options that commands share.
struct RemoteOptions: ParsableArguments {
    @Option(name: .customLong("on"), help: ArgumentHelp("The player, by name or identifier.", valueName: "player"))
    var player: String?

    @Flag(help: "Print JSON.")
    var json = false

    /// Runs something on the player that is meant, and reports in a word.
    func perform(_ done: String, _ body: (Remote, MusicAssistantPlayer) async throws -> Void) async throws {
        try await Remote.run { remote in
            let player = try await remote.player(self.player)
            guard player.isAvailable else {
                throw CommandFailure("\(player.name) cannot be reached; is it switched on and in the network?")
            }
            try await body(remote, player)
            if json {
                Console.show(["player": .string(player.playerId), "done": .string(done)])
            } else {
                Console.show("\(player.name): \(done)")
            }
        }
    }
}
