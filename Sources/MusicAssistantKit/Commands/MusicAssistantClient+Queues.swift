/// Queues.
extension MusicAssistantClient {
    /// Lists the queues.
    ///
    /// - Returns: The queues.
    /// - Throws: ``MusicAssistantError``; `CancellationError` when the calling task is cancelled.
    public nonisolated func getQueues() async throws -> [PlayerQueue] {
        PlayerQueue.list(try await call("player_queues/all"))
    }

    /// Gets one queue.
    ///
    /// - Parameter queueId: The queue; normally the id of its player.
    /// - Returns: The queue; nil when there is none.
    /// - Throws: ``MusicAssistantError``; `CancellationError` when the calling task is cancelled.
    public nonisolated func getQueue(queueId: String) async throws -> PlayerQueue? {
        try await optional(call("player_queues/get", ["queue_id": .string(queueId)]))
    }

    /// Gets the queue that a player plays from; that of its leader when it plays along.
    ///
    /// - Parameter playerId: The player.
    /// - Returns: The queue; nil when there is none.
    /// - Throws: ``MusicAssistantError``; `CancellationError` when the calling task is cancelled.
    public nonisolated func getActiveQueue(playerId: String) async throws -> PlayerQueue? {
        try await optional(call("player_queues/get_active_queue", ["player_id": .string(playerId)]))
    }

    /// Gets items of a queue.
    ///
    /// - Parameters:
    ///   - queueId: The queue; normally the id of its player.
    ///   - limit: How many at most.
    ///   - offset: How many of the first to leave out.
    /// - Returns: The items in order.
    /// - Throws: ``MusicAssistantError``; `CancellationError` when the calling task is cancelled.
    public nonisolated func getQueueItems(queueId: String, limit: Int = 50, offset: Int = 0) async throws -> [QueueItem]
    {
        let list = try await call(
            "player_queues/items", ["queue_id": .string(queueId), "limit": .int(limit), "offset": .int(offset)])
        return (list.arrayValue ?? []).enumerated().compactMap { place, json in
            var item = try? QueueItem(json: json)
            item?.index = offset + place
            return item
        }
    }

    /// Puts something into a queue, and plays it where the option says so.
    ///
    /// - Parameters:
    ///   - queueId: The queue; normally the id of its player.
    ///   - uri: What: a URI such as `library://track/12`, or an address.
    ///   - option: Where in the queue.
    ///   - radioMode: Whether similar music follows.
    ///   - startItem: The item of a playlist or album to begin with.
    /// - Throws: ``MusicAssistantError``; `CancellationError` when the calling task is cancelled.
    public nonisolated func playMedia(
        queueId: String, uri: String, option: EnqueueOption = .play, radioMode: Bool = false, startItem: String? = nil
    ) async throws {
        var args: [String: JSONValue] = [
            "queue_id": .string(queueId), "media": .string(uri), "option": .string(option.rawValue),
            "radio_mode": .bool(radioMode),
        ]
        args["start_item"] = startItem.map { .string($0) }
        try await call("player_queues/play_media", args)
    }

    /// Puts several things into a queue.
    ///
    /// - Parameters:
    ///   - queueId: The queue; normally the id of its player.
    ///   - uris: What, in order.
    ///   - option: Where in the queue.
    ///   - radioMode: Whether similar music follows.
    ///   - startItem: The item of a playlist or album to begin with.
    /// - Throws: ``MusicAssistantError``; `CancellationError` when the calling task is cancelled.
    public nonisolated func playMedia(
        queueId: String, uris: [String], option: EnqueueOption = .play, radioMode: Bool = false,
        startItem: String? = nil
    ) async throws {
        var args: [String: JSONValue] = [
            "queue_id": .string(queueId), "media": .array(uris.map(JSONValue.string)),
            "option": .string(option.rawValue), "radio_mode": .bool(radioMode),
        ]
        args["start_item"] = startItem.map { .string($0) }
        try await call("player_queues/play_media", args)
    }

    /// Plays on.
    ///
    /// - Parameter queueId: The queue; normally the id of its player.
    /// - Throws: ``MusicAssistantError``; `CancellationError` when the calling task is cancelled.
    public nonisolated func playQueue(queueId: String) async throws {
        try await call("player_queues/play", ["queue_id": .string(queueId)])
    }

    /// Pauses.
    ///
    /// - Parameter queueId: The queue; normally the id of its player.
    /// - Throws: ``MusicAssistantError``; `CancellationError` when the calling task is cancelled.
    public nonisolated func pauseQueue(queueId: String) async throws {
        try await call("player_queues/pause", ["queue_id": .string(queueId)])
    }

    /// Stops.
    ///
    /// - Parameter queueId: The queue; normally the id of its player.
    /// - Throws: ``MusicAssistantError``; `CancellationError` when the calling task is cancelled.
    public nonisolated func stopQueue(queueId: String) async throws {
        try await call("player_queues/stop", ["queue_id": .string(queueId)])
    }

    /// Plays on or pauses.
    ///
    /// - Parameter queueId: The queue; normally the id of its player.
    /// - Throws: ``MusicAssistantError``; `CancellationError` when the calling task is cancelled.
    public nonisolated func playPauseQueue(queueId: String) async throws {
        try await call("player_queues/play_pause", ["queue_id": .string(queueId)])
    }

    /// Goes to the next item.
    ///
    /// - Parameter queueId: The queue; normally the id of its player.
    /// - Throws: ``MusicAssistantError``; `CancellationError` when the calling task is cancelled.
    public nonisolated func nextInQueue(queueId: String) async throws {
        try await call("player_queues/next", ["queue_id": .string(queueId)])
    }

    /// Goes to the previous item, or to the beginning of the present one.
    ///
    /// - Parameter queueId: The queue; normally the id of its player.
    /// - Throws: ``MusicAssistantError``; `CancellationError` when the calling task is cancelled.
    public nonisolated func previousInQueue(queueId: String) async throws {
        try await call("player_queues/previous", ["queue_id": .string(queueId)])
    }

    /// Takes out everything.
    ///
    /// - Parameter queueId: The queue; normally the id of its player.
    /// - Throws: ``MusicAssistantError``; `CancellationError` when the calling task is cancelled.
    public nonisolated func clearQueue(queueId: String) async throws {
        try await call("player_queues/clear", ["queue_id": .string(queueId)])
    }

    /// Plays on from where the queue was.
    ///
    /// - Parameters:
    ///   - queueId: The queue; normally the id of its player.
    ///   - fadeIn: Whether the sound begins softly.
    /// - Throws: ``MusicAssistantError``; `CancellationError` when the calling task is cancelled.
    public nonisolated func resumeQueue(queueId: String, fadeIn: Bool? = nil) async throws {
        var args: [String: JSONValue] = ["queue_id": .string(queueId)]
        args["fade_in"] = fadeIn.map { .bool($0) }
        try await call("player_queues/resume", args)
    }

    /// Goes to a position in the present item.
    ///
    /// - Parameters:
    ///   - queueId: The queue; normally the id of its player.
    ///   - position: Seconds from the beginning.
    /// - Throws: ``MusicAssistantError``; `CancellationError` when the calling task is cancelled.
    public nonisolated func seekQueue(queueId: String, position: Int) async throws {
        try await call("player_queues/seek", ["queue_id": .string(queueId), "position": .int(position)])
    }

    /// Goes forward or back in the present item.
    ///
    /// - Parameters:
    ///   - queueId: The queue; normally the id of its player.
    ///   - seconds: How far; negative goes back.
    /// - Throws: ``MusicAssistantError``; `CancellationError` when the calling task is cancelled.
    public nonisolated func skip(queueId: String, seconds: Int) async throws {
        try await call("player_queues/skip", ["queue_id": .string(queueId), "seconds": .int(seconds)])
    }

    /// Puts the items after the present one into random order, or back.
    ///
    /// - Parameters:
    ///   - queueId: The queue; normally the id of its player.
    ///   - enabled: Whether the order is to be random.
    /// - Throws: ``MusicAssistantError``; `CancellationError` when the calling task is cancelled.
    public nonisolated func shuffle(queueId: String, enabled: Bool) async throws {
        try await call("player_queues/shuffle", ["queue_id": .string(queueId), "shuffle_enabled": .bool(enabled)])
    }

    /// Sets what the queue does at the end of an item.
    ///
    /// - Parameters:
    ///   - queueId: The queue; normally the id of its player.
    ///   - mode: What.
    /// - Throws: ``MusicAssistantError``; `CancellationError` when the calling task is cancelled.
    public nonisolated func setRepeat(queueId: String, mode: MusicAssistantRepeatMode) async throws {
        try await call("player_queues/repeat", ["queue_id": .string(queueId), "repeat_mode": .string(mode.rawValue)])
    }

    /// Plays an item of the queue.
    ///
    /// - Parameters:
    ///   - queueId: The queue; normally the id of its player.
    ///   - index: Its place, from 0.
    ///   - position: Where to begin, in seconds.
    ///   - fadeIn: Whether the sound begins softly.
    /// - Throws: ``MusicAssistantError``; `CancellationError` when the calling task is cancelled.
    public nonisolated func playIndex(queueId: String, index: Int, position: Int? = nil, fadeIn: Bool? = nil)
        async throws
    {
        var args: [String: JSONValue] = ["queue_id": .string(queueId), "index": .int(index)]
        args["seek_position"] = position.map { .int($0) }
        args["fade_in"] = fadeIn.map { .bool($0) }
        try await call("player_queues/play_index", args)
    }

    /// Plays an item of the queue.
    ///
    /// - Parameters:
    ///   - queueId: The queue; normally the id of its player.
    ///   - queueItemId: The item.
    ///   - position: Where to begin, in seconds.
    /// - Throws: ``MusicAssistantError``; `CancellationError` when the calling task is cancelled.
    public nonisolated func playItem(queueId: String, queueItemId: String, position: Int? = nil) async throws {
        var args: [String: JSONValue] = ["queue_id": .string(queueId), "index": .string(queueItemId)]
        args["seek_position"] = position.map { .int($0) }
        try await call("player_queues/play_index", args)
    }

    /// Moves an item of the queue.
    ///
    /// - Parameters:
    ///   - queueId: The queue; normally the id of its player.
    ///   - queueItemId: The item.
    ///   - by: How far: 1 is one down, -1 one up, 0 makes it the next one.
    /// - Throws: ``MusicAssistantError``; `CancellationError` when the calling task is cancelled.
    public nonisolated func moveItem(queueId: String, queueItemId: String, by: Int = 1) async throws {
        try await call(
            "player_queues/move_item",
            ["queue_id": .string(queueId), "queue_item_id": .string(queueItemId), "pos_shift": .int(by)])
    }

    /// Makes an item the last of the queue.
    ///
    /// - Parameters:
    ///   - queueId: The queue; normally the id of its player.
    ///   - queueItemId: The item.
    /// - Throws: ``MusicAssistantError``; `CancellationError` when the calling task is cancelled.
    public nonisolated func moveItemToEnd(queueId: String, queueItemId: String) async throws {
        try await call(
            "player_queues/move_item_end", ["queue_id": .string(queueId), "queue_item_id": .string(queueItemId)])
    }

    /// Takes an item out of the queue.
    ///
    /// - Parameters:
    ///   - queueId: The queue; normally the id of its player.
    ///   - queueItemId: The item.
    /// - Throws: ``MusicAssistantError``; `CancellationError` when the calling task is cancelled.
    public nonisolated func deleteItem(queueId: String, queueItemId: String) async throws {
        try await call(
            "player_queues/delete_item", ["queue_id": .string(queueId), "item_id_or_index": .string(queueItemId)])
    }

    /// Takes an item out of the queue.
    ///
    /// - Parameters:
    ///   - queueId: The queue; normally the id of its player.
    ///   - index: Its place, from 0.
    /// - Throws: ``MusicAssistantError``; `CancellationError` when the calling task is cancelled.
    public nonisolated func deleteItem(queueId: String, index: Int) async throws {
        try await call("player_queues/delete_item", ["queue_id": .string(queueId), "item_id_or_index": .int(index)])
    }

    /// Moves a queue to another player, with its position.
    ///
    /// - Parameters:
    ///   - sourceQueueId: The queue.
    ///   - targetQueueId: Where it goes.
    ///   - autoPlay: Whether it plays there; nil when it played here.
    /// - Throws: ``MusicAssistantError``; `CancellationError` when the calling task is cancelled.
    public nonisolated func transferQueue(sourceQueueId: String, targetQueueId: String, autoPlay: Bool? = nil)
        async throws
    {
        var args: [String: JSONValue] = [
            "source_queue_id": .string(sourceQueueId), "target_queue_id": .string(targetQueueId),
        ]
        args["auto_play"] = autoPlay.map { .bool($0) }
        try await call("player_queues/transfer", args)
    }

    /// Sets whether a queue adds similar music at its end.
    ///
    /// - Parameters:
    ///   - queueId: The queue; normally the id of its player.
    ///   - enabled: Whether it does.
    /// - Throws: ``MusicAssistantError``; `CancellationError` when the calling task is cancelled.
    public nonisolated func setGoesOnWithSimilar(queueId: String, enabled: Bool) async throws {
        try await call(
            "player_queues/dont_stop_the_music",
            ["queue_id": .string(queueId), "dont_stop_the_music_enabled": .bool(enabled)])
    }

    /// Makes a playlist of the items of a queue.
    ///
    /// - Parameters:
    ///   - queueId: The queue; normally the id of its player.
    ///   - name: The playlist's name.
    /// - Returns: The item.
    /// - Throws: ``MusicAssistantError``; `CancellationError` when the calling task is cancelled.
    public nonisolated func saveQueue(queueId: String, name: String) async throws -> MediaItem {
        try MediaItem(
            json: await call("player_queues/save_as_playlist", ["queue_id": .string(queueId), "name": .string(name)]))
    }

    /// Sets how fast a queue plays.
    ///
    /// - Parameters:
    ///   - queueId: The queue; normally the id of its player.
    ///   - speed: 1 is the normal speed.
    /// - Throws: ``MusicAssistantError``; `CancellationError` when the calling task is cancelled.
    public nonisolated func setPlaybackSpeed(queueId: String, speed: Double) async throws {
        try await call("player_queues/set_playback_speed", ["queue_id": .string(queueId), "speed": .double(speed)])
    }
}
