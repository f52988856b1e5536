extension SimulatedHome {
    /// A player with all fields that the server sends.
    func json(_ player: SimulatedPlayer) -> JSON {
        let queue = activeQueue(of: player.id)
        let state = queue?.state.rawValue ?? "idle"
        var json: JSON = [
            "player_id": .string(player.id), "provider": "test_player", "type": "player",
            "name": .string(player.name), "display_name": .string(player.name),
            "available": .bool(player.isAvailable && player.isEnabled), "enabled": .bool(player.isEnabled),
            "powered": .bool(player.isPowered),
            "supported_features": .strings(player.features), "playback_state": .string(state), "state": .string(state),
            "elapsed_time": .double(queue?.elapsed ?? 0),
            "elapsed_time_last_updated": .double(queue?.elapsedNoted ?? 0),
            "volume_level": .int(player.volume), "volume_muted": .bool(player.isMuted),
            "group_volume": .int(player.volume), "group_volume_muted": .bool(player.isMuted),
        ]
        for (name, value) in grouping(player) { json[name] = value }
        json["device_info"] = ["model": "Test player", "manufacturer": "Descant", "software_version": "1"]
        json["source_list"] = [
            [
                "id": .string(player.id), "name": "Music Assistant Queue", "passive": false, "can_play_pause": true,
                "can_seek": true, "can_next_previous": true,
            ]
        ]
        json["current_media"] = queue.flatMap { queue in queue.current.map { media($0, of: queue) } } ?? .null
        json["active_source"] = .string(queue?.id ?? player.id)
        return json
    }

    private func grouping(_ player: SimulatedPlayer) -> [String: JSON] {
        [
            "group_members": .strings(player.members), "group_childs": .strings(player.members),
            "static_group_members": [], "synced_to": .optional(player.leader), "active_group": nil,
            "can_group_with": .strings(players.map(\.id).filter { $0 != player.id }), "options": [],
            "hide_in_ui": false, "expose_to_ha": true, "icon": "mdi-speaker", "extra_attributes": [:],
            "power_control": "native", "volume_control": "native", "mute_control": "native", "needs_setup": false,
        ]
    }

    private func media(_ entry: QueueEntry, of queue: SimulatedQueue) -> JSON {
        [
            "uri": .string(entry.item.uri), "media_type": .string(entry.item.kind.rawValue),
            "title": .string(entry.item.name),
            "artist": .optional(entry.item.artist.flatMap { library.item(.artist, $0)?.name }),
            "duration": .int(entry.item.duration), "source_id": .string(queue.id), "queue_item_id": .string(entry.id),
        ]
    }

    /// A queue as the server sends it.
    func json(_ queue: SimulatedQueue) -> JSON {
        [
            "queue_id": .string(queue.id), "active": true,
            "display_name": .string(player(queue.id)?.name ?? queue.id),
            "available": .bool(player(queue.id).map { $0.isAvailable && $0.isEnabled } ?? false),
            "items": .int(queue.entries.count),
            "shuffle_enabled": .bool(queue.isShuffled), "repeat_mode": .string(queue.repeatMode),
            "dont_stop_the_music_enabled": .bool(queue.keepsPlaying),
            "current_index": queue.index.map(JSON.int) ?? .null, "index_in_buffer": queue.index.map(JSON.int) ?? .null,
            "elapsed_time": .double(queue.elapsed), "elapsed_time_last_updated": .double(queue.elapsedNoted),
            "state": .string(queue.state.rawValue),
            "current_item": queue.current.map { json($0, of: queue) } ?? .null,
            "next_item": queue.next.map { json($0, of: queue) } ?? .null, "radio_source": [], "flow_mode": false,
            "resume_pos": .int(queue.state == .idle ? Int(queue.elapsed) : 0), "playback_speed": .double(queue.speed),
            "extra_attributes": [:],
        ]
    }

    /// An item of a queue as the server sends it.
    func json(_ entry: QueueEntry, of queue: SimulatedQueue) -> JSON {
        [
            "queue_id": .string(queue.id), "queue_item_id": .string(entry.id), "name": .string(entry.name),
            "duration": .int(entry.item.duration),
            "sort_index": .int(queue.entries.firstIndex { $0.id == entry.id } ?? 0),
            "media_item": library.json(entry.item), "image": nil, "index": 0, "available": true,
            "extra_attributes": [:],
        ]
    }

    func playerUpdated(_ id: String) -> ServerEvent {
        ServerEvent("player_updated", objectID: id, data: player(id).map(json) ?? .null)
    }

    func queueUpdated(_ queue: SimulatedQueue) -> ServerEvent {
        ServerEvent("queue_updated", objectID: queue.id, data: json(queue))
    }

    func queueItemsUpdated(_ queue: SimulatedQueue) -> ServerEvent {
        ServerEvent("queue_items_updated", objectID: queue.id, data: json(queue))
    }
}
