internal import ArgumentParser
internal import MusicAssistantKit

/// `descant ma resume`.
struct ResumeCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "resume", abstract: "Goes on playing.")

    @OptionGroup var options: RemoteOptions

    func run() async throws {
        try await options.perform("plays") { remote, player in
            try await remote.client.resumeQueue(queueId: remote.queue(of: player))
        }
    }
}
