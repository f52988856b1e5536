internal import ArgumentParser
internal import MusicAssistantKit

/// `descant ma play`.
struct PlayCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "play", abstract: "Plays items of the library or URLs on a player.",
        discussion: "The player is remembered: later commands without --on mean it.")

    @OptionGroup var options: RemoteOptions

    @Option(help: ArgumentHelp("play, replace, next, replace_next or add.", valueName: "way"))
    var option = "play"

    @Argument(help: ArgumentHelp("Such as library://album/7, as search and browse list them.", valueName: "uri"))
    var uris: [String]

    func validate() throws {
        guard ["play", "replace", "next", "replace_next", "add"].contains(option) else {
            throw ValidationError("--option \(option): use play, replace, next, replace_next or add")
        }
    }

    func run() async throws {
        try await options.perform(option == "play" || option == "replace" ? "plays" : "queued") { remote, player in
            let queue = try await remote.queue(of: player)
            try await remote.client.playMedia(queueId: queue, uris: uris, option: EnqueueOption(rawValue: option))
            try remote.remember(player)
        }
    }
}
