internal import ArgumentParser
internal import MusicAssistantKit

/// `descant ma search`.
struct SearchCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "search", abstract: "Finds artists, albums, tracks, playlists and stations.")

    @Option(help: ArgumentHelp("Only these: artist, album, track, playlist, radio, …", valueName: "kind"))
    var kind: [String] = []

    @Option(help: ArgumentHelp("How many of each kind at most.", valueName: "count"))
    var limit = 10

    @Flag(help: "Print JSON.")
    var json = false

    @Argument(help: "What to look for.")
    var words: [String]

    func run() async throws {
        try await Remote.run { remote in
            let kinds = kind.isEmpty ? nil : kind.map(MediaType.init(rawValue:))
            let found = try await remote.client.search(
                query: words.joined(separator: " "), mediaTypes: kinds, limit: limit)
            if json { return Console.show(found.json) }
            if found.all.isEmpty { Console.show("nothing found") }
            for item in found.all { Console.show(Listing.line(item)) }
        }
    }
}
