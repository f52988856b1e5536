internal import Foundation
internal import Synchronization

/// Copies of the server's players and queues, kept up to date by its events.
///
/// Everything here runs on the connection's thread in the order of messages, so a list never overwrites a later event.
final class Mirrors: Sendable {
    let players = LiveCollection<MusicAssistantPlayer>()
    let queues = LiveCollection<PlayerQueue>()

    private let clock: any ClientClock
    /// The minimum time in seconds by which the server's clock is ahead of the client's.
    private let serverAhead = Mutex(0.0)

    init(clock: any ClientClock) { self.clock = clock }

    /// Fetches both lists over a new connection.
    func fetch(over session: Session, log: @escaping @Sendable (String) -> Void) {
        serverAhead.withLock { $0 = 0 }
        fetch("players/all", over: session, log) { [self] json in
            let list = MusicAssistantPlayer.list(json).filter(\.isEnabled)
            players.replace(with: list)
            list.forEach(passAvailability)
        }
        fetch("player_queues/all", over: session, log) { [self] json in
            let list = PlayerQueue.list(json)
            list.forEach(compareClocks)
            queues.replace(with: list.map(withAvailability))
        }
    }

    /// Fetches a list; a request without a reply is repeated after the time limit of a command.
    private func fetch(
        _ command: String, over session: Session, _ log: @escaping @Sendable (String) -> Void,
        _ apply: @escaping @Sendable (JSONValue) -> Void
    ) {
        session.send(command) { [weak self, weak session] result in
            switch result {
            case .success(let json): apply(json)
            case .failure(MusicAssistantError.commandTimeout):
                guard let self, let session else { return }
                self.fetch(command, over: session, log, apply)
            case .failure(MusicAssistantError.connectionLost), .failure(MusicAssistantError.notConnected): break
            // The lists are fetched again after the login.
            case .failure(let error as MusicAssistantError) where error.serverCode == .authenticationRequired: break
            case .failure(let error): log("\(command) cannot be kept current: \(error)")
            }
        }
    }

    func apply(_ event: MusicAssistantEvent) {
        switch event.event {
        case .playerAdded, .playerUpdated:
            guard let player = try? MusicAssistantPlayer(json: event.data) else { return }
            // The list of players does not contain disabled ones.
            if player.isEnabled { players.set(player) } else { players.remove(player.id) }
            passAvailability(of: player)
        case .playerRemoved:
            guard let id = event.objectId else { return }
            players.remove(id)
            queues.remove(id)
        case .queueAdded, .queueUpdated, .queueItemsUpdated:
            guard let queue = try? PlayerQueue(json: event.data) else { return }
            compareClocks(queue)
            queues.set(withAvailability(queue))
        case .queueTimeUpdated:
            guard let id = event.objectId, let seconds = event.data.doubleValue else { return }
            let measured = serverDate
            queues.update(id) { $0.moved(to: seconds, measured: measured) }
        default: break
        }
    }

    // MARK: Availability

    /// Copies the availability of a player to its queue. The server sends no event for the queue when a player is added or
    /// removed, and the value in the queue itself may be out of date.
    private func passAvailability(of player: MusicAssistantPlayer) {
        guard let queue = queues[player.id], queue.isAvailable != player.isAvailable else { return }
        queues.update(player.id) { $0.available(player.isAvailable) }
    }

    private func withAvailability(_ queue: PlayerQueue) -> PlayerQueue {
        guard let player = players[queue.id], player.isAvailable != queue.isAvailable else { return queue }
        return queue.available(player.isAvailable)
    }

    // MARK: Ending

    func lose() {
        players.lose()
        queues.lose()
    }

    func finish() {
        players.finish()
        queues.finish()
    }

    // MARK: Clocks

    /// Compares a time stamp with the client's clock. One in the future shows that the server's clock is ahead; one in the
    /// past may just be old.
    private func compareClocks(_ queue: PlayerQueue) {
        guard let stamp = queue.elapsedTimeUpdated else { return }
        let ahead = stamp.timeIntervalSince(clock.date)
        serverAhead.withLock { $0 = max($0, ahead) }
    }

    /// The present date on the server's clock.
    var serverDate: Date { clock.date.addingTimeInterval(serverAhead.withLock { $0 }) }
}
