public import DescantCore
internal import Synchronization

/// Asks the desktop's other players to make room, by MPRIS 2: a browser with a film, another music player.
///
/// It is on the bus only while it asks. Players of the own process are left alone.
public final class MPRISOtherPlayers: OtherPlayersPort {
    private struct Player {
        var name: String
        /// What the bus itself calls it; never given to anybody else.
        var owner: String
    }

    /// Where the bus is; `nil` when there is none, and nobody to be asked.
    public let busAddress: String?

    private let logger: any LoggerPort
    private let ownProcess: UInt32?
    private let limit: Double
    /// Who had the names of those that were paused.
    private let owners = Mutex<[String: String]>([:])

    /// Prepares it; nothing connects to the bus before somebody is to be asked.
    ///
    /// - Parameters:
    ///   - busAddress: Where the bus is, in the notation of D-Bus; `nil` for the session's.
    ///   - logger: Where it writes whom it could not reach.
    public convenience init(busAddress: String? = nil, logger: any LoggerPort = NoopLogger()) {
        self.init(busAddress: busAddress, logger: logger, ownProcess: nil)
    }

    /// - Parameters:
    ///   - ownProcess: The process to leave alone; `nil` for this one.
    ///   - limit: How long asking everybody may take, in seconds; what is left of two seconds is for a busy machine.
    init(
        busAddress: String?, logger: any LoggerPort = NoopLogger(), ownProcess: UInt32?, limit: Double = 1.8
    ) {
        self.busAddress = busAddress ?? BusAddress.session()
        self.logger = logger
        self.ownProcess = ownProcess
        self.limit = limit
    }

    // MARK: Making room

    /// Asks every other player that is playing to pause, all at once.
    ///
    /// - Returns: The names of those that answered, as on the bus. Takes less than 2 s, also when somebody does not answer.
    public func pauseOthers() async -> [String] {
        let paused = await visiting { visit in
            // As the bus numbers processes, which may be otherwise than we do.
            let own = if let ownProcess { ownProcess } else { try await visit.process() }
            return await self.choose(try await self.players(visit)) { player in
                guard try await visit.process(of: player.owner) != own else { return false }
                return try await self.ask(player, "Pause", whenItIs: "Playing", visit)
            }
        }
        owners.withLock { owners in
            for player in paused { owners[player.name] = player.owner }
        }
        return paused.map(\.name).sorted()
    }

    /// Asks players to go on that are still paused, and still the same ones.
    ///
    /// Takes less than 2 s, also when somebody does not answer.
    ///
    /// - Parameter players: What ``pauseOthers()`` returned.
    public func resume(_ players: [String]) async {
        let known = owners.withLock { owners in
            players.compactMap { name in owners.removeValue(forKey: name).map { Player(name: name, owner: $0) } }
        }
        guard !known.isEmpty else { return }
        _ = await visiting { visit in
            await self.choose(known) { player in
                guard try await self.owner(of: player.name, visit) == player.owner else { return false }
                return try await self.ask(player, "Play", whenItIs: "Paused", visit)
            }
        }
    }

    // MARK: On the bus

    private func visiting(_ body: (BusSession) async throws -> [Player]) async -> [Player] {
        guard let busAddress else { return [] }
        do {
            let visit = try await BusSession.begin(at: busAddress, limit: limit)
            defer { visit.end() }
            return try await body(visit)
        } catch {
            logger.info("other players cannot be asked: \(error)")
            return []
        }
    }

    /// Everybody on the bus that is a player. A program with several names is asked once.
    private func players(_ visit: BusSession) async throws -> [Player] {
        let names = try await visit.bus("ListNames").first?.elements?.compactMap(\.string) ?? []
        var players: [String: Player] = [:]
        for name in names.sorted() where name.hasPrefix(MPRISName.root + ".") && name != MPRISName.standIn {
            // Whoever has left meanwhile is none any more.
            guard let owner = try? await owner(of: name, visit), players[owner] == nil else { continue }
            players[owner] = Player(name: name, owner: owner)
        }
        return Array(players.values)
    }

    private func owner(of name: String, _ visit: BusSession) async throws -> String? {
        try await visit.bus("GetNameOwner", [.string(name)]).first?.string
    }

    /// - Returns: Whether it was asked and has answered.
    private func ask(
        _ player: Player, _ method: String, whenItIs status: String, _ visit: BusSession
    ) async throws -> Bool {
        let answer = try await visit.call(
            player.owner, MPRISName.path, MPRISName.properties, "Get",
            [.string(MPRISName.player), .string("PlaybackStatus")])
        guard answer.first?.content?.string == status else { return false }
        _ = try await visit.call(player.owner, MPRISName.path, MPRISName.player, method)
        return true
    }

    /// The players of which something is so; one that fails does not count.
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
