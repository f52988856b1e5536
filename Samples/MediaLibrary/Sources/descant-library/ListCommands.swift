internal import ArgumentParser
internal import Foundation
internal import MediaLibrary

/// `descant library search`.
struct SearchCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "search", abstract: "Finds tracks by the beginnings of words in title, artist, album and genre.")

    @OptionGroup var options: LibraryOptions

    @Option(help: ArgumentHelp("How many tracks at most.", valueName: "count"))
    var limit = 50

    @Flag(help: "Print JSON, one track a line.")
    var json = false

    @Flag(help: "Print the paths only, for other programs.")
    var paths = false

    @Argument(help: ArgumentHelp("Words; all of them must be there.", valueName: "word"))
    var words: [String]

    func validate() throws {
        guard limit > 0 else { throw ValidationError("--limit: use 1 or more") }
    }

    func run() async throws {
        let tracks = try await options.open().search(words.joined(separator: " "), limit: limit)
        try Listing.show(tracks, json: json, paths: paths)
        guard !tracks.isEmpty else {
            throw CommandFailure(status: CommandFailure.noInput, "nothing contains \(words.joined(separator: " "))")
        }
    }
}

/// `descant library list`.
struct ListCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "list", abstract: "Lists artists, albums, genres, tracks or folders.")

    enum Kind: String, ExpressibleByArgument, CaseIterable {
        case artists, albums, genres, tracks, folders
    }

    @OptionGroup var options: LibraryOptions

    @Option(help: ArgumentHelp("Only albums and tracks of an artist.", valueName: "name"))
    var artist: String?

    @Option(help: ArgumentHelp("Only tracks of an album.", valueName: "title"))
    var album: String?

    @Option(help: ArgumentHelp("Only artists and tracks of a genre.", valueName: "name"))
    var genre: String?

    @Flag(help: "List the tracks that were played most.")
    var mostPlayed = false

    @Option(help: ArgumentHelp("How many tracks at most. (default: all)", valueName: "count"))
    var limit: Int?

    @Flag(help: "Print JSON, one item a line.")
    var json = false

    @Flag(help: "Print the paths of tracks only, for other programs.")
    var paths = false

    @Argument(help: "What is listed.")
    var kind = Kind.artists

    func validate() throws {
        guard limit.map({ $0 > 0 }) ?? true else { throw ValidationError("--limit: use 1 or more") }
        guard kind == .tracks || !(album != nil || mostPlayed || limit != nil || paths) else {
            throw ValidationError("--album, --most-played, --limit and --paths are for: list tracks")
        }
        guard genre == nil || [.artists, .tracks].contains(kind) else {
            throw ValidationError("--genre is for: list artists, and list tracks")
        }
        guard artist == nil || [.albums, .tracks].contains(kind) else {
            throw ValidationError("--artist is for: list albums, and list tracks")
        }
    }

    func run() async throws {
        let library = try options.open()
        switch kind {
        case .artists:
            try Listing.show(try await library.artists(in: genre), json: json) {
                "\($0.name.isEmpty ? "(no artist)" : $0.name)  \(Console.count($0.albumCount, "album")), \(Console.count($0.trackCount, "track"))"
            }
        case .albums:
            try Listing.show(try await library.albums(by: artist), json: json) { album in
                let name = album.title.isEmpty ? "(no album)" : album.title
                let head = [album.artist, name].filter { !$0.isEmpty }.joined(separator: " – ")
                return
                    "\(head)\(album.year.map { " (\($0))" } ?? "")  \(Console.count(album.trackCount, "track")), \(Console.time(album.duration))"
            }
        case .genres:
            try Listing.show(try await library.genres(), json: json) {
                "\($0.name)  \(Console.count($0.trackCount, "track"))"
            }
        case .tracks:
            var query = LibraryQuery()
            (query.artist, query.album, query.genre, query.limit) = (artist, album, genre, limit)
            if mostPlayed { query.order = .mostPlayed }
            try Listing.show(try await library.tracks(query), json: json, paths: paths)
        case .folders: try Listing.show(try await library.folders().map(\.path), json: json) { $0 }
        }
    }
}

/// `descant library stats`.
struct StatsCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(commandName: "stats", abstract: "Counts what the library holds.")

    @OptionGroup var options: LibraryOptions

    @Flag(help: "Print JSON.")
    var json = false

    func run() async throws {
        let library = try options.open()
        let counts = try await library.statistics()
        if json { return try Console.json(counts) }
        let size = Measurement(value: Double(counts.size), unit: UnitInformationStorage.bytes).converted(to: .gigabytes)
        Console.show("file       \(library.file.path)")
        Console.show(
            "tracks     \(counts.trackCount), \(Console.time(counts.duration)), \((size.value * 10).rounded() / 10) GB")
        Console.show("artists    \(counts.artistCount)")
        Console.show("albums     \(counts.albumCount)")
        Console.show("genres     \(counts.genreCount)")
        Console.show("played     \(counts.playCount) times")
        if counts.failureCount > 0 { Console.show("unreadable \(Console.count(counts.failureCount, "file"))") }
    }
}

/// Lists for people and for programs.
enum Listing {
    static func show<Item: Encodable>(_ items: [Item], json: Bool, line: (Item) -> String) throws {
        for item in items {
            if json { try Console.json(item) } else { Console.show(DisplayWidth.printable(line(item))) }
        }
    }

    static func show(_ tracks: [LibraryTrack], json: Bool, paths: Bool) throws {
        if paths {
            for track in tracks { Console.show(track.url.path) }
            return
        }
        try show(tracks, json: json) { track in
            let name = [track.artist, track.title].compactMap { $0 }.joined(separator: " – ")
            let album = track.album.map { "  [\($0)]" } ?? ""
            return "\(name)\(album)  \(Console.time(track.duration))  \(track.url.path)"
        }
    }
}
