internal import ArgumentParser
internal import MusicAssistantKit

/// `descant ma playlists`.
struct PlaylistsCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "playlists", abstract: "Lists, makes and changes playlists.",
        discussion: "A playlist is named by its name, its identifier or its address, such as library://playlist/2.",
        subcommands: [List.self, Show.self, Create.self, Add.self, Remove.self], defaultSubcommand: List.self)

    struct List: AsyncParsableCommand {
        static let configuration = CommandConfiguration(abstract: "Lists the playlists.")

        @OptionGroup var options: LibraryOptions

        func run() async throws { try await options.list(.playlists) }
    }

    struct Show: AsyncParsableCommand {
        static let configuration = CommandConfiguration(abstract: "Lists what is in a playlist, with numbers.")

        @Option(help: ArgumentHelp("How many at most. (default: 50; all with --json)", valueName: "count"))
        var limit: Int?

        @Flag(help: "Print JSON.")
        var json = false

        @Argument(help: "The playlist.")
        var playlist: String

        func validate() throws { try Listing.check(limit: limit) }

        func run() async throws {
            try await Remote.run { remote in
                let list = try await remote.playlist(playlist)
                let tracks = try await remote.client.playlistTracks(itemId: list.itemId, provider: list.provider)
                let limit = Listing.limit(limit, json: json)
                Listing.show(
                    tracks, limit: limit, json: json, none: "\(list.name) is empty", isNumbered: true,
                    more: "… and \(tracks.count - limit) more: --limit \(tracks.count)")
            }
        }
    }

    struct Create: AsyncParsableCommand {
        static let configuration = CommandConfiguration(abstract: "Makes a playlist, of a queue or empty.")

        @OptionGroup var options: RemoteOptions

        @Flag(help: "Put what is in the player's queue into it.")
        var fromQueue = false

        @Argument(help: "Its name.")
        var name: String

        func run() async throws {
            try await Remote.run { remote in
                let made: MediaItem
                if fromQueue {
                    let player = try await remote.player(options.player)
                    made = try await remote.client.saveQueue(queueId: remote.queue(of: player), name: name)
                } else {
                    made = try await remote.client.createPlaylist(name: name)
                }
                if options.json { return Console.show(made.json) }
                Console.show(Listing.line(made))
            }
        }
    }

    struct Add: AsyncParsableCommand {
        static let configuration = CommandConfiguration(abstract: "Adds items to a playlist.")

        @Flag(help: "Print JSON.")
        var json = false

        @Argument(help: "The playlist.")
        var playlist: String

        @Argument(help: ArgumentHelp("The items, such as library://track/7.", valueName: "uri"))
        var uris: [String]

        func run() async throws {
            try await Remote.run { remote in
                let list = try await remote.playlist(playlist)
                try await remote.client.addPlaylistTracks(playlistId: list.itemId, uris: uris)
                Listing.show(done: "\(uris.count) added", list, as: "playlist", json: json)
            }
        }
    }

    struct Remove: AsyncParsableCommand {
        static let configuration = CommandConfiguration(abstract: "Takes items out of a playlist.")

        @Flag(help: "Print JSON.")
        var json = false

        @Argument(help: "The playlist.")
        var playlist: String

        @Argument(help: ArgumentHelp("Their numbers, as show lists them.", valueName: "item"))
        var items: [Int]

        func run() async throws {
            try await Remote.run { remote in
                let list = try await remote.playlist(playlist)
                let tracks = try await remote.client.playlistTracks(itemId: list.itemId, provider: list.provider)
                let positions = try items.map { number in
                    guard tracks.indices.contains(number - 1) else {
                        throw CommandFailure(status: 66, "\(list.name) has no item \(number)")
                    }
                    return tracks[number - 1].position ?? number
                }
                try await remote.client.removePlaylistTracks(playlistId: list.itemId, positions: positions)
                Listing.show(done: "\(items.count) removed", list, as: "playlist", json: json)
            }
        }
    }
}

extension Remote {
    /// Returns the playlist with a name, identifier or address.
    fileprivate func playlist(_ wanted: String) async throws -> MediaItem {
        if wanted.contains("://") { return try await client.item(uri: wanted) }
        let all = try await client.libraryItems(kind: .playlists)
        let named = all.filter { $0.name.lowercased() == wanted.lowercased() }
        guard named.count <= 1 else {
            let list = named.map(\.uri).joined(separator: ", ")
            throw CommandFailure("\(named.count) playlists are called \"\(wanted)\"; name one by its address: \(list)")
        }
        guard let playlist = named.first ?? all.first(where: { $0.itemId == wanted }) else {
            throw CommandFailure(status: 66, "there is no playlist \"\(wanted)\"; see: descant ma playlists")
        }
        return playlist
    }
}
