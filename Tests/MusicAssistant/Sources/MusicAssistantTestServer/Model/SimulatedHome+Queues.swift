extension SimulatedHome {
    /// The commands about queues.
    static let queueActions: [String: Action] = [
        "player_queues/all": { home, _ in .result(.array(home.queues.map(home.json))) },
        "player_queues/get": { home, arguments in
            let id = try arguments.string("queue_id")
            return .result(home.queues.first { $0.id == id }.map(home.json) ?? .null)
        },
        "player_queues/get_active_queue": { home, arguments in
            .result(home.activeQueue(of: try arguments.string("player_id")).map(home.json) ?? .null)
        },
        "player_queues/items": { home, arguments in
            let queue = try home.queue(arguments)
            let offset = max(0, try arguments.optionalInt("offset") ?? 0)
            let limit = max(0, try arguments.optionalInt("limit") ?? 500)
            return .result(.array(queue.entries.dropFirst(offset).prefix(limit).map { home.json($0, of: queue) }))
        },
        "player_queues/play_media": { home, arguments in
            try home.playMedia(arguments)
            return .result(.null)
        },
        "player_queues/play": { try onQueue(&$0, $1) { $0.resume(&$1) } },
        "player_queues/resume": {
            try onQueue(&$0, $1) { home, queue in
                guard !queue.entries.isEmpty else {
                    let name = home.player(queue.id)?.name ?? queue.id
                    throw ServerError(8, "Resume queue requested but queue \(name) is empty")
                }
                home.resume(&queue)
            }
        },
        "player_queues/pause": { try onQueue(&$0, $1) { $0.pause(&$1) } },
        "player_queues/stop": { try onQueue(&$0, $1) { $0.stop(&$1) } },
        "player_queues/play_pause": { try onQueue(&$0, $1) { $0.toggle(&$1) } },
        "player_queues/next": { try onQueue(&$0, $1) { $0.move(&$1, by: 1) } },
        "player_queues/previous": { try onQueue(&$0, $1) { $0.move(&$1, by: -1) } },
        "player_queues/seek": { home, arguments in
            let position = try arguments.int("position")
            return try onQueue(&home, arguments) { home, queue in
                try home.seek(&queue, to: position)
            }
        },
        "player_queues/skip": { home, arguments in
            let seconds = try arguments.optionalInt("seconds") ?? 10
            return try onQueue(&home, arguments) { home, queue in
                try home.seek(&queue, to: Int(queue.position(at: home.now)) + seconds)
            }
        },
        "player_queues/clear": {
            try onQueue(&$0, $1) { home, queue in
                queue.entries = []
                queue.index = nil
                queue.state = .idle
                queue.note(0, at: home.now)
                home.events.append(home.queueItemsUpdated(queue))
            }
        },
        "player_queues/shuffle": { home, arguments in
            let isShuffled = try arguments.bool("shuffle_enabled")
            return try onQueue(&home, arguments) { $0.shuffle(&$1, isShuffled) }
        },
        "player_queues/repeat": { home, arguments in
            let mode = try arguments.string("repeat_mode")
            guard ["off", "one", "all"].contains(mode) else {
                throw CommandArguments.wrong(.string(mode), "repeat_mode", "RepeatMode")
            }
            return try onQueue(&home, arguments) { $1.repeatMode = mode }
        },
        "player_queues/dont_stop_the_music": { home, arguments in
            let keepsPlaying = try arguments.bool("dont_stop_the_music_enabled")
            return try onQueue(&home, arguments) { $1.keepsPlaying = keepsPlaying }
        },
        "player_queues/set_playback_speed": { home, arguments in
            let speed = try arguments.double("speed")
            return try onQueue(&home, arguments) { home, queue in
                queue.note(queue.position(at: home.now), at: home.now)
                queue.speed = speed
            }
        },
        "player_queues/play_index": { home, arguments in
            let position = try arguments.optionalInt("seek_position") ?? 0
            return try onQueue(&home, arguments) { home, queue in
                home.start(&queue, at: try queue.place("index", arguments), position: Double(position))
            }
        },
        "player_queues/move_item": { home, arguments in
            let shift = try arguments.optionalInt("pos_shift") ?? 1
            return try onQueue(&home, arguments) { home, queue in
                let from = try queue.place("queue_item_id", arguments)
                queue.move(from: from, to: shift == 0 ? (queue.index ?? -1) + 1 : from + shift)
                home.events.append(home.queueItemsUpdated(queue))
            }
        },
        "player_queues/move_item_end": { home, arguments in
            try onQueue(&home, arguments) { home, queue in
                queue.move(from: try queue.place("queue_item_id", arguments), to: queue.entries.count)
                home.events.append(home.queueItemsUpdated(queue))
            }
        },
        "player_queues/delete_item": { home, arguments in
            try onQueue(&home, arguments) { home, queue in
                queue.remove(at: try queue.place("item_id_or_index", arguments))
                home.events.append(home.queueItemsUpdated(queue))
            }
        },
        "player_queues/transfer": { home, arguments in
            try home.transfer(from: arguments.string("source_queue_id"), to: arguments.string("target_queue_id"))
            return .result(.null)
        },
        "player_queues/save_as_playlist": { home, arguments in
            let tracks = try home.queue(arguments).entries.map(\.item.id)
            return .result(home.addPlaylist(named: try arguments.string("name"), tracks: tracks))
        },
    ]

    private func queue(_ arguments: CommandArguments) throws -> SimulatedQueue {
        let id = try arguments.string("queue_id")
        guard let queue = queues.first(where: { $0.id == id }) else { throw ServerError.notAvailable(queue: id) }
        return queue
    }

    private static func onQueue(
        _ home: inout SimulatedHome, _ arguments: CommandArguments,
        _ body: (inout SimulatedHome, inout SimulatedQueue) throws -> Void
    ) throws -> CommandReply {
        try home.change(queue: arguments.string("queue_id"), body)
        return .result(.null)
    }

    // MARK: Filling

    private mutating func playMedia(_ arguments: CommandArguments) throws {
        let id = try queue(arguments).id
        guard player(id)?.isAvailable == true else { throw ServerError.notAvailable(player: id) }
        let option = try arguments.optionalString("option") ?? "play"
        guard ["play", "replace", "next", "replace_next", "add"].contains(option) else {
            throw CommandArguments.wrong(.string(option), "option", "QueueOption")
        }
        let entries = try newEntries(for: try arguments.strings("media"))
        guard !entries.isEmpty else { throw ServerError.mediaNotFound("No playable items found") }
        try change(queue: id) { home, queue in
            home.insert(entries, into: &queue, option)
            home.events.append(home.queueItemsUpdated(queue))
            home.events.append(home.queueUpdated(queue))
        }
    }

    private mutating func newEntries(for uris: [String]) throws -> [QueueEntry] {
        var entries: [QueueEntry] = []
        for uri in uris {
            for track in try tracks(for: uri) {
                let artist = track.artist.flatMap { library.item(.artist, $0)?.name }
                let name = artist.map { "\($0) - \(track.name)" } ?? track.name
                entries.append(QueueEntry(id: newEntryID(), item: track, name: name))
            }
        }
        return entries
    }

    /// The tracks of an address; a web address is one track of unknown length.
    private func tracks(for uri: String) throws -> [SimulatedItem] {
        guard uri.hasPrefix("http://") || uri.hasPrefix("https://") else {
            return library.tracks(of: try library.item(uri: uri))
        }
        return [SimulatedItem(.radio, uri, uri)]
    }

    private mutating func insert(_ entries: [QueueEntry], into queue: inout SimulatedQueue, _ option: String) {
        let following = queue.index.map { $0 + 1 } ?? 0
        switch option {
        case "replace":
            queue.entries = entries
            start(&queue, at: 0)
        case "add": queue.entries.append(contentsOf: entries)
        case "next": queue.entries.insert(contentsOf: entries, at: following)
        case "replace_next":
            queue.entries.removeSubrange(following...)
            queue.entries.append(contentsOf: entries)
        default:
            queue.entries.insert(contentsOf: entries, at: following)
            start(&queue, at: following)
        }
        if queue.index == nil { queue.index = 0 }
    }

    private mutating func transfer(from source: String, to target: String) throws {
        guard let origin = queues.first(where: { $0.id == source }) else {
            throw ServerError.notAvailable(queue: source)
        }
        try change(queue: target) { home, queue in
            queue.entries = origin.entries
            queue.index = origin.index
            queue.state = origin.state
            queue.note(origin.position(at: home.now), at: home.now)
        }
        try change(queue: source) { home, queue in
            queue = SimulatedQueue(id: source)
            home.events.append(home.queueItemsUpdated(queue))
        }
    }

    private mutating func shuffle(_ queue: inout SimulatedQueue, _ isShuffled: Bool) {
        queue.isShuffled = isShuffled
        let following = queue.index.map { $0 + 1 } ?? 0
        let rest = queue.entries[following...]
        // The order is always the same, so that tests can expect it.
        queue.entries[following...] = ArraySlice(isShuffled ? rest.reversed() : rest.sorted { $0.id < $1.id })
        events.append(queueItemsUpdated(queue))
    }
}

extension SimulatedQueue {
    /// The index in an argument, which is a number or an item's identifier.
    fileprivate func place(_ name: String, _ arguments: CommandArguments) throws -> Int {
        let index: Int?
        if case .string(let id)? = arguments.values[name] {
            index = entries.firstIndex { $0.id == id }
        } else {
            index = try arguments.int(name)
        }
        guard let index, entries.indices.contains(index) else {
            throw ServerError(12, "Queue \(id) has no such item")
        }
        return index
    }

    fileprivate mutating func move(from: Int, to: Int) {
        let playing = current?.id
        let entry = entries.remove(at: from)
        entries.insert(entry, at: min(max(to, 0), entries.count))
        index = entries.firstIndex { $0.id == playing } ?? index
    }

    fileprivate mutating func remove(at place: Int) {
        entries.remove(at: place)
        guard let index else { return }
        if place < index { self.index = index - 1 }
        if index >= entries.count { self.index = entries.isEmpty ? nil : entries.count - 1 }
    }
}
