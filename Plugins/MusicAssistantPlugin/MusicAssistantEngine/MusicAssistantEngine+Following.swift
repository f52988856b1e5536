internal import Descant
internal import Foundation
internal import MusicAssistantKit
internal import MusicAssistantSettings

/// Handling of the server's states and events.
extension MusicAssistantEngine {
    /// A connection that was lost while the player played.
    struct Outage {
        /// Where the player was.
        var position: TimeInterval
        /// Whether the position is that of a seek that was not sent.
        var didSeek = false
        /// Whether a seek was sent that has no reply yet.
        var isSeeking = false
        /// Whether a command to resume was sent.
        var isGoingOn = false
        /// Ends the waiting.
        let limit: Task<Void, Never>
    }

    /// A pause that this engine commanded.
    enum Pause: Equatable {
        /// Commanded while the connection was lost, or without a reply; a player that continues is paused later. The next
        /// play begins where the player is paused; after a seek, at the position of the seek. Items that do not have these
        /// identifiers are the content of another client; empty when they are not known.
        case owed(didSeek: Bool, items: [String])
        /// Sent; the server still reports playback.
        case sent
        /// Reported by the server. A player that cannot pause becomes idle, others do after some time.
        case held
    }

    /// The values for player panels, besides the state.
    struct Told: Equatable {
        let item: String?
        let duration: TimeInterval?
        let volume: Double?
        let start: TimeInterval?
    }

    func followServer() {
        // Subscribed here and not in the tasks, so that no event is missed.
        let (queues, players) = (client.queues.snapshots, client.players.snapshots)
        let connections = client.connectionStates
        watchers = [
            Task { [weak self] in for await _ in queues { await self?.update() } },
            Task { [weak self] in for await _ in players { await self?.update() } },
            Task { [weak self] in for await state in connections { await self?.connectionIs(state) } },
        ]
    }

    /// Connects, also after the client has given up.
    ///
    /// A refused token is replaced by the one that the user's settings have now.
    func connect() async throws {
        do {
            try await client.connect()
        } catch MusicAssistantError.tokenRejected(let reason) {
            guard let present = try? RemoteSettings(), present.server == settings.server, let token = present.token,
                token != settings.token
            else { throw MusicAssistantError.tokenRejected(reason: reason) }
            try await client.authenticate(token: token)
        }
        if player != nil, watchers.isEmpty { followServer() }
    }

    /// Handles the present state of the server; intermediate states are ignored.
    func update() {
        defer { tellAgain() }
        guard let player else { return }
        let (queues, players) = (client.queues.snapshot, client.players.snapshot)
        let queue = queues.values[player.queue]
        if queues.isCurrent, let queue, queue.state == .playing {
            hasPlayed = true
            if !isPlayingOut(queue) { hear(client.position(queueId: player.queue) ?? 0, in: queue) }
        }
        if queues.isCurrent, let queue { followRemainder(in: queue) }
        sendOwedStop(queues)
        guard isBegun, beginning == nil else { return }
        // With a start position, what is played next is already known.
        if hasPlayed, outage == nil, start == nil { rememberItem(of: queue) }
        guard queues.isCurrent, players.isCurrent else { return connectionIsAway() }
        guard let queue, players.values[player.id]?.isAvailable == true else { return playerIsAway() }
        follow(queue, of: player)
    }

    private func follow(_ queue: PlayerQueue, of player: (id: String, name: String, queue: String)) {
        if outage != nil, queue.state == .idle, !isAtEnd(queue) { return resumeAfterOutage(in: player.queue) }
        if let outage, outage.didSeek || outage.isSeeking, queue.state == .playing { return seekAfterOutage(in: queue) }
        followPause(queue, of: player.id)
        let present = engineState
        let state = state(of: queue)
        // After the end, a seek sets where the next play begins: further reports of the end do not discard it.
        // A seek during a pause that is under way is one for the next play, too.
        if state == .playing && pausing == nil || state == .finished && present != .finished { start = nil }
        // A server resumes playback on a seek, so the seek is sent with the next play.
        if let outage, outage.didSeek, queue.state == .paused { start = outage.position }
        if state == .idle || state == .finished || queue.state == .playing || queue.state == .paused { endOutage() }
        if state == .idle { isBegun = false }
        if state != present { states.post(state) }
    }

    /// Compares the pause of this engine with the server's state of the queue.
    private func followPause(_ queue: PlayerQueue, of player: String) {
        switch (pausing, queue.state) {
        // Another client has begun something else.
        case (.owed(_, let items)?, .playing) where isOfOthers(queue, besides: items): (pausing, start) = (nil, nil)
        case (.owed(let didSeek, let items)?, .playing):
            pausing = .sent
            if !didSeek { start = nil }
            let turn = turn
            Task { [weak self, client] in
                do {
                    try await client.pause(playerId: player)
                } catch {
                    await self?.owedPauseFailed(error, .owed(didSeek: didSeek, items: items), turn)
                }
            }
        case (.owed?, .paused), (.owed?, .idle), (.sent?, .paused), (.sent?, .idle): pausing = .held
        // Another client has resumed it.
        case (.held?, .playing): (pausing, start) = (nil, nil)
        default: break
        }
    }

    /// Whether a queue has none of some items as its present one.
    private func isOfOthers(_ queue: PlayerQueue, besides items: [String]) -> Bool {
        guard !items.isEmpty, let item = queue.currentItem?.queueItemId else { return false }
        return !items.contains(item)
    }

    /// Remembers to pause a player that cannot be reached and may continue to play.
    func owePause() {
        // Before playback, the queue may still have the items of the content before.
        let items = hasPlayed ? player.map { presentItems(of: $0.queue) } ?? [] : []
        let didSeek = outage?.didSeek ?? (start != nil)
        (pausing, start) = (.owed(didSeek: didSeek, items: items), outage?.position ?? currentTime)
        endOutage()
        states.post(.paused)
    }

    private func owedPauseFailed(_ error: any Error, _ owed: Pause, _ turn: Int) {
        // The connection was lost again; the command is repeated after the next reconnect.
        guard Self.isUnanswered(error), turn == self.turn, pausing != nil else { return }
        (pausing, start) = (owed, currentTime)
    }

    /// Derives the engine's state from the server's state of a queue.
    func state(of queue: PlayerQueue) -> EngineState {
        let present = engineState
        switch queue.state {
        case .playing: return pausing == .sent ? present : .playing
        case .paused: return isStillPaused(queue) ? present : .paused
        case .idle where pausing != nil: return .paused
        case .idle where present == .playing || present == .buffering:
            // Only the newest state is kept, so of a short item only its end may be seen.
            if isAtEnd(queue), hasPlayed || queue.position() > 0 { return .finished }
            return hasPlayed ? .idle : present
        default: return present
        }
    }

    /// Whether a queue is in the pause that the last play command ended. A server replies before it reports playback.
    private func isStillPaused(_ queue: PlayerQueue) -> Bool {
        engineState == .playing && !hasPlayed && queue.elapsedTimeUpdated == pausedAt
    }

    /// Posts the state again when a value outside the state changed.
    func tellAgain() {
        // The state of the content before would be told for what begins; the state that follows is told with its values.
        guard beginning == nil else { return }
        let item = player.flatMap { client.queues[$0.queue]?.currentItem?.queueItemId }
        let now = Told(item: isBegun ? item : nil, duration: duration, volume: volume, start: start)
        guard now != told else { return }
        told = now
        states.post(engineState)
    }

    // MARK: Losses

    /// Handles a lost connection. The player may continue, or may have ended with its server.
    private func connectionIsAway() {
        switch engineState {
        case .playing where outage == nil:
            let seconds = settings.patience
            outage = Outage(
                position: currentTime,
                limit: Task { [weak self] in
                    do {
                        try await Task.sleep(for: .seconds(seconds))
                    } catch {
                        return  // The connection is back, or no longer needed.
                    }
                    await self?.giveUp(after: seconds)
                })
            states.post(.buffering)
        case .paused:
            // A restarted server has lost the position of the pause.
            if start == nil { start = currentTime }
            if pausing == .sent { pausing = .held }
        default: break
        }
    }

    /// The player is unavailable or unknown. After a restart of the server, players are added one by one.
    private func playerIsAway() {
        guard outage == nil, let player, [.playing, .buffering].contains(engineState) else { return }
        fail(Self.unreachable(player.name))
    }

    private func resumeAfterOutage(in queue: String) {
        guard let outage, !outage.isGoingOn else { return }
        // The command has the position of the seeks so far.
        self.outage?.didSeek = false
        self.outage?.isGoingOn = true
        (hasPlayed, heard) = (false, nil)
        let turn = turn
        Task {
            do {
                try await playLastItem(in: queue, at: outage.position, turn)
            } catch {
                resumptionFailed(error, turn)
            }
        }
    }

    /// Sends a seek of the time without a connection to a player that has played on.
    private func seekAfterOutage(in queue: PlayerQueue) {
        guard let position = outage?.position, outage?.isSeeking == false else { return }
        outage?.didSeek = false
        outage?.isSeeking = true
        let (turn, id) = (turn, queue.queueId)
        // The seek was in the item of that time; the player may have begun another one.
        let isSameItem = played == nil || queue.currentItem?.queueItemId == played?.id
        Task {
            do {
                if isSameItem {
                    try await client.seekQueue(queueId: id, position: Self.wholeSeconds(position))
                } else {
                    try await playLastItem(in: id, at: position, turn)
                }
            } catch let error as MusicAssistantError where error.serverCode == nil {
                // The connection was lost again; the seek is repeated after the next reconnect.
                return seekAfterOutageEnded(isSent: false, turn)
            } catch {
                // The server refused it, or a later command has replaced it.
            }
            seekAfterOutageEnded(isSent: true, turn)
        }
    }

    private func seekAfterOutageEnded(isSent: Bool, _ turn: Int) {
        guard turn == self.turn else { return }
        outage?.isSeeking = false
        if isSent { update() } else { outage?.didSeek = true }
    }

    private func resumptionFailed(_ error: any Error, _ turn: Int) {
        guard turn == self.turn, outage != nil else { return }
        // The connection was lost again; the command is repeated after the next reconnect.
        if client.queues.snapshot.isCurrent {
            fail(coreError(error))
        } else {
            outage?.isGoingOn = false
        }
    }

    private func giveUp(after seconds: Double) {
        guard outage != nil, let player else { return }
        let limit = "\(seconds.formatted(.number.precision(.fractionLength(0...1)))) s"
        guard client.queues.snapshot.isCurrent else {
            let server = settings.server?.host() ?? "unknown"
            return fail(
                .ioError(
                    "music-assistant: the server \(server) has not answered for \(limit); check that it runs, then play again"
                ))
        }
        fail(
            .ioError(
                "music-assistant: \(player.name) has not come back within \(limit) after the connection was lost; is it on?"
            ))
    }

    private func connectionIs(_ state: ConnectionState) {
        guard case .failed(let error) = state else { return }
        // The client's sequences have ended; the next command subscribes again.
        watchers = []
        guard isBegun, [.playing, .buffering].contains(engineState) else { return }
        fail(coreError(error))
    }

    /// Reports a failure. The player may play on.
    ///
    /// - Parameters:
    ///   - error: The failure.
    ///   - place: Where the next play begins; `nil` for the last position of the player.
    func fail(_ error: CoreError, at place: TimeInterval? = nil) {
        let position = place ?? outage?.position ?? lastPosition
        endOutage()
        if mayPlay != nil, let player {
            // Where the items are not known, nothing tells them from the content of another client.
            let items = presentItems(of: player.queue)
            mayPlay = items.isEmpty ? nil : items
        }
        (isBegun, pausing, start) = (false, nil, position)
        states.post(.failed(error))
    }

    func endOutage() {
        outage?.limit.cancel()
        outage = nil
    }

    // MARK: Errors

    /// Whether a command ended without a reply of the server, which may have run it.
    static func isUnanswered(_ error: any Error) -> Bool {
        switch error as? MusicAssistantError {
        case .notConnected?, .reconnecting?, .connectionFailed?, .connectionLost?, .commandTimeout?: true
        case nil: error is CancellationError
        default: false
        }
    }

    static func unreachable(_ name: String) -> CoreError {
        .ioError("music-assistant: \(name) cannot be reached; is it switched on and in the network?")
    }

    /// An error that names this engine.
    ///
    /// - Parameters:
    ///   - error: The error.
    ///   - content: The address that could not be found, if that is what the error is about.
    nonisolated func coreError(_ error: any Error, content: URL? = nil) -> CoreError {
        if let error = error as? CoreError { return error }
        if case .ambiguous(let players)? = error as? PlayerChoiceError {
            // Hosts have no option for the player.
            let names = players.isEmpty ? "none" : players.joined(separator: ", ")
            return .notFound(
                "music-assistant: name a player with DESCANT_MA_PLAYER, or once with: descant ma play URI --on PLAYER; "
                    + "there are: \(names)")
        }
        guard let failure = error as? MusicAssistantError else {
            return error is PlayerChoiceError ? .notFound("music-assistant: \(error)") : .ioError(underlying: error)
        }
        if case .tokenRejected = failure {
            return .ioError("music-assistant: the server does not know the token any more; run: descant ma login")
        }
        let name = content.map { "\($0.absoluteString): ".withoutPasswords } ?? ""
        let words = name + failure.description.withoutPasswords
        switch failure.serverCode {
        case .mediaNotFound?, .invalidURI?: return .notFound("music-assistant: \(words)")
        case .queueEmpty?: return .invalidState("music-assistant: \(words)")
        case .playerUnavailable?: return Self.unreachable("the player")
        default:
            let server = settings.server?.host() ?? "unknown"
            return .ioError("music-assistant: server \(server): \(words)")
        }
    }
}
