extension SimulatedHome {
    /// The commands about players.
    static let playerActions: [String: Action] = [
        "players/all": { home, arguments in
            let showsAll = try arguments.optionalBool("return_unavailable") ?? true
            let showsDisabled = try arguments.optionalBool("return_disabled") ?? false
            let players = home.players.filter { (showsAll || $0.isAvailable) && (showsDisabled || $0.isEnabled) }
            return .result(.array(players.map(home.json)))
        },
        "players/get": { home, arguments in
            let id = try arguments.string("player_id")
            if let player = home.player(id) { return .result(home.json(player)) }
            if try arguments.optionalBool("raise_unavailable") == true { throw ServerError.notAvailable(player: id) }
            return .result(.null)
        },
        "players/get_by_name": { home, arguments in
            let name = try arguments.string("name")
            return .result(home.players.first { $0.name == name }.map(home.json) ?? .null)
        },
        "players/cmd/volume_set": setVolume, "players/cmd/group_volume": setVolume,
        "players/cmd/volume_up": { try step(&$0, $1, by: 3) }, "players/cmd/volume_down": { try step(&$0, $1, by: -3) },
        "players/cmd/group_volume_up": { try step(&$0, $1, by: 3) },
        "players/cmd/group_volume_down": { try step(&$0, $1, by: -3) },
        "players/cmd/volume_mute": mute, "players/cmd/group_volume_mute": mute,
        "players/cmd/power": { home, arguments in
            let isOn = try arguments.bool("powered")
            try home.changeKnown(arguments) { $0.isPowered = isOn }
            return .result(.null)
        },
        "players/cmd/set_members": { home, arguments in
            let leader = try arguments.string("target_player")
            for id in try arguments.optionalStrings("player_ids_to_add") ?? [] { try home.join(id, to: leader) }
            for id in try arguments.optionalStrings("player_ids_to_remove") ?? [] { try home.leave(id) }
            return .result(.null)
        },
        "players/cmd/ungroup": { home, arguments in
            try home.leave(try arguments.string("player_id"))
            return .result(.null)
        },
        "players/cmd/play": { try onQueue(&$0, $1) { $0.resume(&$1) } },
        "players/cmd/resume": { try onQueue(&$0, $1) { $0.resume(&$1) } },
        "players/cmd/pause": { try onQueue(&$0, $1) { $0.pause(&$1) } },
        "players/cmd/stop": { try onQueue(&$0, $1) { $0.stop(&$1) } },
        "players/cmd/play_pause": { try onQueue(&$0, $1) { $0.toggle(&$1) } },
        "players/cmd/next": { try onQueue(&$0, $1) { $0.move(&$1, by: 1) } },
        "players/cmd/previous": { try onQueue(&$0, $1) { $0.move(&$1, by: -1) } },
        "players/cmd/seek": { home, arguments in
            let position = try arguments.int("position")
            return try onQueue(&home, arguments) { home, queue in
                do {
                    try home.seek(&queue, to: position)
                } catch let error as ServerError {
                    throw ServerError(11, error.details)
                }
            }
        },
        "players/cmd/select_source": accept, "players/cmd/select_sound_mode": accept,
        "players/cmd/set_option": accept, "players/cmd/play_announcement": accept,
        "players/add_currently_playing_to_favorites": accept,
    ]

    /// Accepts a command that has no effect in the simulation.
    private static let accept: Action = { _, arguments in
        _ = try arguments.string("player_id")
        return .result(.null)
    }

    private static let setVolume: Action = { home, arguments in
        let volume = try arguments.int("volume_level")
        guard (0...100).contains(volume) else {
            throw ServerError(11, "Volume must be in range 0-100, got \(volume)")
        }
        try home.changeKnown(arguments) { $0.volume = volume }
        return .result(.null)
    }

    private static let mute: Action = { home, arguments in
        let isMuted = try arguments.bool("muted")
        try home.changeKnown(arguments) { $0.isMuted = isMuted }
        return .result(.null)
    }

    private static func step(
        _ home: inout SimulatedHome, _ arguments: CommandArguments, by change: Int
    ) throws -> CommandReply {
        try home.changeKnown(arguments) { $0.volume = min(100, max(0, $0.volume + change)) }
        return .result(.null)
    }

    /// Changes a player; as on the server, commands to an unknown or unreachable one succeed without effect.
    private mutating func changeKnown(
        _ arguments: CommandArguments, _ body: (inout SimulatedPlayer) -> Void
    ) throws {
        let id = try arguments.string("player_id")
        guard player(id)?.isAvailable == true else { return }
        try change(player: id, body)
    }

    /// Runs a function on the queue of a player.
    private static func onQueue(
        _ home: inout SimulatedHome, _ arguments: CommandArguments,
        _ body: (inout SimulatedHome, inout SimulatedQueue) throws -> Void
    ) throws -> CommandReply {
        let id = try arguments.string("player_id")
        guard home.player(id)?.isAvailable == true, let queue = home.activeQueue(of: id) else { return .result(.null) }
        try home.change(queue: queue.id, body)
        return .result(.null)
    }

    // MARK: Groups

    /// The queue of a player; in a group, the queue of the leader.
    func activeQueue(of id: String) -> SimulatedQueue? {
        let source = player(id)?.leader ?? id
        return queues.first { $0.id == source }
    }

    private mutating func join(_ id: String, to leader: String) throws {
        guard player(id) != nil else { throw ServerError.notAvailable(player: id) }
        try change(player: leader) {
            if $0.members.isEmpty { $0.members = [leader] }
            if !$0.members.contains(id) { $0.members.append(id) }
        }
        try change(player: id) { $0.leader = leader }
    }

    private mutating func leave(_ id: String) throws {
        guard let leader = player(id)?.leader else { return }
        try change(player: id) { $0.leader = nil }
        try change(player: leader) {
            $0.members.removeAll { $0 == id }
            if $0.members == [leader] { $0.members = [] }
        }
    }
}
