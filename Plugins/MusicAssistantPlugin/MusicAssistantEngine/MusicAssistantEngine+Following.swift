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
        /// Whether a command to resume was sent.
        var isGoingOn = false
        /// Ends the waiting.
        let limit: Task<Void, Never>
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

    /// Handles the present state of the server; intermediate states are ignored.
    func update() {
        defer { tellAgain() }
        guard let player else { return }
        let (queues, players) = (client.queues.snapshot, client.players.snapshot)
        let queue = queues.values[player.queue]
        if queues.isCurrent, let queue, queue.state == .playing {
            hasPlayed = true
            heard = (client.position(queueId: player.queue) ?? 0, .now)
        }
        guard isBegun, beginning == nil else { return }
        guard queues.isCurrent, players.isCurrent else { return connectionIsAway() }
        guard let queue, players.values[player.id]?.isAvailable == true else { return playerIsAway() }
        follow(queue, of: player)
    }

    private func follow(_ queue: PlayerQueue, of player: (id: String, name: String, queue: String)) {
        if outage != nil, queue.state == .idle, !isAtEnd(queue) { return resumeAfterOutage(in: player.queue) }
        if isPausing, start != nil, queue.state == .playing {
            // The player was paused while the connection was lost.
            Task { [client] in _ = try? await client.pause(playerId: player.id) }
            start = nil
            return
        }
        let present = engineState
        let state = state(of: queue)
        // After the end, a seek sets where the next play begins: further reports of the end do not discard it.
        if state == .playing || state == .finished && present != .finished { start = nil }
        if state == .idle || state == .finished || queue.state == .playing || queue.state == .paused { endOutage() }
        if state == .idle { isBegun = false }
        if state != present { states.post(state) }
    }

    /// Derives the engine's state from the server's state of a queue.
    func state(of queue: PlayerQueue) -> EngineState {
        let present = engineState
        switch queue.state {
        case .playing: return isPausing ? present : .playing
        case .paused: return .paused
        case .idle where isPausing: return .paused
        case .idle where present == .playing || present == .buffering:
            // Only the newest state is kept, so of a short item only its end may be seen.
            if isAtEnd(queue), hasPlayed || queue.position() > 0 { return .finished }
            return hasPlayed ? .idle : present
        default: return present
        }
    }

    /// Whether the item of a queue was played to its end, where a server may reset the position to 0.
    private func isAtEnd(_ queue: PlayerQueue) -> Bool {
        guard let duration = queue.currentItem?.duration, duration > 0 else { return false }
        if queue.position() >= duration - 1 { return true }
        guard hasPlayed, outage == nil, queue.nextItem == nil, let heard else { return false }
        let passed = (ContinuousClock.now - heard.at) / .seconds(1)
        return heard.position + passed * queue.playbackSpeed >= duration - 2
    }

    /// Posts the state again when a value outside the state changed.
    func tellAgain() {
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
        // A restarted server has lost the position of the pause.
        case .paused where start == nil: start = currentTime
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
        self.outage?.isGoingOn = true
        hasPlayed = false
        let turn = turn
        Task {
            do {
                try await playPresentItem(in: queue, at: outage.position)
            } catch {
                resumptionFailed(error, turn)
            }
        }
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
        guard case .failed(let error) = state, isBegun, [.playing, .buffering].contains(engineState) else { return }
        fail(coreError(error))
    }

    private func fail(_ error: CoreError) {
        let position = outage?.position ?? currentTime
        endOutage()
        (isBegun, isPausing, start) = (false, false, position)
        states.post(.failed(error))
    }

    func endOutage() {
        outage?.limit.cancel()
        outage = nil
    }

    // MARK: Errors

    static func unreachable(_ name: String) -> CoreError {
        .ioError("music-assistant: \(name) cannot be reached; is it switched on and in the network?")
    }

    nonisolated func coreError(_ error: any Error) -> CoreError {
        if let error = error as? CoreError { return error }
        guard let failure = error as? MusicAssistantError else {
            return error is PlayerChoiceError ? .notFound("music-assistant: \(error)") : .ioError(underlying: error)
        }
        if case .tokenRejected = failure {
            return .ioError("music-assistant: the server does not know the token any more; run: descant ma login")
        }
        switch failure.serverCode {
        case .mediaNotFound?, .invalidURI?: return .notFound("music-assistant: \(failure.description)")
        case .queueEmpty?: return .invalidState("music-assistant: \(failure.description)")
        case .playerUnavailable?: return Self.unreachable("the player")
        default:
            let server = settings.server?.host() ?? "unknown"
            return .ioError("music-assistant: server \(server): \(failure.description)")
        }
    }
}
