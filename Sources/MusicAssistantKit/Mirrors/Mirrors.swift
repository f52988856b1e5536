internal import Foundation
internal import Synchronization

/// Copies of the server's players and queues, kept up to date by its events.
///
/// Everything here runs on the connection's thread in the order of messages, so a list never overwrites a later event.
final class Mirrors: Sendable {
    let players = LiveCollection<MusicAssistantPlayer>()
    let queues = LiveCollection<PlayerQueue>()

    private let clock: any ClientClock
    /// The server's date at the origin of the client's uptime, in seconds since 1970. The uptime is used, because the
    /// client's own date can be set while a connection lasts.
    private let serverOrigin = Mutex<Double?>(nil)

    init(clock: any ClientClock) { self.clock = clock }

    /// Fetches both lists over a new connection.
    func fetch(over session: Session, log: @escaping @Sendable (String) -> Void) {
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

    /// Fetches a list. A request without a reply is repeated after the time limit of a command, and one that the server could
    /// not answer after some seconds.
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
            case .failure(let error):
                log("\(command) cannot be kept current: \(error)")
                guard let session, (error as? MusicAssistantError)?.serverCode != .insufficientPermissions else {
                    return
                }
                session.later(after: Self.retryDelay) { [weak self, weak session] in
                    guard let self, let session else { return }
                    self.fetch(command, over: session, log, apply)
                }
            }
        }
    }

    private static let retryDelay = Duration.seconds(5)

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

    /// Compares the header `Date` of a server's answer with the client's clock.
    ///
    /// The header has whole seconds, and takes some time to arrive. A client's clock that agrees with it is more exact;
    /// otherwise the header is used, which is early by less than a second.
    func compareClocks(_ header: String?) {
        let date = clock.date
        let stated = header.flatMap { Self.headerFormat.date(from: $0) }
        let isRight = stated.map { (0...2).contains(date.timeIntervalSince($0)) } ?? true
        let now = isRight ? date : stated ?? date
        serverOrigin.withLock { $0 = now.timeIntervalSince1970 - uptime }
    }

    /// The format of the header (RFC 9110, 5.6.7).
    private static var headerFormat: DateFormatter {
        let format = DateFormatter()
        format.locale = Locale(identifier: "en_US_POSIX")
        format.timeZone = .gmt
        format.dateFormat = "EEE, dd MMM yyyy HH:mm:ss 'GMT'"
        return format
    }

    /// Compares a time stamp with the server's clock. One in the future shows that the clock is ahead; one in the past may
    /// just be old.
    private func compareClocks(_ queue: PlayerQueue) {
        guard let stamp = queue.elapsedTimeUpdated?.timeIntervalSince1970 else { return }
        serverOrigin.withLock { $0 = max($0 ?? stamp - uptime, stamp - uptime) }
    }

    /// The present date on the server's clock.
    var serverDate: Date {
        guard let origin = serverOrigin.withLock({ $0 }) else { return clock.date }
        return Date(timeIntervalSince1970: origin + uptime)
    }

    private var uptime: Double { clock.uptime / .seconds(1) }
}
