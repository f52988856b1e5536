import MusicAssistantTestServer
import Testing

extension ServerSuite {
    @Suite struct FaultTests {
        /// Authenticates, reads to the end and returns the number of received bytes.
        private func talk(_ server: MusicAssistantTestServer) async throws -> Int {
            let client = try await RawClient.connect(to: server.port)
            try await client.send(ByteCollector.upgradeAndAuthenticate)
            return await client.drain()
        }

        @Test func connectionsAreCutAtEveryByte() async throws {
            try await withServer { server in
                for count in stride(from: 0, through: 600, by: 6) {
                    try await server.setFaults(connections: [ConnectionFault(.cut(afterBytes: count))])
                    let received = try await talk(server)
                    #expect(received == count)
                }
                try await server.setFaults(connections: [ConnectionFault(.cut(afterBytes: 200, resets: true))])
                #expect(try await talk(server) <= 200)
                #expect(try await server.statistics.connections == 102)
                try await server.wait { $0.openConnections == 0 }
            }
        }

        @Test func aWaitEndsWhenItsTaskIsCancelled() async throws {
            try await withServer { server in
                let other = Task { try await server.waitForClients() }
                let waiting = Task { try await server.waitForCommand("never") }
                waiting.cancel()
                await #expect(throws: CancellationError.self) { try await waiting.value }
                // It ends no other wait.
                let client = try await RawClient.authenticated(server)
                try await other.value
                withExtendedLifetime(client) {}
            }
        }

        @Test func stalledConnectionStaysOpenAndSilent() async throws {
            try await withServer(Scenario(connectionFaults: [ConnectionFault(.stall(afterBytes: 50), connection: 0)])) {
                server in
                let stalled = try await RawClient.connect(to: server.port)
                try await stalled.send(ByteCollector.upgradeAndAuthenticate)
                try await server.waitForCommand("auth")
                // The next connection has no fault.
                _ = try await RawClient.authenticated(server)
                #expect(try await server.statistics.openConnections == 2)
                try await server.closeConnections()
                #expect(await stalled.drain() == 50)
            }
        }

        @Test func garbageIsInsertedAndBitsAreFlipped() async throws {
            try await withServer { server in
                let plain = try await bytes(server, [])
                let inserted = try await bytes(server, [.insert([1, 2, 3], atByte: 20)])
                try #require(plain.count == 120)
                #expect(inserted == Array((plain[..<20] + [1, 2, 3] + plain[20...]).prefix(120)))
                let flipped = try await bytes(server, [.flip(atByte: 30), .dribble(bytes: 1)])
                try #require(flipped.count == 120)
                #expect(flipped[30] == ~plain[30])
            }
        }

        /// The first bytes of the handshake of a connection with faults. The greeting is not compared, because its fields
        /// have no order.
        private func bytes(
            _ server: MusicAssistantTestServer, _ faults: [ConnectionFault.Action]
        ) async throws -> [UInt8] {
            try await server.setFaults(connections: faults.map { ConnectionFault($0) })
            let client = try await RawClient.connect(to: server.port)
            try await client.send(ByteCollector.upgradeAndAuthenticate)
            while client.received < 120 {
                guard try await client.fill() else { break }
            }
            return Array(client.buffer.readableBytesView.prefix(120))
        }

        @Test func greetingIsSentWithOrAfterHandshake() async throws {
            try await withServer { server in
                let client = try await RawClient.connect(to: server.port)
                let head = try await client.request(RawClient.upgradeRequest)
                #expect(head.hasPrefix("HTTP/1.1 101"))
                #expect(client.buffer.readableBytes > 100, "the greeting arrived in the same segment")
            }
        }

        @Test func upgradeIsRefusedWithStatus() async throws {
            try await withServer(Scenario(connectionFaults: [ConnectionFault(.refuse(status: 503))])) { server in
                let client = try await RawClient.connect(to: server.port)
                #expect(try await client.request(RawClient.upgradeRequest).hasPrefix("HTTP/1.1 503"))
            }
        }

        @Test func repliesAreDroppedRepeatedAndHeld() async throws {
            let scenario = Scenario(replyFaults: [
                ReplyFault(.drop, on: "info", times: 1), ReplyFault(.duplicate(times: 2), on: "auth/me"),
                ReplyFault(.hold, on: "players/all"), ReplyFault(.error(ServerError(77, nil)), on: "music/sync"),
                ReplyFault(.result([1]), on: "music/synctasks", skips: 1),
            ])
            try await withServer(scenario) { server in
                let client = try await RawClient.authenticated(server)
                try await client.send("info")
                #expect(try await client.call("info")["message_id"] == "3")
                let twice = try await client.call("auth/me")
                #expect(try await client.next().json == twice)
                let held = try await client.send("players/all")
                #expect(try await client.call("music/sync")["error_code"] == 77)
                #expect(try await client.call("music/synctasks")["result"] == [])
                #expect(try await client.call("music/synctasks")["result"] == [1])
                try await server.release()
                #expect(try await client.reply(to: held)["result"]?.array?.count == 3)
            }
        }

        @Test func repliesAreReversed() async throws {
            try await withServer(Scenario(replyFaults: [ReplyFault(.reverse(count: 3), on: "info")])) { server in
                let client = try await RawClient.authenticated(server)
                // At once: replies that are fewer than three are sent after a second.
                try await client.send("info", times: 5)
                var order: [String] = []
                for _ in 0..<5 { order.append(try await client.next().json?["message_id"]?.string ?? "") }
                #expect(order == ["4", "3", "2", "6", "5"])
            }
        }

        @Test func repliesArePaddedAndFragmented() async throws {
            let scenario = Scenario(replyFaults: [
                ReplyFault(.pad(bytes: 3 << 20), on: "info"), ReplyFault(.fragment(bytes: 100), on: "players/all"),
                ReplyFault(.binary([1, 2]), on: "auth/me"), ReplyFault(.texts(["{", "[]"]), on: "providers"),
                ReplyFault(.events([ServerEvent("unheard_of")]), on: "providers/manifests"),
            ])
            try await withServer(scenario) { server in
                let client = try await RawClient.authenticated(server)
                try await client.send("info")
                guard case .text(let text) = try await client.next() else {
                    throw RawClient.Unexpected(what: "no text")
                }
                #expect(text.utf8.count >= 3 << 20 && JSON(text: text)?["result"]?["schema_version"] == 29)
                try await client.send("players/all")
                let first = try #require(try await client.frame())
                #expect(!first.isLast && first.payload.readableBytes == 100)
                while let frame = try await client.frame(), !frame.isLast { #expect(frame.opcode == 0) }
                try await client.send("auth/me")
                #expect(try await client.next() == .binary([1, 2]))
                #expect(try await client.next().json?["result"] != nil)
                try await client.send("providers")
                #expect(try await client.next() == .text("{"))
                #expect(try await client.next() == .text("[]"))
                _ = try await client.call("providers/manifests")
                #expect(client.events.first?["event"] == "unheard_of")
            }
        }

        @Test func connectionEndsInsteadOfReply() async throws {
            let scenario = Scenario(replyFaults: [
                ReplyFault(.close(code: 4001), on: "info"), ReplyFault(.cut(afterBytes: 5), on: "auth/me"),
            ])
            try await withServer(scenario) { server in
                let client = try await RawClient.authenticated(server)
                try await client.send("info")
                #expect(try await client.next() == .close(4001))
                let other = try await RawClient.authenticated(server)
                let before = other.received
                try await other.send("auth/me")
                #expect(await other.drain() == before + 5)
            }
        }

        @Test func clientThatDoesNotReadIsDisconnected() async throws {
            try await withServer { server in
                let slow = try await RawClient.authenticated(server)
                try await slow.stopReading()
                let big = ServerEvent("noise", data: .string(String(repeating: "x", count: 40_000)))
                // The socket buffers some of them; then 512 are queued.
                for _ in 0..<20 { try await server.send(Array(repeating: big, count: 50)) }
                try await server.wait { $0.openConnections == 0 }
            }
        }

        @Test func pingsAreSentAndAnswered() async throws {
            var scenario = Scenario()
            scenario.pingInterval = .milliseconds(20)
            // Only one ping is answered.
            scenario.pongLimit = .seconds(600)
            try await withServer(scenario) { server in
                let client = try await RawClient.authenticated(server)
                #expect(try await client.next() == .ping)
                try await client.send(text: "", opcode: 10)
                try await server.wait { $0.pongs == 1 }
                try await client.send(text: "hi", opcode: 9)
                while try await client.next() != .pong(Array("hi".utf8)) {}
            }
        }

        @Test func missingPongEndsTheConnection() async throws {
            var scenario = Scenario()
            scenario.pingInterval = .milliseconds(20)
            scenario.pongLimit = .milliseconds(50)
            try await withServer(scenario) { server in
                let client = try await RawClient.connect(to: server.port)
                try await client.send(ByteCollector.upgradeAndAuthenticate)
                #expect(await client.drain() > 100)
                try await server.wait { $0.openConnections == 0 }
            }
        }

        @Test func restartedServerHasTheSamePort() async throws {
            try await withServer { server in
                let client = try await RawClient.authenticated(server)
                try await server.goAway()
                #expect(try await client.next() == .close(1000))
                await #expect(throws: (any Error).self) { try await RawClient.connect(to: server.port) }
                try await server.comeBack()
                _ = try await RawClient.authenticated(server)
                try await server.restart(saying: nil)
                _ = try await RawClient.authenticated(server)
            }
        }
    }
}
