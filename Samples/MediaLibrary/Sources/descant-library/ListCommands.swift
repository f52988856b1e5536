internal import ArgumentParser
internal import Foundation
internal import MediaLibrary

/// `descant library search`.
struct SearchCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "search", abstract: "Finds tracks by the beginnings of words in title, artist, album and genre.")

    @OptionGroup var options: LibraryOptions

    @Option(
        help: ArgumentHelp(
            "How many tracks at most. (default: 50; all with --json, --paths and --print0)", valueName: "count"))
    var limit: Int?

    @OptionGroup var output: TrackOutput

    @Argument(help: ArgumentHelp("Words; all of them must be there.", valueName: "word"))
    var words: [String]

    func validate() throws { try Listing.check(limit: limit) }

    func run() async throws {
        let text = words.joined(separator: " ")
        let limit = limit ?? (output.isForPrograms ? .max : 50)
        let tracks = try await options.open().search(text, limit: Listing.request(for: limit))
        try Listing.show(tracks, limit: limit, as: output, none: "nothing contains \(text)")
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

    @OptionGroup var output: TrackOutput

    @Argument(help: "What is listed.")
    var kind = Kind.artists

    func validate() throws {
        try Listing.check(limit: limit)
        guard kind == .tracks || !(album != nil || mostPlayed || limit != nil || output.paths || output.print0) else {
            throw ValidationError("--album, --most-played, --limit, --paths and --print0 are for: list tracks")
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
        let json = output.json
        let isWhole = artist == nil && album == nil && genre == nil && !mostPlayed
        let none = isWhole ? "the library has no \(kind.rawValue)" : "nothing found"
        switch kind {
        case .artists:
            try Listing.show(try await library.artists(in: genre), json: json, none: none) {
                "\($0.name.isEmpty ? "(no artist)" : $0.name)  \(Console.count($0.albumCount, "album")), \(Console.count($0.trackCount, "track"))"
            }
        case .albums:
            try Listing.show(try await library.albums(by: artist), json: json, none: none) { album in
                let name = album.title.isEmpty ? "(no album)" : album.title
                let head = [album.artist, name].filter { !$0.isEmpty }.joined(separator: " – ")
                return
                    "\(head)\(album.year.map { " (\($0))" } ?? "")  \(Console.count(album.trackCount, "track")), \(Console.time(album.duration))"
            }
        case .genres:
            try Listing.show(try await library.genres(), json: json, none: none) {
                "\($0.name)  \(Console.count($0.trackCount, "track"))"
            }
        case .tracks:
            let limit = limit ?? .max
            var query = LibraryQuery()
            (query.artist, query.album, query.genre) = (artist, album, genre)
            query.limit = Listing.request(for: limit)
            if mostPlayed { query.order = .mostPlayed }
            try Listing.show(try await library.tracks(query), limit: limit, as: output, none: none)
        case .folders: try Listing.show(try await library.folders().map(\.path), json: json, none: none) { $0 }
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

/// How tracks are written.
struct TrackOutput: ParsableArguments {
    @Flag(help: "Print JSON, one item a line.")
    var json = false

    @Flag(help: "Print the paths of tracks only, one a line, for other programs.")
    var paths = false

    @Flag(help: "Print the paths of tracks only, each with a NUL behind it, as xargs -0 takes them.")
    var print0 = false

    /// Whether other programs read the tracks. They get all, unless a limit is given.
    var isForPrograms: Bool { json || paths || print0 }

    func validate() throws {
        guard !json || !paths && !print0 else {
            throw ValidationError("--json does not go with --paths and --print0; use one of them")
        }
    }
}

/// Lists for people and for programs.
enum Listing {
    /// Checks the value of `--limit`.
    static func check(limit: Int?) throws {
        guard limit.map({ $0 > 0 }) ?? true else { throw ValidationError("--limit: use 1 or more") }
    }

    /// How many tracks are read for a limit: one more, which tells whether there are more.
    static func request(for limit: Int) -> Int { limit < .max ? limit + 1 : limit }

    /// Writes items.
    ///
    /// - Throws: `CommandFailure` with a message when there are none.
    static func show<Item: Encodable>(_ items: [Item], json: Bool, none: String, line: (Item) -> String) throws {
        guard !items.isEmpty else { throw CommandFailure(status: CommandFailure.noInput, none) }
        for item in items {
            if json { try Console.json(item) } else { Console.show(DisplayWidth.printable(line(item))) }
        }
    }

    /// Writes tracks, and for people whether there are more than the limit.
    static func show(_ tracks: [LibraryTrack], limit: Int, as output: TrackOutput, none: String) throws {
        let shown = Array(tracks.prefix(limit))
        if output.paths || output.print0 {
            guard !shown.isEmpty else { throw CommandFailure(status: CommandFailure.noInput, none) }
            for track in shown { Console.show(track.url.path, end: output.print0 ? "\0" : "\n") }
            return
        }
        try show(shown, json: output.json, none: none) { track in
            let name = [track.artist, track.title].compactMap { $0 }.joined(separator: " – ")
            let album = track.album.map { "  [\($0)]" } ?? ""
            return "\(name)\(album)  \(Console.time(track.duration))  \(track.url.path)"
        }
        if !output.json, tracks.count > limit { Console.write("… and more: --limit COUNT") }
    }
}
