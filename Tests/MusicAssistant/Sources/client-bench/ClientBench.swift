import Foundation
import MusicAssistantKit
import MusicAssistantTestServer

/// Measurements of a client with a server in the same process.
struct ClientBench {
    /// The rate at which subscribers read events, and the number of lost events.
    struct EventFigures {
        let perSecond: Double
        let missedByReaders: Int
        let missedBySlowReader: Int
    }

    let client: MusicAssistantClient
    let server: MusicAssistantTestServer

    /// Runs commands on a number of tasks for some seconds.
    func commandsPerSecond(inFlight: Int, seconds: Int) async throws -> Double {
        let clock = ContinuousClock()
        let start = clock.now
        let end = start + .seconds(seconds)
        let count = try await withThrowingTaskGroup(of: Int.self) { group in
            for _ in 0..<inFlight {
                group.addTask {
                    var count = 0
                    while clock.now < end {
                        try await client.send("nothing", timeout: .seconds(10))
                        count += 1
                    }
                    return count
                }
            }
            return try await group.reduce(0, +)
        }
        return Double(count) / ((clock.now - start) / .seconds(1))
    }

    /// Sends events to a hundred subscribers, one of which reads only after the last event.
    func events(_ count: Int, subscribers: Int = 100) async throws -> EventFigures {
        let clock = ContinuousClock()
        let slow = client.events.all
        let readers = (1..<subscribers).map { _ in
            let stream = client.events.all
            return Task { await Self.read(stream, until: count - 1) }
        }
        let start = clock.now
        for first in stride(from: 0, to: count, by: 100) {
            try await server.send((first..<first + 100).map { ServerEvent("number", data: .int($0)) })
            _ = try await client.info()
        }
        var (read, missed) = (0, 0)
        for reader in readers {
            let (ofThis, missedByThis) = await reader.value
            (read, missed) = (read + ofThis, missed + missedByThis)
        }
        let duration = (clock.now - start) / .seconds(1)
        let missedBySlowReader = await Self.read(slow, until: count - 1).missed
        return EventFigures(
            perSecond: Double(read) / duration, missedByReaders: missed, missedBySlowReader: missedBySlowReader)
    }

    private static func read(_ stream: MusicAssistantEventStream<MusicAssistantEvent>, until last: Int) async -> (
        read: Int, missed: Int
    ) {
        var (read, missed) = (0, 0)
        for await event in stream {
            read += 1
            missed += event.missed
            if event.data.intValue == last { break }
        }
        return (read, missed)
    }

    /// The memory of this process, client and server, in MB.
    static func residentMegabytes() throws -> Double {
        let text = try String(contentsOfFile: "/proc/self/statm", encoding: .utf8)
        return Double((text.split(separator: " ").dropFirst().first.flatMap { Int($0) } ?? 0) * 4096) / 1_048_576
    }
}
