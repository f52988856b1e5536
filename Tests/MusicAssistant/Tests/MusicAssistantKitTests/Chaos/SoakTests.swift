import ClientTestSupport
import Foundation
import MusicAssistantKit
import MusicAssistantTestServer
import Testing

/// One client over many commands, with a server that restarts after every hundred commands.
///
/// The variables DESCANT_SOAK_COMMANDS and DESCANT_SOAK_SEED choose another run; a failure prints its seed.
@Suite(.timeLimit(.minutes(30)))
struct SoakTests {
    private static let environment = ProcessInfo.processInfo.environment
    private static let commands = environment["DESCANT_SOAK_COMMANDS"].flatMap { Int($0) } ?? 400
    private static let seed =
        environment["DESCANT_SOAK_SEED"].flatMap { UInt64($0) } ?? .random(in: 0..<1_000_000_000)
    private static let period = 100

    /// The mirrors are equal to fetched lists before and after every restart, and no memory is leaked.
    @Test func mirrorsStayEqualToFreshLists() async throws {
        print("soak: \(Self.commands) commands, DESCANT_SOAK_SEED=\(Self.seed)")
        let lives = LifeCounter()
        try await Fixture.run { fixture in
            var random = SeededRandom(seed: Self.seed)
            var memory: [Int] = []
            let client = try Self.client(fixture, lives)
            try await client.connect()
            for round in 0..<max(1, Self.commands / Self.period) {
                for _ in 0..<Self.period / 4 { try await Self.sendFour(fixture, client, &random) }
                try await Self.compare(fixture, client, round)
                try await fixture.server.restart(
                    saying: round.isMultiple(of: 2) ? 1000 : nil, idle: round.isMultiple(of: 3))
                try await Self.waitForMirrors(fixture, client)
                try await Self.compare(fixture, client, round)
                memory.append(try ChaosTests.residentMemory())
            }
            await client.disconnect()
            try await fixture.server.wait { $0.openConnections == 0 }
            Self.judge(memory)
        }
        await lives.waitUntilCountIsZero()
    }

    private static func client(_ fixture: Fixture, _ lives: LifeCounter) throws -> MusicAssistantClient {
        let life = lives.begin()
        return try fixture.client { configuration in
            configuration.reconnect = ReconnectPolicy(delays: [0.001, 0.002, 0.005], jitter: 0.5)
            configuration.keepsMirrors = true
            // Every part of the client keeps a reference to the configuration.
            configuration.logger = { [life] _ in withExtendedLifetime(life) {} }
        }
    }

    private static func judge(_ memory: [Int]) {
        let quarters = stride(from: 0, to: memory.count, by: max(1, memory.count / 8)).map { memory[$0] >> 20 }
        print("soak: resident memory in MB:", quarters)
        // The first rounds allocate memory once.
        guard memory.count >= 50 else { return }
        let (early, late) = (memory[memory.count / 4..<memory.count / 2], memory[(memory.count * 3 / 4)...])
        let growth = (late.min() ?? 0) - (early.max() ?? 0)
        #expect(growth < 16 << 20, "memory grew by \(growth) bytes, DESCANT_SOAK_SEED=\(seed)")
    }

    // MARK: Comparing

    /// The server sends events before the reply of the command that caused them, so after a reply the mirrors are up to
    /// date.
    private static func compare(_ fixture: Fixture, _ client: MusicAssistantClient, _ round: Int) async throws {
        let text = "round \(round), DESCANT_SOAK_SEED=\(seed)"
        // The events of other clients arrive before this reply.
        _ = try await client.info()
        // A stopped server sends no events without commands.
        for queue in client.queues.all { try await client.stopQueue(queueId: queue.queueId) }
        let players = try await client.getPlayers().sorted { $0.id < $1.id }
        let queues = try await client.getQueues().sorted { $0.id < $1.id }
        let different =
            differences(client.players.all.map(\.json), players.map(\.json))
            + differences(client.queues.all.map(\.json), queues.map(\.json))
        #expect(different == [], "\(text)")
    }

    /// The fields in which lists differ, with both values.
    private static func differences(_ mirrored: [JSONValue], _ fresh: [JSONValue]) -> [String] {
        guard mirrored.count == fresh.count else { return ["\(mirrored.count) instead of \(fresh.count)"] }
        return zip(mirrored, fresh).flatMap { mirrored, fresh in
            let names = Set((mirrored.objectValue ?? [:]).keys).union((fresh.objectValue ?? [:]).keys)
            return names.sorted().filter { mirrored[$0] != fresh[$0] }.map {
                "\($0): \(mirrored[$0]?.jsonString ?? "missing"), not \(fresh[$0]?.jsonString ?? "missing")"
            }
        }
    }

    private static func waitForMirrors(_ fixture: Fixture, _ client: MusicAssistantClient) async throws {
        // The client may not have noticed yet that the connection ended.
        while true {
            let (players, queues) = (client.players.snapshots, client.queues.snapshots)
            do {
                try await client.connect()
                _ = try await client.info()
            } catch is MusicAssistantError {
                continue
            }
            _ = try await players.first { $0.isCurrent }
            _ = try await queues.first { $0.isCurrent }
            return
        }
    }

    // MARK: Commands

    private static func sendFour(
        _ fixture: Fixture, _ client: MusicAssistantClient, _ random: inout SeededRandom
    ) async throws {
        let steps = (0..<4).map { _ in
            (kind: Int.random(in: 0..<26, using: &random), number: Int.random(in: 0..<100, using: &random))
        }
        try await withThrowingTaskGroup(of: Void.self) { group in
            for step in steps {
                group.addTask {
                    do {
                        let player = ["kitchen", "study", "porch", "guest"][step.number % 4]
                        if try await sendToPlayer(step.kind, step.number, player, client) { return }
                        if try await sendToQueue(step.kind, step.number, player, client) { return }
                        try await changeHome(step.kind, player, fixture)
                    } catch MusicAssistantError.serverError {
                        // For example a queue without items, or a guest that is not connected.
                    }
                }
            }
            try await group.waitForAll()
        }
    }

    /// - Returns: Whether it was a command of this kind.
    private static func sendToPlayer(
        _ kind: Int, _ number: Int, _ player: String, _ client: MusicAssistantClient
    ) async throws -> Bool {
        switch kind {
        case 0: try await client.setVolume(playerId: player, volume: number)
        case 1: try await client.setMuted(playerId: player, muted: number < 50)
        case 2: try await client.setPower(playerId: player, powered: number < 50)
        case 3: try await client.group(playerId: "kitchen", adding: ["study"])
        case 4: try await client.ungroup(playerId: "study")
        case 5: try await client.playPause(playerId: player)
        case 6: try await client.next(playerId: player)
        case 7: _ = try await client.search(query: "\(number)")
        case 8: _ = try await client.albumTracks(itemId: "\(number % 4 + 1)")
        default: return false
        }
        return true
    }

    private static func sendToQueue(
        _ kind: Int, _ number: Int, _ queue: String, _ client: MusicAssistantClient
    ) async throws -> Bool {
        let options: [EnqueueOption] = [.play, .replace, .next, .replaceNext, .add]
        switch kind {
        case 9...11:
            let uri = number < 80 ? "library://track/\(number % 10 + 1)" : "library://album/\(number % 4 + 1)"
            try await client.playMedia(queueId: queue, uri: uri, option: options[number % options.count])
        case 12: try await client.shuffle(queueId: queue, enabled: number < 50)
        case 13: try await client.setRepeat(queueId: queue, mode: [.off, .one, .all][number % 3])
        case 14: try await client.seekQueue(queueId: queue, position: number)
        case 15: try await client.clearQueue(queueId: queue)
        case 16: try await client.transferQueue(sourceQueueId: queue, targetQueueId: "porch")
        case 17: try await client.deleteItem(queueId: queue, index: number % 5)
        case 18: try await client.playIndex(queueId: queue, index: number % 5)
        case 19: try await client.setPlaybackSpeed(queueId: queue, speed: 1 + Double(number) / 100)
        case 20: _ = try await client.getQueueItems(queueId: queue)
        case 21: try await client.resumeQueue(queueId: queue)
        default: return false
        }
        return true
    }

    /// Actions of other clients and of the players.
    private static func changeHome(_ kind: Int, _ player: String, _ fixture: Fixture) async throws {
        try await fixture.server.changeHome { home in
            let isThere = home.players.contains { $0.id == player }
            switch kind {
            case 22: if isThere { try home.change(player: player) { $0.isAvailable.toggle() } }
            case 23: if isThere { try home.change(player: player) { $0.isEnabled.toggle() } }
            case 24: if player == "guest", !isThere { home.add(SimulatedPlayer("guest", "Guest")) }
            default: if player == "guest", isThere { home.remove(player: "guest") }
            }
        }
    }
}
