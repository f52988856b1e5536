internal import ArgumentParser
internal import MusicAssistantKit

/// `descant ma seek`.
struct SeekCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(commandName: "seek", abstract: "Goes to a position.")

    @OptionGroup var options: RemoteOptions

    @Argument(help: "Seconds from the beginning; +N and -N from here, the latter after --.")
    var seconds: String

    func validate() throws {
        guard Int(seconds) != nil else { throw ValidationError("\(seconds): use whole seconds, +N or -N") }
    }

    func run() async throws {
        let number = Int(seconds) ?? 0
        let isStep = seconds.hasPrefix("+") || seconds.hasPrefix("-")
        try await options.perform(isStep ? "moved by \(number) s" : "at \(Listing.time(Double(number)))") {
            remote, player in
            let queue = try await remote.queue(of: player)
            if isStep {
                try await remote.client.skip(queueId: queue, seconds: number)
            } else {
                try await remote.client.seekQueue(queueId: queue, position: number)
            }
        }
    }
}
