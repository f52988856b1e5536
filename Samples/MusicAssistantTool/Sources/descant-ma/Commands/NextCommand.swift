internal import ArgumentParser
internal import MusicAssistantKit

/// `descant ma next`.
struct NextCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "next", abstract: "Goes to the next item.")

    @OptionGroup var options: RemoteOptions

    func run() async throws {
        try await options.perform("next") { remote, player in
            try await remote.client.nextInQueue(queueId: remote.queue(of: player))
        }
    }
}
