internal import Descant
internal import Foundation
internal import MusicAssistantKit
internal import MusicAssistantSettings

/// An engine that plays on a player of a Music Assistant server.
///
/// The server has the state, so changes by other clients are reported too. The connection is made for the first content and
/// kept, also over restarts of the server, until the engine is released.
actor MusicAssistantEngine: RemotePlayerEngine, EngineTrackReporting {
    nonisolated let identifier = "music-assistant"
    nonisolated let capabilities: EngineCapabilities = [.playsURLs, .seeks, .remote]
    nonisolated var stateUpdates: EventStream<EngineState> { states.stream(buffer: .newest) }

    let client: MusicAssistantClient
    let settings: RemoteSettings
    let states = EventHub<EngineState>(initial: .idle)
    /// The loaded content.
    var content: RemoteContent?
    /// The player and its queue; `nil` before the first content.
    var player: (id: String, name: String, queue: String)?
    /// The start position of the next ``play()``, in seconds; `nil` for the player's position or the beginning.
    var start: TimeInterval?
    /// Whether the loaded content was sent to the player.
    var isBegun = false
    /// The start that has no outcome yet: it sends the commands of a ``play()`` and handles their replies.
    var beginning: Task<Void, any Error>?
    /// The last stop that was sent or is to be sent. A start waits for it, so that it does not end what plays by then.
    var stopping: Task<Bool, Never>?
    /// Whether a pause is the last command of those since the last start began.
    private var isPauseWanted = false
    /// Counts the commands that begin or end playback, so that code that waited for the server detects later commands.
    var turn = 0
    /// The pause that this engine commanded; `nil` after it was resumed.
    var pausing: Pause?
    /// The server's time stamp of the pause that the last play command ended.
    var pausedAt: Date?
    /// Whether the queue has played since the last play command. A server replies before playback begins, and reports the
    /// queue as idle until then.
    var hasPlayed = false
    /// The last position of the player, because a server resets the position at the end.
    var heard: Heard?
    /// The item that the queue played last, because a restarted server may have another present item or an empty queue.
    var played: PlayedItem?
    /// A connection that was lost while the player played.
    var outage: Outage?
    /// A stop that is sent when the connection is back.
    var owedStop: OwedStop?
    /// What the player may play since a start was sent, also where the engine reports a failure; `nil` after a stop and
    /// after the queue was seen idle. Empty until a failure, then the identifiers of the items: others are the content
    /// of another client.
    var mayPlay: [String]?
    /// When a start without a reply lapses: what plays later was begun by another client.
    private var unansweredUntil: ContinuousClock.Instant?
    /// The values that were published last, besides the state.
    var told: Told?
    var watchers: [Task<Void, Never>] = []
    /// Ends the wait for sound after a start.
    var overdue: Task<Void, Never>?

    init(client: MusicAssistantClient, settings: RemoteSettings) {
        self.client = client
        self.settings = settings
    }

    deinit {
        for watcher in watchers { watcher.cancel() }
        overdue?.cancel()
        outage?.limit.cancel()
        let client = client
        Task { await client.disconnect() }
    }

    var engineState: EngineState { states.snapshot ?? .idle }

    var currentTime: TimeInterval {
        if let start { return start }
        if let outage { return outage.position }
        guard isBegun, let player else { return 0 }
        if engineState == .finished || client.queues[player.queue].map(isPlayingOut) == true {
            return duration ?? heard?.position ?? 0
        }
        return client.position(queueId: player.queue) ?? 0
    }

    var duration: TimeInterval? {
        guard isBegun, let item = currentItem else { return content?.duration }
        return item.duration ?? content?.duration
    }

    var volume: Double? {
        guard let player else { return nil }
        return client.players[player.id]?.volume.map { Double($0) / 100 }
    }

    var currentTrack: NowPlayingTrack? {
        guard isBegun, let item = currentItem else {
            return content.map { NowPlayingTrack($0, of: client) }
        }
        return NowPlayingTrack(item, of: client)
    }

    private var currentItem: QueueItem? { player.flatMap { client.queues[$0.queue]?.currentItem } }

    // MARK: Loading

    func loadContent(_ content: MediaContent) async throws {
        // A start that came during the stop would play what is replaced here.
        repeat { await stop() } while isBegun || beginning != nil
        turn += 1
        let turn = turn
        self.content = nil
        states.post(.loading)
        var address: URL?
        do {
            let url = try Self.address(of: content)
            address = url
            let queue = try await presentQueue()
            let found = try await RemoteContent.find(url, on: client)
            guard turn == self.turn else { throw CancellationError() }
            player?.queue = queue
            self.content = found
            states.post(.ready)
        } catch {
            let mapped = coreError(error, content: address)
            if turn == self.turn { states.post(.failed(mapped)) }
            throw mapped
        }
    }

    /// The address of content that a server may play.
    private static func address(of content: MediaContent) throws -> URL {
        guard case .url(let url) = content else { throw CoreError.unsupported("music-assistant: it speaks no text") }
        guard !url.isFileURL else {
            throw CoreError.unsupported(
                "music-assistant: \(url.path) is a file of this machine; the server plays its library and URLs")
        }
        return url
    }

    /// The present queue of the player: in a group, that of the leader. The first call chooses the player.
    private func presentQueue() async throws -> String {
        try await connect()
        if player == nil { try await choosePlayer() }
        guard let player else { throw CancellationError() }
        return try await client.getActiveQueue(playerId: player.id)?.queueId ?? player.id
    }

    private func choosePlayer() async throws {
        let chosen = try PlayerChoice.player(settings.player, of: try await client.getPlayers())
        guard chosen.isAvailable else { throw Self.unreachable(chosen.name) }
        guard player == nil else { return }
        player = (chosen.playerId, chosen.name, chosen.playerId)
        followServer()
    }

    // MARK: Playing

    func play() async throws {
        guard let content, let player else { throw CoreError.invalidState("music-assistant: nothing is loaded") }
        isPauseWanted = false
        // The outcome of a start under way is that of this one as well.
        if let beginning { return try await beginning.value }
        guard !(isBegun && (engineState == .playing || engineState == .buffering)) else { return }
        // Taken here: a later stop waits for this start.
        let (place, stopping) = (start, stopping)
        let (continued, remainder) = (continuedByPlay, mayPlay)
        if continued == .beginning { played = nil }
        turn += 1
        let turn = turn
        (isBegun, pausing, hasPlayed, heard, owedStop) = (true, nil, false, nil, nil)
        // A separate task, so that a cancelled caller does not leave the player playing.
        let beginning = Task {
            do {
                _ = await stopping?.value
                try await sendStart(of: content, on: player, at: place, continued, turn)
            } catch {
                guard turn == self.turn else { throw CancellationError() }
                (self.beginning, isBegun) = (nil, continued == .paused)
                // Without a reply, the server may have run the command.
                if Self.isUnanswered(error) {
                    unansweredUntil = .now + .seconds(settings.patience)
                } else {
                    mayPlay = remainder
                }
                throw coreError(error)
            }
            let begun = await seekAfterStart(at: place, in: player.queue, turn)
            try checkTurn(turn)
            (self.beginning, start) = (nil, nil)
            states.post(.playing)
            hearAfterTheAnswer(player.queue, continued == .beginning ? begun ?? 0 : begun)
        }
        self.beginning = beginning
        try await beginning.value
    }

    /// What the next play command continues.
    private var continuedByPlay: Start {
        switch engineState {
        case .paused where isBegun: .paused
        case .failed: .failed
        default: .beginning
        }
    }

    /// Sends the commands of a start, unless a later command has replaced it.
    private func sendStart(
        of content: RemoteContent, on player: (id: String, name: String, queue: String), at place: TimeInterval?,
        _ continued: Start, _ turn: Int
    ) async throws {
        try checkTurn(turn)
        // What was reported until here belongs to what was stopped.
        (hasPlayed, heard) = (false, nil)
        pausedAt = client.queues[player.queue]?.elapsedTimeUpdated
        try await connected {
            try checkTurn(turn)
            (mayPlay, unansweredUntil) = ([], nil)
            try await begin(content, on: player, at: place, continued, turn)
        }
    }

    /// Ends a command that a later one has replaced.
    func checkTurn(_ turn: Int) throws {
        guard turn == self.turn else { throw CancellationError() }
    }

    /// Runs an operation that may be repeated; repeats it once if the connection was lost.
    private func connected(_ body: () async throws -> Void) async throws {
        try await connect()
        do {
            try await body()
        } catch MusicAssistantError.connectionLost {
            try await connect()
            try await body()
        }
    }

    // MARK: Ending

    func pause() async {
        isPauseWanted = true
        let turn = turn
        if let beginning {
            // A server has nothing to pause before playback begins.
            _ = await beginning.result
            guard turn == self.turn, isPauseWanted else { return }
        }
        guard isBegun, engineState == .playing || engineState == .buffering, let player else { return }
        guard outage == nil else { return owePause() }
        pausing = .sent
        do {
            // Waits for a reconnect.
            try await connect()
            try await client.pause(playerId: player.id)
            // Before the reply, the server may have reported the pause.
            update()
            if pausing != nil { states.post(.paused) }
        } catch let error where Self.isUnanswered(error) {
            // Otherwise a later command has replaced it, or the server has reported the pause.
            guard turn == self.turn, pausing == .sent else { return }
            guard isPauseWanted else {
                pausing = nil
                return
            }
            owePause()
            // A command of a cancelled task is not sent although the connection lasts: no event may come that sends it.
            update()
        } catch {
            // The next play continues here, unless the player is seen to play on.
            (pausing, start) = (nil, currentTime)
            states.post(.failed(coreError(error)))
        }
    }

    func stop() async {
        turn += 1
        overdue?.cancel()
        endOutage()
        let isActive = isBegun && [.playing, .paused, .buffering].contains(engineState)
        let hasLapsed = unansweredUntil.map { $0 <= .now } == true
        let (beginning, player, remainder) = (beginning, player, hasLapsed ? nil : mayPlay)
        (self.beginning, isBegun, pausing, start, mayPlay) = (nil, false, nil, nil, nil)
        states.post(.idle)
        guard isActive || beginning != nil || remainder != nil, let player else { return }
        if !isActive, beginning == nil, let remainder, !remainder.isEmpty {
            // After a failure the player may play on, or play what another client has begun since.
            oweStop(of: player, items: remainder)
            sendOwedStop(client.queues.snapshot)
            _ = await self.stopping?.value
            return
        }
        // A separate task, because a program that ends stops in a cancelled task, and the command must still be sent.
        let stopping = Task { [client] in
            _ = await beginning?.result
            let reply = try? await client.send(
                "players/cmd/stop", ["player_id": .string(player.id)], timeout: .seconds(5))
            return reply != nil
        }
        self.stopping = stopping
        let isSent = await stopping.value
        // What a later start plays is not to be stopped.
        if !isSent, !isBegun { oweStop(of: player, items: presentItems(of: player.queue)) }
    }

    // MARK: Moving

    func seek(to position: MediaPosition) async throws {
        guard content != nil, let player else { throw CoreError.invalidState("music-assistant: nothing is loaded") }
        var seconds: TimeInterval
        switch position {
        case .time(let time): seconds = time
        case .fraction(let share):
            guard let duration else { throw CoreError.unsupported("music-assistant: the length is not known") }
            seconds = share * duration
        case .characterOffset: throw CoreError.unsupported("music-assistant: this content has no character offsets")
        }
        guard !seconds.isNaN else { throw CoreError.invalidArgument("\(seconds) is not a valid position") }
        seconds = min(max(0, seconds), duration ?? Self.endOfTime, Self.endOfTime)
        outage?.position = seconds
        outage?.didSeek = true
        if case .owed(_, let items)? = pausing { pausing = .owed(didSeek: true, items: items) }
        guard isBegun, engineState == .playing, beginning == nil, pausing == nil else {
            // A server resumes playback on a seek, so the seek is sent with the next play.
            if outage == nil { start = seconds }
            return tellAgain()
        }
        try await command {
            try await client.seekQueue(queueId: player.queue, position: Self.wholeSeconds(seconds))
        }
        hear(seconds, in: client.queues[player.queue])
    }

    /// A position as commands take it.
    static func wholeSeconds(_ place: TimeInterval) -> Int { Int(min(place, endOfTime).rounded()) }

    /// The highest position of a seek in content without a length, in seconds.
    private static let endOfTime = 1_000_000.0

    func setRate(_ rate: Double) async throws {
        guard rate != 1 else { return }
        throw CoreError.unsupported("music-assistant: players have no variable rate; only 1 is possible")
    }

    func setVolume(_ volume: Double) async throws {
        guard (0...1).contains(volume) else {
            throw CoreError.invalidArgument("music-assistant: a volume of \(volume); 0 to 1 are possible")
        }
        guard content != nil, let player else { throw CoreError.invalidState("music-assistant: nothing is loaded") }
        guard self.volume != nil else { throw CoreError.unsupported("music-assistant: the player has no volume") }
        try await command {
            try await client.setVolume(playerId: player.id, volume: Int((volume * 100).rounded()))
        }
    }

    func next() async throws { try await move { try await $0.nextInQueue(queueId: $1) } }

    func previous() async throws { try await move { try await $0.previousInQueue(queueId: $1) } }

    /// Moves within the queue. The queue has this engine's content only after it was played.
    private func move(_ command: (MusicAssistantClient, String) async throws -> Void) async throws {
        guard isBegun, let player else { throw CoreError.invalidState("music-assistant: nothing was played yet") }
        heard = nil
        try await self.command { try await command(client, player.queue) }
        // The position of an earlier seek belonged to the item before.
        start = nil
    }

    private func command(_ body: () async throws -> Void) async throws {
        do {
            // Waits for a reconnect.
            try await connect()
            try await body()
        } catch {
            throw coreError(error)
        }
    }
}
