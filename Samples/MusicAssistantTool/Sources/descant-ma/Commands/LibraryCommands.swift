internal import ArgumentParser
internal import MusicAssistantKit

/// The options of commands that list a part of the library.
struct LibraryOptions: ParsableArguments {
    @Flag(help: "Only favourites.")
    var favorites = false

    @Option(help: ArgumentHelp("How many at most. (default: 50; all with --json)", valueName: "count"))
    var limit: Int?

    @Flag(help: "Print JSON.")
    var json = false

    @Argument(help: "Only what has these words in its name.")
    var words: [String] = []

    func validate() throws { try Listing.check(limit: limit) }

    /// Lists a part of the library.
    func list(_ kind: LibraryKind) async throws {
        try await Remote.run { remote in
            let search = words.isEmpty ? nil : words.joined(separator: " ")
            let limit = Listing.limit(limit, json: json)
            let items = try await remote.libraryItems(
                kind: kind, search: search, favorite: favorites ? true : nil, limit: limit)
            let none = search == nil && !favorites ? "the library has no \(kind.rawValue)" : "nothing found"
            Listing.show(items, limit: limit, json: json, none: none)
        }
    }

    /// Lists items that the server does not filter by name and favourites.
    func show(_ items: [MediaItem]) {
        let search = words.joined(separator: " ").lowercased()
        let found = items.filter {
            (!favorites || $0.isFavorite) && (search.isEmpty || $0.name.lowercased().contains(search))
        }
        Listing.show(found, limit: Listing.limit(limit, json: json), json: json, none: "nothing found")
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
            guard artist.mediaType == .artist else { throw CommandFailure(status: 2, "\(of): that is not an artist") }
            let albums = try await remote.client.artistAlbums(itemId: artist.itemId, provider: artist.provider)
            options.show(albums)
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
            options.show(try await remote.tracks(of: of))
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

    @Option(help: ArgumentHelp("How many at most. (default: 20; all with --json)", valueName: "count"))
    var limit: Int?

    @Flag(help: "Print JSON.")
    var json = false

    func validate() throws { try Listing.check(limit: limit) }

    func run() async throws {
        try await Remote.run { remote in
            let limit = Listing.limit(limit, json: json, usual: 20)
            let items = try await remote.client.recentlyPlayed(limit: min(limit, 100_000) + 1)
            Listing.show(items, limit: limit, json: json, none: "nothing was played yet")
        }
    }
}

extension Remote {
    /// The items of a part of the library, in order of their names.
    ///
    /// - Parameters:
    ///   - kind: The kind of items.
    ///   - search: Part of a name; `nil` for all.
    ///   - favorite: Whether only favourites are listed.
    ///   - limit: How many are wanted at most.
    /// - Returns: One item more than the limit when there are more.
    func libraryItems(
        kind: LibraryKind, search: String? = nil, favorite: Bool? = nil, limit: Int
    ) async throws -> [MediaItem] {
        var items: [MediaItem] = []
        var offset = 0
        // In parts: a reply with all items of a large library would come too late.
        while offset <= limit {
            let count = min(limit - offset, 499) + 1
            let part = try await client.libraryItems(
                kind: kind, search: search, favorite: favorite, limit: count, offset: offset, orderBy: "sort_name")
            if part.isEmpty { break }
            items += part
            offset += count
        }
        return items
    }

    /// Returns the tracks of an album, artist or playlist.
    func tracks(of uri: String) async throws -> [MediaItem] {
        let item = try await client.item(uri: uri)
        switch item.mediaType {
        case .album: return try await client.albumTracks(itemId: item.itemId, provider: item.provider)
        case .artist: return try await client.artistTracks(itemId: item.itemId, provider: item.provider)
        case .playlist: return try await client.playlistTracks(itemId: item.itemId, provider: item.provider)
        default: throw CommandFailure(status: 2, "\(uri): that is not an album, artist or playlist")
        }
    }
}

/// `descant ma search`.
struct SearchCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "search", abstract: "Finds artists, albums, tracks, playlists and stations.")

    @Option(help: ArgumentHelp("Only these: artist, album, track, playlist, radio, …", valueName: "kind"))
    var kind: [String] = []

    @Option(help: ArgumentHelp("How many of each kind at most, also with --json.", valueName: "count"))
    var limit = 10

    @Flag(help: "Print JSON.")
    var json = false

    @Argument(help: "What to look for.")
    var words: [String]

    func validate() throws { try Listing.check(limit: limit) }

    func run() async throws {
        try await Remote.run { remote in
            let kinds = kind.isEmpty ? nil : kind.map(MediaType.init(rawValue:))
            let found = try await remote.client.search(
                query: words.joined(separator: " "), mediaTypes: kinds, limit: json ? limit : limit + 1)
            if json { return Console.show(found.json) }
            Listing.show(found.all, limitOfEachKind: limit, json: false, none: "nothing found")
        }
    }
}

/// `descant ma browse`.
struct BrowseCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "browse", abstract: "Lists what is in a folder of the server.")

    @Flag(help: "Print JSON.")
    var json = false

    @Argument(help: ArgumentHelp("The folder's path, as listed. (default: the topmost)", valueName: "path"))
    var path: String?

    func run() async throws {
        try await Remote.run { remote in
            let items = try await remote.client.browse(path: path)
            Listing.show(items, json: json, none: "nothing here")
        }
    }
}
