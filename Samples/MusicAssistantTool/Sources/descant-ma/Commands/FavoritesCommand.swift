internal import ArgumentParser
internal import MusicAssistantKit

/// `descant ma favorites`.
struct FavoritesCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "favorites", abstract: "Lists and marks what people like.",
        subcommands: [List.self, Add.self, Remove.self], defaultSubcommand: List.self, aliases: ["favourites"])

    struct List: AsyncParsableCommand {
        static let configuration = CommandConfiguration(abstract: "Lists the favourites.")

        @Option(
            help: ArgumentHelp("How many of each kind at most. (default: 50; all with --json)", valueName: "count"))
        var limit: Int?

        @Flag(help: "Print JSON.")
        var json = false

        func validate() throws { try Listing.check(limit: limit) }

        func run() async throws {
            try await Remote.run { remote in
                let limit = Listing.limit(limit, json: json)
                var items: [MediaItem] = []
                for kind in [LibraryKind.artists, .albums, .tracks, .playlists, .radios, .audiobooks, .podcasts] {
                    items += try await remote.libraryItems(kind: kind, favorite: true, limit: limit)
                }
                Listing.show(
                    items, limitOfEachKind: limit, json: json,
                    none: "there are no favourites yet; mark one: descant ma favorites add URI")
            }
        }
    }

    /// The item to mark: a named one, or the one that plays.
    struct Choice: ParsableArguments {
        @Option(name: .customLong("on"), help: ArgumentHelp("The player whose item is meant.", valueName: "player"))
        var player: String?

        @Flag(help: "Print JSON.")
        var json = false

        @Argument(help: ArgumentHelp("The item, such as library://track/7. (default: what plays)", valueName: "uri"))
        var uri: String?

        func change(_ done: String, _ body: (Remote, MediaItem) async throws -> Void) async throws {
            try await Remote.run { remote in
                let item = try await remote.client.item(uri: try await present(remote))
                try await body(remote, item)
                Listing.show(done: done, item, as: "item", json: json)
            }
        }

        private func present(_ remote: Remote) async throws -> String {
            if let uri { return uri }
            let player = try await remote.player(self.player)
            let queue = try await remote.client.getActiveQueue(playerId: player.playerId)
            guard let uri = queue?.currentItem?.mediaItem?.uri else {
                throw CommandFailure(
                    status: 66, "\(player.name) plays nothing; name an item, such as library://track/7")
            }
            return uri
        }
    }

    struct Add: AsyncParsableCommand {
        static let configuration = CommandConfiguration(abstract: "Marks an item, or what plays.")

        @OptionGroup var choice: Choice

        func run() async throws {
            try await choice.change("a favourite") { try await $0.client.addFavorite(uri: $1.uri) }
        }
    }

    struct Remove: AsyncParsableCommand {
        static let configuration = CommandConfiguration(abstract: "Takes the mark from an item, or from what plays.")

        @OptionGroup var choice: Choice

        func run() async throws {
            try await choice.change("no favourite") { remote, item in
                guard item.provider == "library" else {
                    throw CommandFailure("\(item.name) is not in the library, so it is not a favourite")
                }
                try await remote.client.removeFavorite(mediaType: item.mediaType, libraryItemId: item.itemId)
            }
        }
    }
}
