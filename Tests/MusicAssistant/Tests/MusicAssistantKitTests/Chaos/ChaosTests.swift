import ClientTestSupport
import Foundation
import MusicAssistantKit
import MusicAssistantTestServer
import Testing

/// Random faults of server and connection, over real sockets.
///
/// The variables DESCANT_CHAOS_RUNS and DESCANT_CHAOS_SEED choose other runs; a failure prints its seed.
@Suite(.timeLimit(.minutes(60)))
struct ChaosTests {
    private static let environment = ProcessInfo.processInfo.environment
    private static let runs = environment["DESCANT_CHAOS_RUNS"].flatMap { Int($0) } ?? 200
    private static let firstSeed =
        environment["DESCANT_CHAOS_SEED"].flatMap { UInt64($0) } ?? .random(in: 0..<1_000_000_000)
    /// The number of concurrent runs. Each has its own server, and waits for time limits most of the time.
    private static let workers = 8
    /// The number of rounds; memory is measured after each.
    private static let rounds = 4

    /// With any fault, every call ends exactly once, the client reconnects to a server without faults, and no socket,
    /// client, task or memory is leaked.
    @Test func everyCallEndsOnceAndTheClientRecovers() async throws {
        print("chaos: \(Self.runs) runs, DESCANT_CHAOS_SEED=\(Self.firstSeed)")
        let clients = LifeCounter()
        let descriptors = try Self.openDescriptors()
        var resident: [Int] = []
        for round in 0..<Self.rounds {
            try await withThrowingTaskGroup(of: Void.self) { group in
                for worker in 0..<Self.workers {
                    let numbers = stride(
                        from: round * Self.workers + worker, to: Self.runs, by: Self.rounds * Self.workers)
                    group.addTask { try await Self.work(numbers.map { Self.firstSeed &+ UInt64($0) }, clients) }
                }
                try await group.waitForAll()
            }
            await clients.waitUntilCountIsZero()
            resident.append(try Self.residentMemory())
        }
        print("chaos: resident memory after each quarter in MB:", resident.map { $0 >> 20 })
        // A leak would grow with the number of runs, and stays. Concurrent suites have hundreds of descriptors for a
        // while.
        let allowed = max(64, Self.runs / 50)
        let limit = ContinuousClock.now + .seconds(120)
        var left = try Self.openDescriptors() - descriptors
        while left >= allowed, ContinuousClock.now < limit {
            await Task.yield()
            left = try Self.openDescriptors() - descriptors
        }
        #expect(left < allowed, "\(left) descriptors were leaked")
        // The memory of single rounds varies; a leak adds up over thousands of runs.
        guard Self.runs >= 1000 else { return }
        let (before, after) = (resident.prefix(Self.rounds / 2), resident.suffix(Self.rounds / 2))
        let growth = (after.min() ?? 0) - (before.max() ?? 0)
        #expect(growth < 24 << 20, "memory grew by \(growth) bytes")
    }

    private static func work(_ seeds: [UInt64], _ clients: LifeCounter) async throws {
        // Partial results have two entries per message.
        var scenario = Scenario()
        scenario.chunkSize = 2
        let server = try await MusicAssistantTestServer.start(scenario)
        for seed in seeds {
            try await ChaosRun(plan: ChaosPlan(seed: seed), server: server, clients: clients).perform()
        }
        try await server.wait { $0.openConnections == 0 }
        try await server.stop()
    }

    /// The connection is cut at every byte of the upgrade, the greeting, the login and a first reply.
    @Test func clientSurvivesCutAtEveryByte() async throws {
        let clock = ManualClock()
        let server = try await MusicAssistantTestServer.start()
        let fixture = Fixture(server: server)
        for count in stride(from: 0, through: 800, by: Self.runs >= 1000 ? 1 : 3) {
            for fault in [ConnectionFault.Action.cut(afterBytes: count), .cut(afterBytes: count, resets: true)] {
                try await server.setFaults(connections: [ConnectionFault(fault)])
                let client = try fixture.client(clock: clock) { $0.reconnect = .never }
                do {
                    try await client.connect()
                    _ = try await client.getPlayers()
                } catch is MusicAssistantError {}
                await client.disconnect()
            }
        }
        try await server.wait { $0.openConnections == 0 }
        try await server.stop()
    }

    private static func openDescriptors() throws -> Int {
        try FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd").count
    }

    static func residentMemory() throws -> Int {
        let text = try String(contentsOfFile: "/proc/self/statm", encoding: .utf8)
        return (text.split(separator: " ").dropFirst().first.flatMap { Int($0) } ?? 0) * 4096
    }
}
