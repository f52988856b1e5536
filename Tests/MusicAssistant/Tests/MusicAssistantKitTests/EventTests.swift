import ClientTestSupport
import Foundation
import MusicAssistantKit
import MusicAssistantTestServer
import Testing

@Suite(.timeLimit(.minutes(2)))
struct EventTests {
    /// Events outside the filter are not delivered and do not count as missed.
    @Test func subscriptionsAreFilteredByKindAndID() async throws {
        try await Fixture.connected(change: { $0.eventBuffer = 2 }) { fixture, client in
            let chosen = client.events.events(of: [.playerUpdated, .queueTimeUpdated], about: ["study"])
            let about = client.events.events(about: ["porch"])
            let (player, queue) = (client.events.updates(ofPlayer: "study"), client.events.updates(ofQueue: "study"))
            let noise = (0..<50).map { ServerEvent("player_updated", objectID: "kitchen", data: .int($0)) }
            try await fixture.server.send(
                noise + [ServerEvent("player_updated", objectID: "study", data: 1)] + noise
                    + [
                        ServerEvent("queue_time_updated", objectID: "study", data: 2),
                        ServerEvent("player_config_updated", objectID: "study"),
                        ServerEvent("providers_updated", data: []), ServerEvent("from_the_future", objectID: "porch"),
                    ])
            var seen: [EventKind] = []
            for await event in chosen {
                #expect(event.missed == 0 && event.objectId == "study")
                seen.append(event.event)
                if seen.count == 2 { break }
            }
            #expect(seen == [.playerUpdated, .queueTimeUpdated])
            #expect(try await about.first { _ in true }?.event == "from_the_future")
            let update = try await player.first { _ in true }
            #expect(update?.data == 1 && update?.missed == 0)
            #expect(try await queue.first { _ in true }?.data == 2)
        }
    }

    @Test func eachKindHasItsSequence() async throws {
        try await Fixture.connected { fixture, client in
            let (players, queues) = (client.events.playerUpdates, client.events.queueUpdates)
            let (items, all) = (client.events.mediaItemUpdates, client.events.all)
            try await fixture.server.send([
                ServerEvent("player_updated", objectID: "kitchen", data: ["player_id": "kitchen", "volume_level": 7]),
                ServerEvent("queue_time_updated", objectID: "kitchen", data: 15),
                ServerEvent("media_item_played", objectID: "library://track/7", data: ["name": "First Light"]),
                ServerEvent("providers_updated", data: [1, 2]),
                ServerEvent("from_the_future", objectID: "x", data: ["y": 1]),
                ServerEvent("player_removed", objectID: "study"),
            ])
            var seen: [EventKind] = []
            for await event in all {
                seen.append(event.event)
                #expect(event.missed == 0)
                if event.event == "from_the_future" { #expect(event.data["y"] == 1) }
                if event.event == .playerRemoved { break }
            }
            #expect(
                seen == [
                    .playerUpdated, .queueTimeUpdated, .mediaItemPlayed, .providersUpdated, "from_the_future",
                    .playerRemoved,
                ])
            let player = try await players.first { _ in true }
            #expect(player?.playerId == "kitchen")
            #expect(player?.player?.volume == 7)
            let queue = try await queues.first { _ in true }
            #expect(queue?.data == 15)
            #expect(queue?.queue == nil)
            #expect(try await items.first { _ in true }?.uri == "library://track/7")
        }
    }

    @Test func eventsArriveBeforeTheReplyOfTheirCommand() async throws {
        try await Fixture.connected { _, client in
            let updates = client.events.playerUpdates
            try await client.setVolume(playerId: "kitchen", volume: 12)
            #expect(try await updates.first { $0.playerId == "kitchen" }?.player?.volume == 12)
        }
    }

    /// One of a hundred subscribers does not read. The others get all events, and it gets the number of lost ones.
    @Test func slowSubscriberLosesEventsAndGetsTheirNumber() async throws {
        try await Fixture.connected(change: { $0.eventBuffer = 512 }) { fixture, client in
            let slow = client.events.all
            let others = (0..<99).map { _ in client.events.all }
            let count = 2000
            let readers = others.map { stream in
                Task {
                    var numbers: [Int] = []
                    var missed = 0
                    for await event in stream {
                        numbers.append(event.data.intValue ?? -1)
                        missed += event.missed
                        if event.data.intValue == count - 1 { break }
                    }
                    return (numbers.count + missed, numbers == numbers.sorted())
                }
            }
            for start in stride(from: 0, to: count, by: 100) {
                try await fixture.server.send((start..<start + 100).map { ServerEvent("number", data: .int($0)) })
                // The server disconnects clients with 512 unread messages; one round trip prevents that.
                _ = try await client.info()
            }
            for reader in readers { #expect(await reader.value == (count, true)) }
            var iterator = slow.makeAsyncIterator()
            let first = await iterator.next()
            #expect(first?.missed == count - 512)
            #expect(first?.data.intValue == count - 512)
            #expect(await iterator.next()?.missed == 0)
        }
    }

    @Test func sequencesEndWithTheClient() async throws {
        try await Fixture.run { fixture in
            let client = try fixture.client()
            let streams = [client.events.all, client.events.all]
            let readers = streams.map { stream in Task { try await stream.first { _ in false } == nil } }
            try await client.connect()
            await client.disconnect()
            for reader in readers { #expect(try await reader.value) }
        }
    }

    @Test func cancelledReaderEnds() async throws {
        try await Fixture.connected { _, client in
            let stream = client.events.playerUpdates
            let reader = Task { for await _ in stream {} }
            reader.cancel()
            await reader.value
        }
    }
}
