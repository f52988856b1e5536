internal import ArgumentParser
internal import MusicAssistantKit

/// `descant ma queue`.
struct QueueCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "queue", abstract: "Lists what a player plays.",
        discussion: "The numbers are those that move and remove take.")

    @OptionGroup var options: RemoteOptions

    @Option(help: ArgumentHelp("How many items at most. (default: 50; all with --json)", valueName: "count"))
    var limit: Int?

    func validate() throws { try Listing.check(limit: limit) }

    func run() async throws {
        try await Remote.run { remote in
            let player = try await remote.player(options.player)
            guard let queue = try await remote.client.getActiveQueue(playerId: player.playerId) else {
                throw CommandFailure("\(player.name) has no queue; it plays from another source")
            }
            let limit = Listing.limit(limit, json: options.json)
            let items = try await remote.items(of: queue.queueId, limit: limit)
            if options.json {
                return Console.show(["queue": queue.json, "items": .array(items.map(\.json))])
            }
            Console.show(Listing.line(queue, position: queue.position(at: remote.client.serverDate)))
            if let order = Listing.order(queue) { Console.show(order) }
            for (index, item) in items.enumerated() {
                let length = item.duration.map { "  \(Listing.time($0))" } ?? ""
                Console.show("\(index == queue.currentIndex ? ">" : " ") \(index + 1)  \(item.name)\(length)")
            }
            let rest = queue.itemCount - items.count
            if rest > 0 { Console.write("… and \(rest) more: descant ma queue --limit \(queue.itemCount)") }
        }
    }
}

/// `descant ma shuffle`.
struct ShuffleCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "shuffle", abstract: "Tells or sets whether the queue is in random order.")

    @OptionGroup var options: RemoteOptions

    @Argument(help: "on or off. (default: tell it)")
    var state: Switch?

    func run() async throws {
        try await options.onQueue { remote, queue in
            if let state { try await remote.client.shuffle(queueId: queue, enabled: state == .on) }
            let isOn = try await remote.client.getQueue(queueId: queue)?.isShuffled ?? false
            return CommandResult(done: isOn ? "shuffled" : "in order", fields: ["shuffled": .bool(isOn)])
        }
    }
}

/// `descant ma repeat`.
struct RepeatCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "repeat", abstract: "Tells or sets what comes after the end of an item or of the queue.")

    enum Mode: String, ExpressibleByArgument, CaseIterable {
        case off, one, all
    }

    @OptionGroup var options: RemoteOptions

    @Argument(help: "off, one for the present item, or all for the queue. (default: tell it)")
    var mode: Mode?

    func run() async throws {
        try await options.onQueue { remote, queue in
            if let mode {
                try await remote.client.setRepeat(
                    queueId: queue, mode: MusicAssistantRepeatMode(rawValue: mode.rawValue))
            }
            let now = try await remote.client.getQueue(queueId: queue)?.repeatMode ?? .off
            let text = now == .off ? "repeats nothing" : "repeats \(now.rawValue)"
            return CommandResult(done: text, fields: ["repeat": .string(now.rawValue)])
        }
    }
}

/// `descant ma clear`.
struct ClearCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(commandName: "clear", abstract: "Empties the queue and stops.")

    @OptionGroup var options: RemoteOptions

    func run() async throws {
        try await options.onQueue { remote, queue in
            try await remote.client.clearQueue(queueId: queue)
            return CommandResult(done: "nothing in the queue")
        }
    }
}

/// `descant ma move`.
struct MoveCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "move", abstract: "Moves an item of the queue.",
        discussion: """
            descant ma move 7 3        the seventh becomes the third
            descant ma move 7 next     it comes after the present one
            descant ma move 2 end      it comes last
            """)

    @OptionGroup var options: RemoteOptions

    @Argument(help: "The item's number, as queue lists it.")
    var item: Int

    @Argument(help: ArgumentHelp("The number that it gets, without + or -; next or end.", valueName: "place"))
    var place: String

    func validate() throws {
        guard item > 0 else { throw ValidationError("\(item): items count from 1") }
        guard place == "next" || place == "end" || number.map({ $0 > 0 }) == true else {
            throw ValidationError("\(place): use a number from 1 without a sign, next or end")
        }
    }

    private var number: Int? { Int(digits: place) }

    func run() async throws {
        try await options.onQueue { remote, queue in
            let client = remote.client
            let moved = try await remote.items(of: queue, numbered: [item] + (number.map { [$0] } ?? []))[0]
            switch place {
            case "next": try await client.moveItem(queueId: queue, queueItemId: moved.queueItemId, by: 0)
            case "end": try await client.moveItemToEnd(queueId: queue, queueItemId: moved.queueItemId)
            default:
                let shift = (number ?? item) - item
                // For the server, 0 means the next item.
                guard shift != 0 else { break }
                try await client.moveItem(queueId: queue, queueItemId: moved.queueItemId, by: shift)
                // A server ignores moves of items that it has played or buffered.
                let now = try await remote.items(of: queue).firstIndex { $0.queueItemId == moved.queueItemId }
                guard now == item + shift - 1 else {
                    throw CommandFailure(
                        "the server has not moved \(moved.name) to \(place); it may be playing already")
                }
            }
            let to = number.map { "to \($0)" } ?? (place == "end" ? "to the end" : "behind the present one")
            return CommandResult(done: "moved \(moved.name) \(to)", fields: ["item": moved.json])
        }
    }
}

/// `descant ma remove`.
struct RemoveCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "remove", abstract: "Takes items out of the queue.")

    @OptionGroup var options: RemoteOptions

    @Argument(help: ArgumentHelp("Their numbers, as queue lists them.", valueName: "item"))
    var items: [Int]

    func validate() throws {
        guard items.allSatisfy({ $0 > 0 }) else { throw ValidationError("items count from 1") }
    }

    func run() async throws {
        try await options.onQueue { remote, queue in
            // Items are removed by identifier, because indices change after each removal.
            let removed = try await remote.items(of: queue, numbered: Set(items).sorted())
            for item in removed { try await remote.client.deleteItem(queueId: queue, queueItemId: item.queueItemId) }
            // A server ignores the removal of played and buffered items.
            let present = Set(try await remote.items(of: queue).map(\.queueItemId))
            let kept = removed.filter { present.contains($0.queueItemId) }.map(\.name)
            guard kept.isEmpty else {
                throw CommandFailure("the server keeps \(kept.joined(separator: ", ")); it may be playing already")
            }
            return CommandResult(
                done: "removed \(removed.map(\.name).joined(separator: ", "))",
                fields: ["items": .array(removed.map(\.json))])
        }
    }
}

/// `descant ma transfer`.
struct TransferCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "transfer", abstract: "Lets another player go on with the queue, where this one is.",
        discussion: "Later commands without --on mean the other player.")

    @OptionGroup var options: RemoteOptions

    @Argument(help: "The player that goes on, by name or identifier.")
    var target: String

    func run() async throws {
        try await options.report { remote, player in
            let other = try remote.choose(target, of: try await remote.client.getPlayers())
            guard other.isAvailable else { throw CommandFailure("\(other.name) cannot be reached; is it switched on?") }
            try await remote.client.transferQueue(
                sourceQueueId: remote.queue(of: player), targetQueueId: remote.queue(of: other))
            try remote.remember(other, isNamed: true)
            return CommandResult(done: "goes on at \(other.name)", fields: ["target": .string(other.playerId)])
        }
    }
}

extension Remote {
    /// The items of a queue.
    ///
    /// - Parameters:
    ///   - queue: The queue.
    ///   - limit: The maximum number of items.
    func items(of queue: String, limit: Int = .max) async throws -> [QueueItem] {
        try await client.getQueueItems(queueId: queue, limit: min(limit, 100_000))
    }

    /// The items of a queue by the numbers that people see.
    func items(of queue: String, numbered numbers: [Int]) async throws -> [QueueItem] {
        let all = try await client.getQueueItems(queueId: queue, limit: numbers.max() ?? 0)
        return try numbers.map { number in
            guard all.indices.contains(number - 1) else {
                throw CommandFailure(status: 66, "the queue has no item \(number); see: descant ma queue")
            }
            return all[number - 1]
        }
    }
}
