internal import ArgumentParser
internal import MusicAssistantKit

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
            if json { return Console.show(.array(items.map(\.json))) }
            if items.isEmpty { Console.show("nothing here") }
            for item in items { Console.show(Listing.line(item)) }
        }
    }
}
