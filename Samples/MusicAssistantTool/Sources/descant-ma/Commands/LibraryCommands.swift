internal import ArgumentParser
internal import MusicAssistantKit

/// What commands that list a part of the library share.
struct LibraryOptions: ParsableArguments {
    @Flag(help: "Only favourites.")
    var favorites = false

    @Option(help: ArgumentHelp("How many at most.", valueName: "count"))
    var limit = 50

    @Flag(help: "Print JSON.")
    var json = false

    @Argument(help: "Only what has these words in its name.")
    var words: [String] = []

    func validate() throws {
        guard (1...100_000).contains(limit) else { throw ValidationError("--limit \(limit): use 1 to 100000") }
    }

    /// Lists a part of the library.
    func list(_ kind: LibraryKind) async throws {
        try await Remote.run { remote in
            let search = words.isEmpty ? nil : words.joined(separator: " ")
            // One more than wanted shows whether there are more.
            let items = try await remote.client.libraryItems(
                kind: kind, search: search, favorite: favorites ? true : nil, limit: limit + 1, orderBy: "sort_name")
            show(items, none: search == nil && !favorites ? "the library has no \(kind.rawValue)" : "nothing found")
        }
    }

    /// Shows items up to the limit.
    func show(_ items: [MediaItem], none: String) {
        if json { return Console.show(.array(items.prefix(limit).map(\.json))) }
        if items.isEmpty { Console.show(none) }
        for item in items.prefix(limit) { Console.show(Listing.line(item)) }
        if items.count > limit { Console.show("… and more: --limit COUNT") }
    }
}

/// `descant ma artists`.
struct ArtistsCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(commandName: "artists", abstract: "Lists the library's artists.")

    @OptionGroup var options: LibraryOptions

    func run() async throws { try await options.list(.artists) }
}

/// `descant ma albums`.
struct AlbumsCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "albums", abstract: "Lists the library's albums, or those of an artist.")

    @OptionGroup var options: LibraryOptions

    @Option(help: ArgumentHelp("Only those of an artist, such as library://artist/3.", valueName: "uri"))
    var of: String?

    func run() async throws {
        guard let of else { return try await options.list(.albums) }
        try await Remote.run { remote in
            let artist = try await remote.client.item(uri: of)
            guard artist.mediaType == .artist else { throw CommandFailure(status: 2, "\(of): that is no artist") }
            let albums = try await remote.client.artistAlbums(itemId: artist.itemId, provider: artist.provider)
            options.show(options.matches(albums), none: "nothing found")
        }
    }
}

/// `descant ma tracks`.
struct TracksCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "tracks", abstract: "Lists the library's tracks, or those of an album, artist or playlist.")

    @OptionGroup var options: LibraryOptions

    @Option(
        help: ArgumentHelp("Only those of an album, artist or playlist, such as library://album/7.", valueName: "uri"))
    var of: String?

    func run() async throws {
        guard let of else { return try await options.list(.tracks) }
        try await Remote.run { remote in
            options.show(options.matches(try await remote.tracks(of: of)), none: "nothing found")
        }
    }
}

/// `descant ma radios`.
struct RadiosCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(commandName: "radios", abstract: "Lists the library's stations.")

    @OptionGroup var options: LibraryOptions

    func run() async throws { try await options.list(.radios) }
}

/// `descant ma recent`.
struct RecentCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "recent", abstract: "Lists what was played last, the newest first.")

    @Option(help: ArgumentHelp("How many at most.", valueName: "count"))
    var limit = 20

    @Flag(help: "Print JSON.")
    var json = false

    func run() async throws {
        try await Remote.run { remote in
            let items = try await remote.client.recentlyPlayed(limit: limit)
            if json { return Console.show(.array(items.map(\.json))) }
            if items.isEmpty { Console.show("nothing was played yet") }
            for item in items { Console.show(Listing.line(item)) }
        }
    }
}

extension LibraryOptions {
    /// Those of the wanted names and marks, for lists that the server does not filter.
    fileprivate func matches(_ items: [MediaItem]) -> [MediaItem] {
        let search = words.joined(separator: " ").lowercased()
        return items.filter {
            (!favorites || $0.isFavorite) && (search.isEmpty || $0.name.lowercased().contains(search))
        }
    }
}

extension Remote {
    /// The tracks that an album, artist or playlist stands for.
    func tracks(of uri: String) async throws -> [MediaItem] {
        let item = try await client.item(uri: uri)
        switch item.mediaType {
        case .album: return try await client.albumTracks(itemId: item.itemId, provider: item.provider)
        case .artist: return try await client.artistTracks(itemId: item.itemId, provider: item.provider)
        case .playlist: return try await client.playlistTracks(itemId: item.itemId, provider: item.provider)
        default: throw CommandFailure(status: 2, "\(uri): that is no album, artist or playlist")
        }
    }
}
