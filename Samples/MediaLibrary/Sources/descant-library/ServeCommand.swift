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

              artists                                    {"artists":[…]}
              albums      artist                         {"albums":[…]}
              genres                                     {"genres":[…]}
              tracks      artist, album, genre, limit    {"tracks":[…]}
              search      text, limit                    {"tracks":[…]}
              stats                                      {"stats":{…}}
              played      path                           {}

            Lines without an id are news: {"changed":{…}} after a scan that has changed something, {"problem":"…"} when something \
            is wrong. Folders are scanned at the beginning and watched afterwards.
            """)

    @OptionGroup var options: LibraryOptions

    func run() async throws {
        let library = try options.open()
        if let notice = library.openingNotice { try Console.json(Answer(problem: notice)) }
        let watching = Task { await watch(library) }
        // Lines are read on a thread of their own: the standard input blocks.
        let (requests, feed) = AsyncStream.makeStream(of: String.self)
        Thread.detachNewThread {
            while let line = readLine() { feed.yield(line) }
            feed.finish()
        }
        await withTaskGroup(of: Void.self) { group in
            for await line in requests { group.addTask { await answer(line, library) } }
        }
        watching.cancel()
    }

    private func watch(_ library: MediaLibrary) async {
        do {
            for try await report in library.updates(with: AudioEnvironment.shared.makeTagReaderService()) {
                for problem in report.problems {
                    try Console.json(Answer(problem: "\(problem.path): \(problem.reason)"))
                }
                if report.hasChanges { try Console.json(Answer(changed: report)) }
            }
        } catch {
            try? Console.json(Answer(problem: CommandFailure(error).message))
        }
    }

    private func answer(_ line: String, _ library: MediaLibrary) async {
        var reply: Answer
        do {
            let request = try JSONDecoder().decode(Request.self, from: Data(line.utf8))
            do {
                reply = try await self.reply(to: request, library)
            } catch {
                reply = Answer(error: CommandFailure(error).message)
            }
            reply.id = request.id
        } catch {
            reply = Answer(problem: "a request cannot be read: \(line.prefix(200))")
        }
        try? Console.json(reply)
    }

    private func reply(to request: Request, _ library: MediaLibrary) async throws -> Answer {
        switch request.ask {
        case "artists": return Answer(artists: try await library.artists())
        case "albums": return Answer(albums: try await library.albums(by: request.artist))
        case "genres": return Answer(genres: try await library.genres())
        case "tracks":
            var query = LibraryQuery()
            (query.artist, query.album, query.genre) = (request.artist, request.album, request.genre)
            query.limit = request.limit
            return Answer(tracks: try await library.tracks(query))
        case "search": return Answer(tracks: try await library.search(request.text ?? "", limit: request.limit ?? 200))
        case "stats": return Answer(stats: try await library.statistics())
        case "played":
            if let path = request.path {
                try await library.notePlayed(URL(filePath: path, directoryHint: .notDirectory))
            }
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
}

/// What a player is told.
private struct Answer: Encodable {
    var id: Int?
    var artists: [LibraryArtist]?
    var albums: [LibraryAlbum]?
    var genres: [LibraryGenre]?
    var tracks: [LibraryTrack]?
    var stats: LibraryStatistics?
    var changed: LibraryScanReport?
    var problem: String?
    var error: String?
}
