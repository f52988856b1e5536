import ClientTestSupport
import Foundation
import MusicAssistantKit
import MusicAssistantTestServer
import Testing

@Suite(.timeLimit(.minutes(2)))
struct MirrorTests {
    /// Runs a test with a connected client whose mirrors are fetched.
    private func mirrored(
        _ scenario: Scenario = Scenario(), clock: (any ClientClock)? = nil,
        _ body: @Sendable (Fixture, MusicAssistantClient) async throws -> Void
    ) async throws {
        try await Fixture.connected(scenario, clock: clock, change: { $0.keepsMirrors = true }) { fixture, client in
            _ = try await client.players.snapshots.first { $0.isCurrent }
            _ = try await client.queues.snapshots.first { $0.isCurrent }
            try await body(fixture, client)
        }
    }

    @Test func mirrorsFollowTheServersEvents() async throws {
        try await mirrored { fixture, client in
            #expect(client.players.all.map(\.playerId) == ["kitchen", "porch", "study"])
            #expect(client.queues["study"]?.state == .idle)
            try await fixture.server.changeHome { home in
                try home.change(player: "kitchen") { $0.volume = 33 }
                home.remove(player: "porch")
                home.add(SimulatedPlayer("attic", "Attic"))
            }
            let snapshot = try await client.players.snapshots.first { $0.values["attic"] != nil }
            #expect(snapshot?.sorted.map(\.playerId) == ["attic", "kitchen", "study"])
            #expect(client.players["kitchen"]?.volume == 33)
            _ = try await client.queues.snapshots.first { $0.values["attic"] != nil }
        }
    }

    @Test func mirroredQueueHasItsPosition() async throws {
        let clock = ManualClock()
        var scenario = Scenario()
        scenario.clock = { clock.date.timeIntervalSince1970 }
        try await mirrored(scenario, clock: clock) { fixture, client in
            let track = try #require(try await client.libraryItems(kind: .tracks).first { ($0.duration ?? 0) > 20 })
            try await client.playMedia(queueId: "kitchen", uri: track.uri, option: .replace)
            #expect(client.queues["kitchen"]?.state == .playing)
            #expect(client.position(queueId: "kitchen") == 0)
            clock.advance(by: .milliseconds(2500))
            #expect(client.position(queueId: "kitchen") == 2.5)
            try await client.seekQueue(queueId: "kitchen", position: 10)
            #expect(client.position(queueId: "kitchen") == 10)
            clock.advance(by: .seconds(1))
            try await client.pauseQueue(queueId: "kitchen")
            clock.advance(by: .seconds(5))
            #expect(client.position(queueId: "kitchen") == 11)
            #expect(client.position(queueId: "nowhere") == nil)
            try await fixture.server.send([ServerEvent("queue_time_updated", objectID: "kitchen", data: 3)])
            _ = try await client.queues.snapshots.first { $0.values["kitchen"]?.elapsedTime == 3 }
            #expect(client.position(queueId: "kitchen") == 3)
        }
    }

    @Test func positionIsClampedToTheItem() throws {
        let json: JSONValue = [
            "queue_id": "q", "state": "playing", "elapsed_time": 20, "elapsed_time_last_updated": 1000,
            "current_item": ["queue_item_id": "i", "duration": 30],
        ]
        let queue = try PlayerQueue(json: json)
        #expect(queue.position(at: Date(timeIntervalSince1970: 1004)) == 24)
        #expect(queue.position(at: Date(timeIntervalSince1970: 2000)) == 30)
        #expect(queue.position(at: Date(timeIntervalSince1970: 900)) == 20)
        var members = try #require(json.objectValue)
        members["playback_speed"] = 1.5
        #expect(try PlayerQueue(json: .object(members)).position(at: Date(timeIntervalSince1970: 1004)) == 26)
    }

    @Test(arguments: [3600.0, -3600]) func positionIsRightWhenServerClockIs(ahead: Double) async throws {
        let clock = ManualClock()
        var scenario = Scenario()
        scenario.clock = { clock.date.timeIntervalSince1970 + ahead }
        try await mirrored(scenario, clock: clock) { _, client in
            let track = try #require(try await client.libraryItems(kind: .tracks).first { ($0.duration ?? 0) > 20 })
            try await client.playMedia(queueId: "kitchen", uri: track.uri, option: .replace)
            clock.advance(by: .seconds(4))
            let position = try #require(client.position(queueId: "kitchen"))
            #expect(abs(position - 4) < 0.001)
        }
    }

    @Test func positionIsRightAfterTheClientsClockWasSet() async throws {
        let (clock, serverClock) = (ManualClock(), ManualClock())
        var scenario = Scenario()
        scenario.clock = { serverClock.date.timeIntervalSince1970 }
        try await mirrored(scenario, clock: clock) { _, client in
            let track = try #require(try await client.libraryItems(kind: .tracks).first { ($0.duration ?? 0) > 20 })
            try await client.playMedia(queueId: "kitchen", uri: track.uri, option: .replace)
            clock.advance(by: .seconds(4))
            clock.setForward(by: 3600)
            #expect(client.position(queueId: "kitchen") == 4)
            #expect(client.serverDate == serverClock.date.addingTimeInterval(4))
        }
    }

    @Test func mirrorsAreCurrentAfterEveryReconnect() async throws {
        let clock = ManualClock()
        try await mirrored(clock: clock) { fixture, client in
            for round in 1...5 {
                let snapshots = client.players.snapshots
                let states = client.connectionStates
                try await fixture.server.goAway(saying: round.isMultiple(of: 2) ? 1000 : nil)
                _ = try await states.first { $0.isReconnecting }
                #expect(!client.players.snapshot.isCurrent)
                #expect(client.players.all.count == 2 + round)
                try await fixture.server.changeHome { home in
                    home.add(SimulatedPlayer("guest\(round)", "Guest"))
                    try home.change(player: "kitchen") { $0.volume = round }
                }
                try await fixture.server.comeBack()
                await clock.waitForSleeper(of: .seconds(1))
                clock.advance(by: .seconds(1))
                let now = try await snapshots.first { $0.isCurrent && $0.values["guest\(round)"] != nil }
                #expect(now?.values["kitchen"]?.volume == round)
                _ = try await client.queues.snapshots.first { $0.isCurrent && $0.values["guest\(round)"] != nil }
            }
        }
    }

    @Test func listWithoutReplyIsFetchedAgain() async throws {
        let clock = ManualClock()
        let scenario = Scenario(replyFaults: [ReplyFault(.drop, on: "players/all", times: 2)])
        try await Fixture.connected(
            scenario, clock: clock,
            change: {
                $0.keepsMirrors = true
                $0.pingInterval = nil
            }
        ) { fixture, client in
            for times in 1...2 {
                try await fixture.server.waitForCommand("players/all", times: times)
                await clock.waitForSleeper(of: .seconds(30))
                clock.advance(by: .seconds(30))
            }
            _ = try await client.players.snapshots.first { $0.isCurrent }
            #expect(client.players.all.count == 3)
        }
    }

    @Test func listIsFetchedAgainAfterAnError() async throws {
        let clock = ManualClock()
        let busy = ReplyFault(.error(ServerError(999, "busy")), on: "players/all", times: 2)
        let scenario = Scenario(replyFaults: [busy])
        try await Fixture.connected(scenario, clock: clock, change: { $0.keepsMirrors = true }) { fixture, client in
            for times in 1...2 {
                try await fixture.server.waitForCommand("players/all", times: times)
                await clock.waitForSleeper(of: .seconds(5))
                clock.advance(by: .seconds(5))
            }
            _ = try await client.players.snapshots.first { $0.isCurrent }
            #expect(client.players.all.count == 3)
        }
    }

    @Test func removedPlayerRemovesItsQueue() async throws {
        try await mirrored { fixture, client in
            let queues = client.queues.snapshots
            try await fixture.server.changeHome { $0.remove(player: "porch") }
            let snapshot = try await queues.first { $0.values["porch"] == nil }
            #expect(snapshot?.sorted.map(\.queueId) == ["kitchen", "study"])
        }
    }

    /// The server sends events for players that are added and removed, but none for their queues.
    @Test func queueAvailabilityFollowsItsPlayer() async throws {
        try await mirrored { fixture, client in
            let queues = client.queues.snapshots
            try await fixture.server.changeHome { try $0.change(player: "study") { $0.isAvailable = false } }
            _ = try await queues.first { $0.values["study"]?.isAvailable == false }
            #expect(client.players["study"]?.isAvailable == false)
            let later = client.queues.snapshots
            try await fixture.server.changeHome { try $0.change(player: "study") { $0.isAvailable = true } }
            _ = try await later.first { $0.values["study"]?.isAvailable == true }
            // The availability in the queue's own event is out of date and is ignored.
            let queue = try #require(client.queues["study"]).json.objectValue ?? [:]
            let stale = queue.merging(["available": false, "items": 7]) { $1 }
            let json = try #require(JSON(text: JSONValue.object(stale).jsonString))
            let last = client.queues.snapshots
            try await fixture.server.send([ServerEvent("queue_updated", objectID: "study", data: json)])
            let snapshot = try await last.first { $0.values["study"]?.itemCount == 7 }
            #expect(snapshot?.values["study"]?.isAvailable == true)
        }
    }

    @Test func mirrorsAreCurrentAfterServerRestart() async throws {
        let clock = ManualClock()
        try await mirrored(clock: clock) { fixture, client in
            try await client.playMedia(queueId: "kitchen", uri: "library://album/2", option: .replace)
            let states = client.connectionStates
            try await fixture.server.goAway()
            _ = try await states.first { $0.isReconnecting }
            #expect(!client.queues.snapshot.isCurrent && client.queues["kitchen"]?.isAvailable == true)
            // After a restart of the server, players are added later.
            try await fixture.server.changeHome { try $0.change(player: "kitchen") { $0.isAvailable = false } }
            try await fixture.server.comeBack(idle: true)
            await clock.waitForSleeper(of: .seconds(1))
            clock.advance(by: .seconds(1))
            let queues = client.queues.snapshots
            let idle = try await queues.first { $0.isCurrent }?.values["kitchen"]
            #expect(idle?.state == .idle && idle?.itemCount == 3 && idle?.isAvailable == false)
            let later = client.queues.snapshots
            try await fixture.server.changeHome { try $0.change(player: "kitchen") { $0.isAvailable = true } }
            _ = try await later.first { $0.values["kitchen"]?.isAvailable == true }
        }
    }

    @Test func disabledPlayersAreRemoved() async throws {
        try await mirrored { fixture, client in
            let players = client.players.snapshots
            try await fixture.server.changeHome { try $0.change(player: "porch") { $0.isEnabled = false } }
            let snapshot = try await players.first { $0.values["porch"] == nil }
            #expect(snapshot?.sorted.map(\.playerId) == ["kitchen", "study"])
            #expect(client.players.all == (try await client.getPlayers()))
            let later = client.players.snapshots
            try await fixture.server.changeHome { try $0.change(player: "porch") { $0.isEnabled = true } }
            _ = try await later.first { $0.values["porch"] != nil }
        }
    }

    @Test func mirrorsWorkWithoutLogin() async throws {
        var scenario = Scenario()
        scenario.asksForLogin = false
        try await Fixture.run(scenario) { fixture in
            let client = try fixture.client(token: nil) { $0.keepsMirrors = true }
            try await client.connect()
            _ = try await client.players.snapshots.first { $0.isCurrent }
            _ = try await client.queues.snapshots.first { $0.isCurrent }
            #expect(client.players.all.count == 3)
            await client.disconnect()
        }
    }

    @Test func snapshotsEndWithTheClient() async throws {
        try await Fixture.run { fixture in
            let client = try fixture.client { $0.keepsMirrors = true }
            try await client.connect()
            let snapshots = client.players.snapshots
            let reader = Task { for await _ in snapshots {} }
            await client.disconnect()
            await reader.value
            #expect(!client.players.snapshot.isCurrent)
        }
    }
}
