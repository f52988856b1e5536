internal import ArgumentParser
internal import Descant
internal import Foundation
internal import MediaLibrary
internal import Synchronization

/// `descant library serve`: answers a player through pipes, so that neither the database nor a disk that hangs can disturb its sound.
struct ServeCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "serve",
        abstract: "Answers questions in JSON, one a line, until the standard input ends.",
        discussion: """
            A request such as {"id":1,"ask":"search","text":"blue"} is answered by {"id":1,"tracks":[…]} or {"id":1,"error":"…"}.

              artists     genre                          {"artists":[…]}
              albums      artist, genre                  {"albums":[…]}
              genres                                     {"genres":[…]}
              tracks      artist, album, genre, limit,   {"tracks":[…]}
                          order: mostPlayed or newest
              search      text, limit                    {"tracks":[…]}
              stats                                      {"stats":{…}}
              played      path                           {}
              folders                                    {"folders":[…]}
              add         path                           {}
              remove      path                           {}

            Lines without an id are news: {"scan":{…}} while folders are scanned, at most four a second, and when that has ended, \
            {"changed":{…}} after a scan that has changed something, {"problem":"…"} when something is wrong. Folders are scanned \
            at the beginning and when one is added, and watched afterwards.
            """)

    @OptionGroup var options: LibraryOptions

    func run() async throws {
        let library = try options.open(isNew: true)
        if let notice = library.openingNotice { try Console.json(Answer(problem: notice)) }
        let watch = FolderFollower(library)
        watch.begin()
        // Lines are read on a thread of their own: the standard input blocks.
        let (requests, feed) = AsyncStream.makeStream(of: String.self)
        Thread.detachNewThread {
            while let line = readLine() { feed.yield(line) }
            feed.finish()
        }
        await withTaskGroup(of: Void.self) { group in
            for await line in requests { group.addTask { await answer(line, library, watch) } }
        }
        watch.end()
    }

    private func answer(_ line: String, _ library: MediaLibrary, _ watch: FolderFollower) async {
        var reply: Answer
        do {
            let request = try JSONDecoder().decode(Request.self, from: Data(line.utf8))
            do {
                reply = try await self.reply(to: request, library, watch)
            } catch {
                reply = Answer(error: CommandFailure(error).message)
            }
            reply.id = request.id
        } catch {
            reply = Answer(problem: "a request cannot be read: \(line.prefix(200))")
        }
        try? Console.json(reply)
    }

    private func reply(
        to request: Request, _ library: MediaLibrary, _ watch: FolderFollower
    ) async throws -> Answer {
        switch request.ask {
        case "artists": return Answer(artists: try await library.artists(in: request.genre))
        case "albums": return Answer(albums: try await library.albums(by: request.artist, in: request.genre))
        case "genres": return Answer(genres: try await library.genres())
        case "tracks":
            var query = LibraryQuery()
            (query.artist, query.album, query.genre) = (request.artist, request.album, request.genre)
            query.limit = request.limit
            query.order = try request.trackOrder
            return Answer(tracks: try await library.tracks(query))
        case "search": return Answer(tracks: try await library.search(request.text ?? "", limit: request.limit ?? 200))
        case "stats": return Answer(stats: try await library.statistics())
        case "played":
            if let path = request.path {
                try await library.notePlayed(URL(filePath: path, directoryHint: .notDirectory))
            }
            return Answer()
        case "folders": return Answer(folders: try await library.folderStates())
        case "add":
            let folder = try request.folder
            // A scan that runs would store files of a folder that becomes a part of this one.
            watch.end()
            defer { watch.begin() }
            guard try await library.add(folder) else {
                throw CommandFailure("\(folder.path): it is in the library already")
            }
            return Answer()
        case "remove":
            let folder = try request.folder
            watch.end()
            defer { watch.begin() }
            try await library.remove(folder)
            return Answer()
        default: throw CommandFailure("there is no question \(request.ask)")
        }
    }
}

/// What a player asks.
private struct Request: Decodable {
    var id: Int
    var ask: String
    var artist: String?
    var album: String?
    var genre: String?
    var text: String?
    var path: String?
    var limit: Int?
    var order: String?

    var trackOrder: LibraryQuery.Order {
        get throws {
            switch order {
            case nil: .album
            case "mostPlayed": .mostPlayed
            case "newest": .newest
            case let other?: throw CommandFailure("there is no order \(other); use mostPlayed or newest")
            }
        }
    }

    var folder: URL {
        get throws {
            guard let path, path.hasPrefix("/") else {
                throw CommandFailure("\(path ?? ""): name a folder by its whole path, which begins with /")
            }
            return URL(filePath: path, directoryHint: .isDirectory)
        }
    }
}

/// What a player is told.
private struct Answer: Encodable {
    var id: Int?
    var artists: [LibraryArtist]?
    var albums: [LibraryAlbum]?
    var genres: [LibraryGenre]?
    var tracks: [LibraryTrack]?
    var stats: LibraryStatistics?
    var folders: [LibraryFolder]?
    var scan: LibraryScanProgress?
    var changed: LibraryScanReport?
    var problem: String?
    var error: String?
}

/// Scans and watches the folders of the library, and tells the player about it. It begins again when folders are added or removed.
private final class FolderFollower: Sendable {
    private struct State {
        var task: Task<Void, Never>?
        /// The number of the present run. One before it may still wait for a disk; its progress is ignored.
        var number = 0
        /// What was told last of a scan, and when.
        var told: (phase: LibraryScanProgress.Phase, time: ContinuousClock.Instant)?
        /// The problems of the last scan of all folders, and those since then.
        var problems: Set<LibraryProblem> = []
    }

    private static let interval = Duration.milliseconds(250)

    private let library: MediaLibrary
    private let state = Mutex(State())

    init(_ library: MediaLibrary) { self.library = library }

    /// Scans and watches the folders that the library has now.
    func begin() {
        state.withLock { state in
            state.task?.cancel()
            state.number += 1
            state.task = Task { [number = state.number] in await follow(number) }
        }
    }

    func end() { state.withLock { $0.task?.cancel() } }

    private func follow(_ number: Int) async {
        let reader = AudioEnvironment.shared.makeTagReaderService()
        do {
            var isFirst = true
            for try await report in library.updates(with: reader, progress: { self.tell($0, number) }) {
                for problem in newProblems(in: report, isWhole: isFirst) {
                    try Console.json(Answer(problem: "\(problem.path): \(problem.reason)"))
                }
                isFirst = false
                if report.hasChanges { try Console.json(Answer(changed: report)) }
            }
        } catch {
            try? Console.json(Answer(problem: CommandFailure(error).message))
        }
    }

    /// The problems that the person has to be told of: a scan that begins because a folder came or went meets those of the others again.
    ///
    /// - Parameters:
    ///   - report: The report of a scan.
    ///   - isWhole: Whether all folders were scanned at the beginning of a run.
    private func newProblems(in report: LibraryScanReport, isWhole: Bool) -> [LibraryProblem] {
        state.withLock { state in
            defer { state.problems = isWhole ? Set(report.problems) : state.problems.union(report.problems) }
            return isWhole ? report.problems.filter { !state.problems.contains($0) } : report.problems
        }
    }

    private func tell(_ progress: LibraryScanProgress, _ number: Int) {
        // The lock is held meanwhile, so that the lines have the order of the scan.
        state.withLock { state in
            let now = ContinuousClock.now
            if let told = state.told, told.phase == progress.phase, now - told.time < Self.interval { return }
            // Without folders there is only an end.
            guard state.number == number, state.told != nil || progress.phase != .finished else { return }
            state.told = progress.phase == .finished ? nil : (progress.phase, now)
            try? Console.json(Answer(scan: progress))
        }
    }
}
