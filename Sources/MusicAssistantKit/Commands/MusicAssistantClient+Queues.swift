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

    /// Gets the queue that a player plays from; for a player in a group, the queue of its leader.
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
    ///   - limit: The maximum number of items.
    ///   - offset: The number of items to skip.
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

    /// Adds media to a queue, and plays it if the option says so.
    ///
    /// - Parameters:
    ///   - queueId: The queue; normally the id of its player.
    ///   - uri: A URI such as `library://track/12`, or a web address.
    ///   - option: The place in the queue, and whether it is played at once.
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

    /// Adds several items of media to a queue.
    ///
    /// - Parameters:
    ///   - queueId: The queue; normally the id of its player.
    ///   - uris: The URIs in order.
    ///   - option: The place in the queue, and whether it is played at once.
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

    /// Resumes playback.
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

    /// Resumes or pauses playback.
    ///
    /// - Parameter queueId: The queue; normally the id of its player.
    /// - Throws: ``MusicAssistantError``; `CancellationError` when the calling task is cancelled.
    public nonisolated func playPauseQueue(queueId: String) async throws {
        try await call("player_queues/play_pause", ["queue_id": .string(queueId)])
    }

    /// Skips to the next item.
    ///
    /// - Parameter queueId: The queue; normally the id of its player.
    /// - Throws: ``MusicAssistantError``; `CancellationError` when the calling task is cancelled.
    public nonisolated func nextInQueue(queueId: String) async throws {
        try await call("player_queues/next", ["queue_id": .string(queueId)])
    }

    /// Skips to the previous item, or to the beginning of the present one.
    ///
    /// - Parameter queueId: The queue; normally the id of its player.
    /// - Throws: ``MusicAssistantError``; `CancellationError` when the calling task is cancelled.
    public nonisolated func previousInQueue(queueId: String) async throws {
        try await call("player_queues/previous", ["queue_id": .string(queueId)])
    }

    /// Removes all items.
    ///
    /// - Parameter queueId: The queue; normally the id of its player.
    /// - Throws: ``MusicAssistantError``; `CancellationError` when the calling task is cancelled.
    public nonisolated func clearQueue(queueId: String) async throws {
        try await call("player_queues/clear", ["queue_id": .string(queueId)])
    }

    /// Resumes the queue at its last position.
    ///
    /// - Parameters:
    ///   - queueId: The queue; normally the id of its player.
    ///   - fadeIn: Whether the sound fades in.
    /// - Throws: ``MusicAssistantError``; `CancellationError` when the calling task is cancelled.
    public nonisolated func resumeQueue(queueId: String, fadeIn: Bool? = nil) async throws {
        var args: [String: JSONValue] = ["queue_id": .string(queueId)]
        args["fade_in"] = fadeIn.map { .bool($0) }
        try await call("player_queues/resume", args)
    }

    /// Seeks to a position in the present item.
    ///
    /// - Parameters:
    ///   - queueId: The queue; normally the id of its player.
    ///   - position: Seconds from the beginning.
    /// - Throws: ``MusicAssistantError``; `CancellationError` when the calling task is cancelled.
    public nonisolated func seekQueue(queueId: String, position: Int) async throws {
        try await call("player_queues/seek", ["queue_id": .string(queueId), "position": .int(position)])
    }

    /// Seeks forward or backward in the present item.
    ///
    /// - Parameters:
    ///   - queueId: The queue; normally the id of its player.
    ///   - seconds: The distance in seconds; negative values seek backward.
    /// - Throws: ``MusicAssistantError``; `CancellationError` when the calling task is cancelled.
    public nonisolated func skip(queueId: String, seconds: Int) async throws {
        try await call("player_queues/skip", ["queue_id": .string(queueId), "seconds": .int(seconds)])
    }

    /// Shuffles the items after the present one, or restores their order.
    ///
    /// - Parameters:
    ///   - queueId: The queue; normally the id of its player.
    ///   - enabled: Whether the order is random.
    /// - Throws: ``MusicAssistantError``; `CancellationError` when the calling task is cancelled.
    public nonisolated func shuffle(queueId: String, enabled: Bool) async throws {
        try await call("player_queues/shuffle", ["queue_id": .string(queueId), "shuffle_enabled": .bool(enabled)])
    }

    /// Sets what the queue does at the end of an item.
    ///
    /// - Parameters:
    ///   - queueId: The queue; normally the id of its player.
    ///   - mode: The repeat mode.
    /// - Throws: ``MusicAssistantError``; `CancellationError` when the calling task is cancelled.
    public nonisolated func setRepeat(queueId: String, mode: MusicAssistantRepeatMode) async throws {
        try await call("player_queues/repeat", ["queue_id": .string(queueId), "repeat_mode": .string(mode.rawValue)])
    }

    /// Plays an item of the queue.
    ///
    /// - Parameters:
    ///   - queueId: The queue; normally the id of its player.
    ///   - index: The index of the item, from 0.
    ///   - position: The start position in seconds.
    ///   - fadeIn: Whether the sound fades in.
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
    ///   - position: The start position in seconds.
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
    ///   - by: The number of places: 1 moves it down by one, -1 up by one, 0 makes it the next item.
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

    /// Removes an item from the queue.
    ///
    /// - Parameters:
    ///   - queueId: The queue; normally the id of its player.
    ///   - queueItemId: The item.
    /// - Throws: ``MusicAssistantError``; `CancellationError` when the calling task is cancelled.
    public nonisolated func deleteItem(queueId: String, queueItemId: String) async throws {
        try await call(
            "player_queues/delete_item", ["queue_id": .string(queueId), "item_id_or_index": .string(queueItemId)])
    }

    /// Removes an item from the queue.
    ///
    /// - Parameters:
    ///   - queueId: The queue; normally the id of its player.
    ///   - index: The index of the item, from 0.
    /// - Throws: ``MusicAssistantError``; `CancellationError` when the calling task is cancelled.
    public nonisolated func deleteItem(queueId: String, index: Int) async throws {
        try await call("player_queues/delete_item", ["queue_id": .string(queueId), "item_id_or_index": .int(index)])
    }

    /// Moves a queue to another player, with its position.
    ///
    /// - Parameters:
    ///   - sourceQueueId: The queue.
    ///   - targetQueueId: The queue of the other player.
    ///   - autoPlay: Whether the other player plays; nil to keep the playback state.
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
    ///   - enabled: Whether similar music is added.
    /// - Throws: ``MusicAssistantError``; `CancellationError` when the calling task is cancelled.
    public nonisolated func setGoesOnWithSimilar(queueId: String, enabled: Bool) async throws {
        try await call(
            "player_queues/dont_stop_the_music",
            ["queue_id": .string(queueId), "dont_stop_the_music_enabled": .bool(enabled)])
    }

    /// Saves the items of a queue as a playlist.
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

    /// Sets the playback speed of a queue.
    ///
    /// - Parameters:
    ///   - queueId: The queue; normally the id of its player.
    ///   - speed: 1 is the normal speed.
    /// - Throws: ``MusicAssistantError``; `CancellationError` when the calling task is cancelled.
    public nonisolated func setPlaybackSpeed(queueId: String, speed: Double) async throws {
        try await call("player_queues/set_playback_speed", ["queue_id": .string(queueId), "speed": .double(speed)])
    }
}
