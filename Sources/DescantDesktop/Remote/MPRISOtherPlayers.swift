public import DescantCore
internal import Synchronization

/// Pauses the other players of the desktop, and lets them play again, by MPRIS 2.
///
/// It connects to the bus only for the duration of a call. Players of this process are never paused.
public final class MPRISOtherPlayers: OtherPlayersPort {
    private struct Player {
        var name: String
        /// The unique name on the bus, which the bus never gives to another connection.
        var owner: String
    }

    /// The address of the bus; `nil` when there is none.
    public let busAddress: String?

    private let logger: any LoggerPort
    private let ownProcess: UInt32?
    private let limit: Double
    /// The unique names of the paused players, by name.
    private let owners = Mutex<[String: String]>([:])

    /// Creates the port without connecting to the bus.
    ///
    /// - Parameters:
    ///   - busAddress: The address of the bus, in the notation of D-Bus; `nil` for the session bus.
    ///   - logger: Receives the players that do not answer.
    public convenience init(busAddress: String? = nil, logger: any LoggerPort = NoopLogger()) {
        self.init(busAddress: busAddress, logger: logger, ownProcess: nil)
    }

    /// - Parameters:
    ///   - ownProcess: The process whose players are never paused; `nil` for this one.
    ///   - limit: The maximum duration of a call, in seconds; the rest of the promised 2 s is for a busy machine.
    init(
        busAddress: String?, logger: any LoggerPort = NoopLogger(), ownProcess: UInt32?, limit: Double = 1.8
    ) {
        self.busAddress = busAddress ?? BusAddress.session()
        self.logger = logger
        self.ownProcess = ownProcess
        self.limit = limit
    }

    // MARK: Pausing

    /// Pauses all other players that play, in parallel. Takes less than 2 s, also when a player does not answer.
    ///
    /// - Returns: The names on the bus of the players that answered.
    public func pauseOthers() async -> [String] {
        let paused = await withSession { session in
            // The number as the bus knows it, which may differ in a container.
            let own = if let ownProcess { ownProcess } else { try await session.process() }
            return await self.choose(try await self.players(session)) { player in
                guard try await session.process(of: player.owner) != own else { return false }
                return try await self.ask(player, "Pause", whenItIs: "Playing", session)
            }
        }
        owners.withLock { owners in
            for player in paused { owners[player.name] = player.owner }
        }
        return paused.map(\.name).sorted()
    }

    /// Lets players play again that are still paused, and still the same ones. Takes less than 2 s, also when a player does not
    /// answer.
    ///
    /// - Parameter players: The names that ``pauseOthers()`` returned.
    public func resume(_ players: [String]) async {
        let known = owners.withLock { owners in
            players.compactMap { name in owners.removeValue(forKey: name).map { Player(name: name, owner: $0) } }
        }
        guard !known.isEmpty else { return }
        _ = await withSession { session in
            await self.choose(known) { player in
                guard try await self.owner(of: player.name, session) == player.owner else { return false }
                return try await self.ask(player, "Play", whenItIs: "Paused", session)
            }
        }
    }

    // MARK: On the bus

    private func withSession(_ body: (BusSession) async throws -> [Player]) async -> [Player] {
        guard let busAddress else { return [] }
        do {
            let session = try await BusSession.open(at: busAddress, limit: limit)
            defer { session.close() }
            return try await body(session)
        } catch {
            logger.info("other players cannot be asked: \(error)")
            return []
        }
    }

    /// The players on the bus. A program with several names counts once.
    private func players(_ session: BusSession) async throws -> [Player] {
        let names = try await session.bus("ListNames").first?.elements?.compactMap(\.string) ?? []
        var players: [String: Player] = [:]
        for name in names.sorted() where name.hasPrefix(MPRISName.root + ".") && name != MPRISName.standIn {
            // The name has no owner when the player has just left.
            guard let owner = try? await owner(of: name, session), players[owner] == nil else { continue }
            players[owner] = Player(name: name, owner: owner)
        }
        return Array(players.values)
    }

    private func owner(of name: String, _ session: BusSession) async throws -> String? {
        try await session.bus("GetNameOwner", [.string(name)]).first?.string
    }

    /// Calls a method of a player in a given status.
    ///
    /// - Returns: Whether the player had the status and has answered.
    private func ask(
        _ player: Player, _ method: String, whenItIs status: String, _ session: BusSession
    ) async throws -> Bool {
        let answer = try await session.call(
            player.owner, MPRISName.path, MPRISName.properties, "Get",
            [.string(MPRISName.player), .string("PlaybackStatus")])
        guard answer.first?.content?.string == status else { return false }
        _ = try await session.call(player.owner, MPRISName.path, MPRISName.player, method)
        return true
    }

    /// The players for which a condition holds; a player that fails does not count.
    private func choose(
        _ players: [Player], _ isChosen: @escaping @Sendable (Player) async throws -> Bool
    ) async -> [Player] {
        await withTaskGroup(of: Player?.self) { group in
            for player in players {
                group.addTask { [logger] in
                    do {
                        return try await isChosen(player) ? player : nil
                    } catch {
                        logger.info("\(player.name) cannot be asked: \(error)")
                        return nil
                    }
                }
            }
            return await group.reduce(into: []) { chosen, player in
                if let player { chosen.append(player) }
            }
        }
    }
}
