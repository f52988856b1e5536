internal import Descant
internal import Foundation
internal import MusicAssistantKit
internal import MusicAssistantSettings

/// An engine that plays on a player of a Music Assistant server.
///
/// The server holds the state: what somebody else does to the player shows here as well. The connection is made with the
/// first content and kept, through restarts of the server, until the engine goes.
actor MusicAssistantEngine: RemotePlayerEngine {
    nonisolated let identifier = "music-assistant"
    nonisolated let capabilities: EngineCapabilities = [.playsURLs, .seeks, .remote]
    nonisolated var stateUpdates: EventStream<EngineState> { states.stream(buffer: .newest) }

    private let client: MusicAssistantClient
    private let wantedPlayer: String?
    private let states = EventHub<EngineState>(initial: .idle)
    /// What is loaded, and how long it is.
    private var content: (uri: String, duration: TimeInterval?)?
    /// The player's queue; `nil` before the first content.
    private var queue: String?
    private var player: String?
    /// Where to begin when it is played.
    private var start: TimeInterval = 0
    /// Whether the loaded content was handed to the player.
    private var isBegun = false
    /// Whether this engine asked for a pause: a player that cannot pause goes idle.
    private var isPausing = false
    /// Whether the queue was heard to play since the last command to play: a server answers before it begins, and calls the
    /// queue idle until then.
    private var hasPlayed = false
    private var watcher: Task<Void, Never>?
    private var overdue: Task<Void, Never>?

    init(client: MusicAssistantClient, player: String?) {
        self.client = client
        wantedPlayer = player
    }

    deinit {
        watcher?.cancel()
        overdue?.cancel()
        let client = client
        Task { await client.disconnect() }
    }

    var engineState: EngineState { states.snapshot ?? .idle }

    var currentTime: TimeInterval {
        guard isBegun, let queue else { return start }
        return client.position(queueId: queue) ?? start
    }

    var duration: TimeInterval? {
        guard isBegun, let queue, let item = client.queues[queue]?.currentItem else { return content?.duration }
        return item.duration ?? content?.duration
    }

    var volume: Double? {
        guard let player else { return nil }
        return client.players[player]?.volume.map { Double($0) / 100 }
    }

    // MARK: Commands

    func loadContent(_ content: MediaContent) async throws {
        await stop()
        self.content = nil
        guard case .url(let url) = content else { throw CoreError.unsupported("music-assistant: it speaks no text") }
        guard !url.isFileURL else {
            throw CoreError.unsupported(
                "music-assistant: \(url.path) is a file of this machine; the server plays its library and URLs")
        }
        states.post(.loading)
        do {
            try await choosePlayer()
            // What is in the library is looked up, so that what is missing shows now.
            let isWeb = url.scheme == "http" || url.scheme == "https"
            let item = isWeb ? nil : try await client.item(uri: url.absoluteString)
            self.content = (url.absoluteString, item?.duration)
            isBegun = false
            start = 0
            states.post(.ready)
        } catch {
            let mapped = Self.coreError(error)
            states.post(.failed(mapped))
            throw mapped
        }
    }

    func play() async throws {
        guard let content, let queue else { throw CoreError.invalidState("music-assistant: nothing is loaded") }
        guard engineState != .playing else { return }
        hasPlayed = false
        try await command {
            if isBegun, engineState == .paused {
                try await client.resumeQueue(queueId: queue)
            } else {
                try await client.playMedia(queueId: queue, uri: content.uri, option: .replace)
                if start > 0 { try await client.seekQueue(queueId: queue, position: Int(start.rounded())) }
            }
        }
        isBegun = true
        isPausing = false
        states.post(.playing)
        // It may have ended before the answer to the command came.
        let snapshot = client.queues.snapshot
        if hasPlayed, snapshot.isCurrent, let present = snapshot.values[queue],
            state(of: present, isCurrent: true, present: .playing) == .finished
        {
            return states.post(.finished)
        }
        // What was heard so far may be what played there before.
        hasPlayed = snapshot.isCurrent && snapshot.values[queue]?.state == .playing
        expectSound()
    }

    /// How long a player may take to begin, in seconds.
    private static let startLimit = 20.0

    /// A server that takes a command and never plays is believed after a while.
    private func expectSound() {
        overdue?.cancel()
        overdue = Task { [weak self] in
            do {
                try await Task.sleep(for: .seconds(Self.startLimit))
            } catch {
                return  // Stopped, or played anew.
            }
            await self?.startIsOverdue()
        }
    }

    private func startIsOverdue() {
        guard isBegun, !hasPlayed, let queue else { return }
        // From here on, idle is idle, also when the connection is away just now.
        hasPlayed = true
        let snapshot = client.queues.snapshot
        if let present = snapshot.values[queue] { heard(present, isCurrent: snapshot.isCurrent) }
    }

    func pause() async {
        guard engineState == .playing, let player else { return }
        isPausing = true
        do {
            try await command { try await client.pause(playerId: player) }
            states.post(.paused)
        } catch {
            isPausing = false
            states.post(.failed(Self.coreError(error)))
        }
    }

    func stop() async {
        overdue?.cancel()
        let wasActive = isBegun && (engineState == .playing || engineState == .paused || engineState == .buffering)
        isBegun = false
        isPausing = false
        start = 0
        states.post(.idle)
        guard wasActive, let player else { return }
        // A server that cannot be reached plays on; there is nobody to tell.
        _ = try? await client.stop(playerId: player)
    }

    func seek(to position: MediaPosition) async throws {
        guard content != nil, let queue else { throw CoreError.invalidState("music-assistant: nothing is loaded") }
        var seconds: TimeInterval
        switch position {
        case .time(let time): seconds = time
        case .fraction(let share):
            guard let duration else { throw CoreError.unsupported("music-assistant: the length is not known") }
            seconds = share * duration
        case .characterOffset: throw CoreError.unsupported("music-assistant: it has no characters")
        }
        guard seconds.isFinite else { throw CoreError.invalidArgument("\(seconds) is no position") }
        seconds = min(max(0, seconds), duration ?? 1_000_000)
        guard isBegun else {
            start = seconds
            return
        }
        try await command { try await client.seekQueue(queueId: queue, position: Int(seconds.rounded())) }
    }

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
            try await client.setVolume(playerId: player, volume: Int((volume * 100).rounded()))
        }
    }

    func next() async throws { try await move { try await $0.nextInQueue(queueId: $1) } }

    func previous() async throws { try await move { try await $0.previousInQueue(queueId: $1) } }

    /// Moves within the queue, which has this engine's content only once that was played.
    private func move(_ command: (MusicAssistantClient, String) async throws -> Void) async throws {
        guard isBegun, let queue else { throw CoreError.invalidState("music-assistant: nothing was played yet") }
        try await self.command { try await command(client, queue) }
    }

    // MARK: Following the server

    private func choosePlayer() async throws {
        try await client.connect()
        guard queue == nil else { return }
        let player = try PlayerChoice.player(wantedPlayer, of: try await client.getPlayers())
        guard player.isAvailable else {
            throw CoreError.ioError(underlying: MusicAssistantError.connectionLost(reason: "\(player.name) is off"))
        }
        self.player = player.playerId
        let queue = try await client.getActiveQueue(playerId: player.playerId)?.queueId ?? player.playerId
        self.queue = queue
        follow(queue)
    }

    private func follow(_ queue: String) {
        // Subscribed here and not in the task, so that nothing happens before somebody listens.
        let snapshots = client.queues.snapshots
        watcher = Task { [weak self] in
            for await snapshot in snapshots {
                guard let queue = snapshot.values[queue] else { continue }
                await self?.heard(queue, isCurrent: snapshot.isCurrent)
            }
        }
    }

    private func heard(_ queue: PlayerQueue, isCurrent: Bool) {
        if isCurrent, queue.state == .playing { hasPlayed = true }
        guard isBegun, let present = states.snapshot else { return }
        let state = state(of: queue, isCurrent: isCurrent, present: present)
        if state == .idle { isBegun = false }
        if state != present { states.post(state) }
    }

    /// What the server's state of a queue means for this engine.
    private func state(of queue: PlayerQueue, isCurrent: Bool, present: EngineState) -> EngineState {
        // The connection is lost: the player plays on, but nobody knows how.
        guard isCurrent else { return present == .playing ? .buffering : present }
        switch queue.state {
        case .playing: return isPausing ? present : .playing
        case .paused: return .paused
        case .idle where isPausing: return .paused
        case .idle where present == .playing || present == .buffering:
            let position = queue.position()
            let isAtEnd = queue.currentItem?.duration.map { $0 > 0 && position >= $0 - 1 } ?? false
            // Only the newest news is kept: of something short, all that is heard may be its end.
            if isAtEnd, hasPlayed || position > 0 { return .finished }
            return hasPlayed ? .idle : present
        default: return present
        }
    }

    // MARK: Errors

    private func command(_ body: () async throws -> Void) async throws {
        do {
            // Waits for a connection that is being made again.
            try await client.connect()
            try await body()
        } catch {
            throw Self.coreError(error)
        }
    }

    private static func coreError(_ error: any Error) -> CoreError {
        if let error = error as? CoreError { return error }
        guard let failure = error as? MusicAssistantError else {
            return error is PlayerChoiceError ? .notFound("\(error)") : .ioError(underlying: error)
        }
        switch failure.serverCode {
        case .mediaNotFound?, .invalidURI?: return .notFound("music-assistant: \(failure.description)")
        case .playerUnavailable?, .queueEmpty?: return .invalidState("music-assistant: \(failure.description)")
        default: return .ioError(underlying: failure)
        }
    }
}
