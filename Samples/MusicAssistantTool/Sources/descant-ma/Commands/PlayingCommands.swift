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
            try remote.remember(player, isNamed: options.player != nil)
        }
    }
}

/// `descant ma pause`.
struct PauseCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "pause", abstract: "Pauses; a player that cannot pause stops and remembers the position.")

    @OptionGroup var options: RemoteOptions

    func run() async throws {
        try await options.perform("paused") { remote, player in
            try await remote.client.pause(playerId: player.playerId)
        }
    }
}

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

/// `descant ma stop`.
struct StopCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "stop", abstract: "Stops.")

    @OptionGroup var options: RemoteOptions

    func run() async throws {
        try await options.perform("stopped") { remote, player in
            try await remote.client.stop(playerId: player.playerId)
        }
    }
}

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
                return CommandResult(done: "at \(Listing.time(Double(seconds)))", fields: ["position": .int(seconds)])
            case .by(let seconds):
                try await remote.client.skip(queueId: queue, seconds: seconds)
                return CommandResult(done: "moved by \(seconds) s", fields: ["seconds": .int(seconds)])
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
            // After a colon seconds are 0…59; without one any number is allowed.
            guard numbers.dropFirst().allSatisfy({ $0 < 60 }), numbers[0] < 1_000_000 else { return nil }
            let seconds = numbers.reduce(0) { $0 * 60 + Int($1) }
            self = sign == nil ? .from(seconds) : .by(sign == "-" ? -seconds : seconds)
        }
    }
}
