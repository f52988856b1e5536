/// Simulated players, queues and a library that react to commands like those of a real server.
public struct SimulatedHome: Sendable, Hashable {
    /// The media library.
    public var library: Library
    /// The players.
    public private(set) var players: [SimulatedPlayer]
    var queues: [SimulatedQueue]
    /// The events of the current command.
    var events: [ServerEvent] = []
    /// The time of the current command, in seconds since 1970.
    var now = 0.0
    private var lastEntry = 0

    /// Creates a home.
    ///
    /// - Parameters:
    ///   - players: The players; each gets a queue.
    ///   - library: The media library.
    public init(
        players: [SimulatedPlayer] = [
            SimulatedPlayer("kitchen", "Kitchen"), SimulatedPlayer("study", "Study"),
            SimulatedPlayer("porch", "Porch", features: ["volume_set", "volume_mute", "set_members"]),
        ],
        library: Library = .small
    ) {
        self.players = players
        self.library = library
        queues = players.map { SimulatedQueue(id: $0.id) }
    }

    /// Changes a player without a command; every client gets the event.
    ///
    /// - Parameters:
    ///   - id: The player.
    ///   - body: Makes the change.
    /// - Throws: ``ServerError`` when there is no such player.
    public mutating func change(player id: String, _ body: (inout SimulatedPlayer) -> Void) throws {
        guard let index = players.firstIndex(where: { $0.id == id }) else { throw ServerError.notAvailable(player: id) }
        body(&players[index])
        events.append(playerUpdated(id))
    }

    /// Adds a player; every client gets the event.
    ///
    /// - Parameter player: The player.
    public mutating func add(_ player: SimulatedPlayer) {
        players.append(player)
        queues.append(SimulatedQueue(id: player.id))
        events.append(ServerEvent("player_added", objectID: player.id, data: json(player)))
        events.append(ServerEvent("queue_added", objectID: player.id, data: queues.last.map(json) ?? .null))
        tellOthers(than: player.id)
    }

    /// Removes a player; every client gets the event.
    ///
    /// - Parameter id: The player.
    public mutating func remove(player id: String) {
        players.removeAll { $0.id == id }
        queues.removeAll { $0.id == id }
        for index in players.indices {
            if players[index].leader == id { players[index].leader = nil }
            players[index].members.removeAll { $0 == id }
        }
        events.append(ServerEvent("player_removed", objectID: id))
        tellOthers(than: id)
    }

    /// Sends the events of the other players, whose possible group members have changed.
    private mutating func tellOthers(than id: String) {
        for player in players where player.id != id { events.append(playerUpdated(player.id)) }
    }

    /// Stops all queues, as a restart of the server does; items and positions are kept.
    mutating func stopEverything() {
        for index in queues.indices {
            var queue = queues[index]
            queue.note(queue.position(at: now), at: now)
            queue.state = .idle
            queues[index] = queue
        }
    }

    func player(_ id: String) -> SimulatedPlayer? { players.first { $0.id == id } }

    /// A new identifier for an item of a queue.
    mutating func newEntryID() -> String {
        lastEntry += 1
        let digits = String(lastEntry, radix: 16)
        return String(repeating: "0", count: 32 - digits.count) + digits
    }

    /// Runs a command.
    ///
    /// - Returns: The reply, and the events that every client gets before it.
    mutating func run(
        _ command: String, _ arguments: [String: JSON], now: Double
    ) -> (reply: CommandReply, events: [ServerEvent]) {
        self.now = now
        advance()
        defer { events = [] }
        guard let action = Self.actions[command] else { return (.failure(.invalidCommand(command)), events) }
        do {
            let reply = try action(&self, CommandArguments(values: arguments))
            return (reply, events)
        } catch {
            return (.failure(error as? ServerError ?? ServerError(999, "\(error)")), events)
        }
    }

    /// Handles the ends of tracks up to the present time.
    ///
    /// - Returns: The events of the ended tracks.
    mutating func advance(to now: Double) -> [ServerEvent] {
        self.now = now
        advance()
        defer { events = [] }
        return events
    }

    /// The events of changes that were made without a command.
    mutating func takeEvents() -> [ServerEvent] {
        defer { events = [] }
        return events
    }

    /// The time of the next end of a track, in seconds since 1970.
    var nextEnd: Double? { queues.compactMap(\.end).min() }

    typealias Action = @Sendable (inout SimulatedHome, CommandArguments) throws -> CommandReply

    private static let actions: [String: Action] = playerActions.merging(queueActions) { first, _ in first }
        .merging(libraryActions) { first, _ in first }
}
