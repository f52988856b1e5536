internal import ArgumentParser
internal import MusicAssistantKit

/// `descant ma queue`.
struct QueueCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "queue", abstract: "Lists what a player plays.",
        discussion: "The numbers are those that move and remove take.")

    @OptionGroup var options: RemoteOptions

    @Option(help: ArgumentHelp("How many items at most.", valueName: "count"))
    var limit = 50

    func validate() throws {
        guard limit > 0 else { throw ValidationError("--limit \(limit): use 1 or more") }
    }

    func run() async throws {
        try await Remote.run { remote in
            let player = try await remote.player(options.player)
            guard let queue = try await remote.client.getActiveQueue(playerId: player.playerId) else {
                throw CommandFailure("\(player.name) has no queue; it plays from another source")
            }
            let items = try await remote.client.getQueueItems(queueId: queue.queueId, limit: limit)
            if options.json {
                return Console.show(["queue": queue.json, "items": .array(items.map(\.json))])
            }
            Console.show(Listing.line(queue, position: queue.position()))
            if let order = Listing.order(queue) { Console.show(order) }
            for (index, item) in items.enumerated() {
                let length = item.duration.map { "  \(Listing.time($0))" } ?? ""
                Console.show("\(index == queue.currentIndex ? ">" : " ") \(index + 1)  \(item.name)\(length)")
            }
            let rest = queue.itemCount - items.count
            if rest > 0 { Console.show("  … and \(rest) more: descant ma queue --limit \(queue.itemCount)") }
        }
    }
}
