internal import ArgumentParser
internal import MusicAssistantKit

/// `descant ma seek`.
struct SeekCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "seek", abstract: "Goes to a position.",
        discussion: """
            descant ma seek 1:30       a minute and a half from the beginning
            descant ma seek +20        twenty seconds on
            descant ma seek -- -20     twenty seconds back
            """)

    @OptionGroup var options: RemoteOptions

    @Argument(help: ArgumentHelp("SECONDS, M:SS or H:MM:SS; with + or - from here.", valueName: "position"))
    var position: Place

    func run() async throws {
        try await options.onQueue { remote, queue in
            switch position {
            case .from(let seconds):
                try await remote.client.seekQueue(queueId: queue, position: seconds)
                return Report(done: "at \(Listing.time(Double(seconds)))", fields: ["position": .int(seconds)])
            case .by(let seconds):
                try await remote.client.skip(queueId: queue, seconds: seconds)
                return Report(done: "moved by \(seconds) s", fields: ["seconds": .int(seconds)])
            }
        }
    }

    /// A position, or a step from the present one, in seconds.
    enum Place: ExpressibleByArgument {
        case from(Int)
        case by(Int)

        init?(argument: String) {
            let sign = argument.first.flatMap { "+-".contains($0) ? $0 : nil }
            let parts = (sign == nil ? argument : String(argument.dropFirst()))
                .split(separator: ":", omittingEmptySubsequences: false)
            let numbers = parts.compactMap { part in part.allSatisfy(\.isASCII) ? UInt32(part) : nil }
            guard numbers.count == parts.count, (1...3).contains(numbers.count) else { return nil }
            // Below the colon there are sixty; alone, any number.
            guard numbers.dropFirst().allSatisfy({ $0 < 60 }), numbers[0] < 1_000_000 else { return nil }
            let seconds = numbers.reduce(0) { $0 * 60 + Int($1) }
            self = sign == nil ? .from(seconds) : .by(sign == "-" ? -seconds : seconds)
        }
    }
}
