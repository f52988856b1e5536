internal import ArgumentParser
internal import MusicAssistantKit

/// `descant ma raw`.
struct RawCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "raw", abstract: "Sends any command and prints its result as JSON.",
        discussion: "descant ma raw players/get '{\"player_id\":\"kitchen\"}'")

    @Argument(help: "The command, such as players/all.")
    var command: String

    @Argument(help: "Its arguments, a JSON object.")
    var arguments = "{}"

    func validate() throws {
        guard (try? JSONValue(parsing: arguments))?.objectValue != nil else {
            throw ValidationError(
                "\(arguments): the arguments are a JSON object, such as '{\"player_id\":\"kitchen\"}'")
        }
    }

    func run() async throws {
        let members = try JSONValue(parsing: arguments).objectValue ?? [:]
        try await Remote.run { remote in Console.show(try await remote.client.send(command, members)) }
    }
}
