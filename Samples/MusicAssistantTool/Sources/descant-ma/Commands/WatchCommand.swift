internal import ArgumentParser
internal import Foundation
internal import MusicAssistantKit

/// `descant ma watch`.
struct WatchCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "watch", abstract: "Shows what the players do, until Ctrl-C.",
        discussion:
            "On a terminal the list is kept current in place; elsewhere, and with --json, each change is a line.")

    @Flag(help: "Print each event as a line of JSON.")
    var json = false

    @Option(help: ArgumentHelp("End after so many changes.", valueName: "count"))
    var count: Int?

    func run() async throws {
        try await Remote.run { remote in
            if json {
                try await show(remote.events)
            } else {
                try await view(remote.client)
            }
        }
    }

    private func show(_ events: MusicAssistantEventStream<MusicAssistantEvent>) async throws {
        var left = count ?? .max
        for await event in events where left > 0 {
            Console.show([
                "event": .string(event.event.rawValue), "object_id": event.objectId.map { .string($0) } ?? .null,
                "data": event.data,
            ])
            left -= 1
            if left == 0 { return }
        }
        throw CommandFailure("the server has ended the connection")
    }

    private func view(_ client: MusicAssistantClient) async throws {
        var left = count ?? .max
        var shown: [String] = []
        for await snapshot in client.queues.snapshots {
            let lines = snapshot.sorted.map { queue in
                Listing.line(queue, position: client.position(queueId: queue.queueId) ?? queue.position())
            }
            guard lines != shown else { continue }
            draw(lines, over: shown)
            shown = lines
            left -= 1
            if left == 0 { return }
        }
        throw CommandFailure("the server has ended the connection")
    }

    /// Draws over the old lines on a terminal; elsewhere, only what changed.
    private func draw(_ lines: [String], over old: [String]) {
        guard Console.isTerminal else {
            for line in lines where !old.contains(line) { Console.show(line) }
            return
        }
        let up = old.isEmpty ? "" : "\u{1b}[\(old.count)A"
        let erased = lines.map { $0 + "\u{1b}[K" }.joined(separator: "\n")
        Console.draw(up + erased + "\u{1b}[J\n")
    }
}
