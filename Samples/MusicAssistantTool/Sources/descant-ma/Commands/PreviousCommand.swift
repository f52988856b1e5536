internal import ArgumentParser
internal import MusicAssistantKit

/// `descant ma previous`.
struct PreviousCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "previous", abstract: "Goes to the previous item.")

    @OptionGroup var options: RemoteOptions

    func run() async throws {
        try await options.perform("previous") { remote, player in
            try await remote.client.previousInQueue(queueId: remote.queue(of: player))
        }
    }
}
