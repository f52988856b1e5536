internal import ArgumentParser
internal import Foundation
internal import MusicAssistantKit

/// `descant ma watch`.
struct WatchCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "watch", abstract: "Shows what the players do, until Ctrl-C.",
        discussion: """
            On a terminal the list is kept current in place and positions run on; elsewhere each change is a line. When the \
            server is restarted, the list goes on as soon as it is back.

            With --json, each event of the server is a line; what happens to the connection is a line with the event \
            "connection". When the lines are not read fast enough, the oldest events are left out; a line with the \
            event "missed" and their number as its data stands in their place.
            """)

    @Flag(help: "Print each event as a line of JSON.")
    var json = false

    @Option(help: ArgumentHelp("End after so many changes.", valueName: "count"))
    var count: Int?

    func validate() throws {
        if let count, count < 1 { throw ValidationError("--count \(count): use 1 or more") }
    }

    func run() async throws {
        // A server at home restarts within seconds, so the delays stay short.
        let reconnect = ReconnectPolicy(delays: [0.5, 1, 2, 4, 5])
        try await Remote.run(reconnect: reconnect) { remote in
            let (client, events) = (remote.client, remote.events)
            try await withThrowingTaskGroup(of: Void.self) { group in
                group.addTask { try await follow(client) }
                group.addTask { json ? await show(events) : await view(client) }
                defer { group.cancelAll() }
                try await group.next()
            }
        }
    }

    /// Reports changes of the connection; throws when it has ended for good.
    private func follow(_ client: MusicAssistantClient) async throws {
        var isLost = false
        for await state in client.connectionStates {
            switch state {
            case .reconnecting where !isLost:
                isLost = true
                tell("lost", "the connection to the server was lost; waiting for it")
            case .connected where isLost:
                isLost = false
                tell("back", "the server is back")
            case .failed(let error): throw error
            default: break
            }
        }
        throw CommandFailure("the connection has ended")
    }

    private func tell(_ word: String, _ sentence: String) {
        if json { return Console.show(["event": "connection", "object_id": .null, "data": .string(word)]) }
        if !Console.isTerminal { Console.write("descant ma: \(sentence)") }
    }

    private func show(_ events: MusicAssistantEventStream<MusicAssistantEvent>) async {
        var left = count ?? .max
        for await event in events where left > 0 {
            if event.missed > 0 {
                Console.show(["event": "missed", "object_id": .null, "data": .int(event.missed)])
            }
            Console.show([
                "event": .string(event.event.rawValue), "object_id": event.objectId.map { .string($0) } ?? .null,
                "data": event.data,
            ])
            left -= 1
            if left == 0 { return }
        }
        await forever()
    }

    // MARK: The list

    private func view(_ client: MusicAssistantClient) async {
        var left = count ?? .max
        var shown: [Row] = []
        for await _ in ticks(client) {
            let rows = rows(client)
            // Nothing is shown before both lists are complete.
            guard !rows.isEmpty, !shown.isEmpty || isCurrent(client) else { continue }
            guard Console.isTerminal ? rows != shown : rows.map(\.fixed) != shown.map(\.fixed) else {
                continue
            }
            draw(rows, over: shown)
            shown = rows
            left -= 1
            if left == 0 { return }
        }
        await forever()
    }

    /// The times to draw: each change of a player or queue, and on a terminal each second.
    private func ticks(_ client: MusicAssistantClient) -> AsyncStream<Void> {
        let (stream, feed) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
        let (players, queues) = (client.players.snapshots, client.queues.snapshots)
        let isTerminal = Console.isTerminal
        let sources = [
            Task { for await _ in players { feed.yield() } },
            Task { for await _ in queues { feed.yield() } },
            Task { while isTerminal, (try? await Task.sleep(for: .seconds(1))) != nil { feed.yield() } },
        ]
        feed.onTermination = { _ in for source in sources { source.cancel() } }
        return stream
    }

    /// A player's line, without and with the position, which changes all the time.
    private struct Row: Equatable {
        let fixed: String
        let whole: String
    }

    private func rows(_ client: MusicAssistantClient) -> [Row] {
        let (players, queues) = (client.players.snapshot, client.queues.snapshot)
        let isCurrent = players.isCurrent && queues.isCurrent
        return players.sorted.filter(\.isEnabled).map { player in
            let fixed =
                isCurrent ? player.state(in: players.sorted, queues.values[player.playerId]) : "waiting for the server"
            var whole = fixed
            let queue = queues.values[player.activeSource ?? ""] ?? queues.values[player.playerId]
            if isCurrent, player.isAvailable, let queue, let item = queue.currentItem, queue.state != .idle {
                let position = queue.position(at: client.serverDate)
                let length = item.duration.map { " / \(Listing.time($0))" } ?? ""
                whole += "  \(Listing.time(position))\(length)"
            }
            let name = Listing.label(player, among: players.sorted)
            return Row(fixed: "\(name): \(fixed)", whole: "\(name): \(whole)")
        }
    }

    private func isCurrent(_ client: MusicAssistantClient) -> Bool {
        client.players.snapshot.isCurrent && client.queues.snapshot.isCurrent
    }

    /// Draws over the old lines on a terminal; elsewhere, only what changed.
    private func draw(_ rows: [Row], over old: [Row]) {
        guard Console.isTerminal else {
            let known = Set(old.map(\.fixed))
            for row in rows where !known.contains(row.fixed) { Console.show(row.whole) }
            return
        }
        let up = old.isEmpty ? "" : "\u{1b}[\(old.count)A"
        let width = Console.width
        // A line that is too long would take two rows, and the next drawing would begin in the wrong row.
        let lines = rows.map { DisplayWidth.clip(DisplayWidth.printable($0.whole), to: width) }
        let erased = lines.map { $0 + "\u{1b}[K" }.joined(separator: "\n")
        Console.draw(up + erased + "\u{1b}[J\n")
    }

    /// Waits until the task is cancelled; ``follow(_:)`` reports the end of the connection.
    private func forever() async {
        while (try? await Task.sleep(for: .seconds(3600))) != nil {}
    }
}

extension MusicAssistantPlayer {
    /// The state, the volume and the present item.
    fileprivate func state(in players: [MusicAssistantPlayer], _ queue: PlayerQueue?) -> String {
        guard isAvailable else { return "cannot be reached" }
        var parts = [state.rawValue]
        if let volume = Listing.volume(self) { parts.append(volume) }
        if isPowered == false { parts.append("off") }
        if let leader = players.first(where: { $0.playerId == syncedTo }) {
            parts.append("plays along with \(leader.name)")
        } else if let item = queue?.currentItem, state != .idle {
            parts.append(item.name)
        }
        return parts.joined(separator: ", ")
    }
}
