/// Playback, and the ends of tracks.
extension SimulatedHome {
    /// Changes a queue and sends the events.
    mutating func change(
        queue id: String, _ body: (inout SimulatedHome, inout SimulatedQueue) throws -> Void
    ) throws {
        guard let index = queues.firstIndex(where: { $0.id == id }) else { throw ServerError.notAvailable(queue: id) }
        var queue = queues[index]
        let before = queue
        try body(&self, &queue)
        queues[index] = queue
        events.append(queueUpdated(queue))
        if queue.state == .playing || queue.playerView != before.playerView { tellPlayers(of: id) }
    }

    /// Sends the events of the players of a queue.
    private mutating func tellPlayers(of queue: String) {
        for player in players where player.id == queue || player.leader == queue {
            events.append(playerUpdated(player.id))
        }
    }

    mutating func start(_ queue: inout SimulatedQueue, at index: Int, position: Double = 0) {
        queue.index = index
        queue.state = .playing
        queue.note(position, at: now)
    }

    func resume(_ queue: inout SimulatedQueue) {
        guard queue.state != .playing, queue.current != nil else { return }
        queue.state = .playing
        queue.note(queue.elapsed, at: now)
    }

    func pause(_ queue: inout SimulatedQueue) {
        guard queue.state == .playing else { return }
        queue.note(queue.position(at: now), at: now)
        queue.state = player(queue.id)?.pauses == true ? .paused : .idle
    }

    func stop(_ queue: inout SimulatedQueue) {
        guard queue.state != .idle else { return }
        queue.note(queue.position(at: now), at: now)
        queue.state = .idle
    }

    func toggle(_ queue: inout SimulatedQueue) {
        if queue.state == .playing { pause(&queue) } else { resume(&queue) }
    }

    mutating func move(_ queue: inout SimulatedQueue, by step: Int) {
        guard let index = queue.index, !queue.entries.isEmpty else { return }
        start(&queue, at: min(max(index + step, 0), queue.entries.count - 1))
    }

    mutating func seek(_ queue: inout SimulatedQueue, to position: Int) throws {
        guard let current = queue.current else {
            throw ServerError(12, "Queue \(player(queue.id)?.name ?? queue.id) has no item(s) loaded.")
        }
        let limit = current.item.duration > 0 ? current.item.duration : Int.max
        queue.note(Double(min(max(0, position), limit)), at: now)
        queue.state = .playing
        events.append(ServerEvent("queue_time_updated", objectID: queue.id, data: .int(Int(queue.elapsed))))
    }

    /// Handles the ends of tracks since the last command.
    mutating func advance() {
        for index in queues.indices {
            while let end = queues[index].end, end <= now { finishEntry(ofQueue: index, at: end) }
        }
    }

    private mutating func finishEntry(ofQueue index: Int, at end: Double) {
        var queue = queues[index]
        guard let current = queue.current, let position = queue.index else { return }
        events.append(played(current))
        let following = queue.repeatMode == "one" ? position : position + 1
        if queue.entries.indices.contains(following) || queue.repeatMode == "all" {
            queue.index = queue.entries.indices.contains(following) ? following : 0
            queue.note(0, at: end)
        } else {
            queue.note(Double(current.item.duration), at: end)
            queue.state = .idle
        }
        queues[index] = queue
        events.append(queueUpdated(queue))
        tellPlayers(of: queue.id)
    }

    private func played(_ entry: QueueEntry) -> ServerEvent {
        ServerEvent(
            "media_item_played", objectID: entry.item.uri,
            data: [
                "uri": .string(entry.item.uri), "media_type": .string(entry.item.kind.rawValue),
                "name": .string(entry.item.name), "duration": .int(entry.item.duration),
                "seconds_played": .int(entry.item.duration), "fully_played": true, "is_playing": false,
            ])
    }
}
