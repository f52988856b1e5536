import ClientTestSupport
import Foundation
import MusicAssistantKit
import MusicAssistantTestServer
import Testing

@Suite(.timeLimit(.minutes(2)))
struct LoginTests {
    @Test func loginWithNameAndPassword() async throws {
        try await Fixture.run { fixture in
            let client = try fixture.client(token: nil)
            try await client.connect()
            await #expect { try await client.getPlayers() } throws: { error in
                (error as? MusicAssistantError)?.serverCode == .authenticationRequired
            }
            #expect(try await client.loginProviders().first?.providerId == "builtin")
            let token = try await client.login(username: "admin", password: "secret", deviceName: "test")
            #expect(try await client.getPlayers().count == 3)
            #expect(try await client.me().username == "admin")
            await client.disconnect()

            let second = try fixture.client(token: token)
            try await second.connect()
            #expect(try await second.me().username == "admin")
            await second.disconnect()
        }
    }

    @Test func clientLogsInAgainAfterReconnect() async throws {
        let clock = ManualClock()
        try await Fixture.run { fixture in
            let client = try fixture.client(token: nil, clock: clock)
            try await client.connect()
            try await client.login(username: "admin", password: "secret")
            let states = client.connectionStates
            try await fixture.server.closeConnections()
            _ = try await states.first { $0.isReconnecting }
            await clock.waitForSleeper(of: .seconds(1))
            clock.advance(by: .seconds(1))
            _ = try await states.first { $0.isConnected }
            #expect(try await client.getPlayers().count == 3)
            await client.disconnect()
        }
    }

    @Test func wrongPasswordIsRefused() async throws {
        try await Fixture.run { fixture in
            let client = try fixture.client(token: nil)
            try await client.connect()
            await #expect { try await client.login(username: "admin", password: "wrong") } throws: { error in
                if case MusicAssistantError.loginFailed(let reason) = error { !reason.isEmpty } else { false }
            }
            #expect(await client.isConnected)
            await client.disconnect()
        }
    }

    @Test func unknownTokenIsRefused() async throws {
        try await Fixture.run { fixture in
            let client = try fixture.client(token: "expired")
            await #expect { try await client.connect() } throws: { error in
                if case MusicAssistantError.tokenRejected = error { true } else { false }
            }
            guard case .failed = await client.connectionState else {
                Issue.record("the state is \(await client.connectionState)")
                return
            }
            try await fixture.server.wait { $0.openConnections == 0 }
            await client.disconnect()
        }
    }

    @Test func revokedTokenStopsReconnecting() async throws {
        let clock = ManualClock()
        try await Fixture.run { fixture in
            let client = try fixture.client(clock: clock)
            try await client.connect()
            let states = client.connectionStates
            try await fixture.server.revoke("test-token")
            _ = try await states.first { $0.isReconnecting }
            await clock.waitForSleeper(of: .seconds(1))
            clock.advance(by: .seconds(1))
            let end = try await states.first { if case .failed = $0 { true } else { false } }
            guard case .failed(MusicAssistantError.tokenRejected) = end else {
                Issue.record("ended with \(String(describing: end))")
                return
            }
            #expect(try await fixture.server.statistics.connections == 2)
            await client.disconnect()
        }
    }

    @Test func serverWithoutUsersRequiresSetup() async throws {
        var scenario = Scenario()
        scenario.isSetUp = false
        try await Fixture.run(scenario) { fixture in
            for token: AccessToken? in [nil, "test-token"] {
                await #expect { try await fixture.client(token: token).connect() } throws: { error in
                    if case MusicAssistantError.setupRequired = error { true } else { false }
                }
            }
        }
    }

    @Test func createdTokenLogsIn() async throws {
        try await Fixture.connected { fixture, client in
            let token = try await client.createToken(name: "test")
            let second = try fixture.client(token: token)
            try await second.connect()
            await second.disconnect()
        }
    }

    /// The server closes the connection before it answers.
    @Test func logoutRemovesTheToken() async throws {
        try await Fixture.connected { fixture, client in
            try await client.logout()
            // The client reconnects without a login.
            try await client.connect()
            await #expect { try await client.getPlayers() } throws: { error in
                (error as? MusicAssistantError)?.serverCode == .authenticationRequired
            }
            try await client.login(username: "admin", password: "secret")
            #expect(try await client.getPlayers().count == 3)
            try await client.logout()
            // A login waits for the reconnect.
            try await client.login(username: "admin", password: "secret")
            #expect(try await client.me().username == "admin")
        }
    }

    @Test func refusedLogoutKeepsTheToken() async throws {
        let scenario = Scenario(replyFaults: [ReplyFault(.error(ServerError(999, "busy")), on: "auth/logout")])
        try await Fixture.connected(scenario) { fixture, client in
            await #expect(throws: MusicAssistantError.self) { try await client.logout() }
            let states = client.connectionStates
            try await fixture.server.closeConnections()
            _ = try await states.first { $0.isReconnecting }
            try await client.connect()
            #expect(try await client.getPlayers().count == 3)
        }
    }

    /// The connection ends with the command, which the server does not run.
    @Test func lostLogoutIsAnErrorAndKeepsTheToken() async throws {
        let scenario = Scenario(replyFaults: [ReplyFault(.close(code: 1001), on: "auth/logout", times: 1)])
        try await Fixture.connected(scenario) { fixture, client in
            await #expect { try await client.logout() } throws: { error in
                if case MusicAssistantError.connectionLost = error { true } else { false }
            }
            #expect(try await client.getPlayers().count == 3)
            try await client.logout()
            await #expect { try await fixture.client().connect() } throws: { error in
                if case MusicAssistantError.tokenRejected = error { true } else { false }
            }
        }
    }

    /// A client that gave up connects without the revoked token when `login` is called.
    @Test(arguments: [true, false]) func clientWithRevokedTokenCanLogInAgain(_ connectsFirst: Bool) async throws {
        let clock = ManualClock()
        try await Fixture.connected(clock: clock) { fixture, client in
            let states = client.connectionStates
            try await fixture.server.revoke("test-token")
            _ = try await states.first { $0.isReconnecting }
            await clock.waitForSleeper(of: .seconds(1))
            clock.advance(by: .seconds(1))
            // The last state, then the end.
            var last: ConnectionState?
            for await state in states { last = state }
            guard case .failed(MusicAssistantError.tokenRejected)? = last else {
                Issue.record("the last state is \(String(describing: last))")
                return
            }
            if connectsFirst {
                await #expect { try await client.connect() } throws: { error in
                    if case MusicAssistantError.tokenRejected = error { true } else { false }
                }
            }
            let again = client.connectionStates
            try await client.login(username: "admin", password: "secret")
            #expect(try await client.getPlayers().count == 3)
            _ = try await again.first { $0.isConnected }
        }
    }

    @Test func streamsEndWhenTheClientGivesUp() async throws {
        let change: @Sendable (inout ClientConfiguration) -> Void = { configuration in
            configuration.reconnect = .never
            configuration.keepsMirrors = true
        }
        try await Fixture.connected(change: change) { fixture, client in
            let (events, updates) = (client.events.all, client.events.playerUpdates)
            let (players, states) = (client.players.snapshots, client.connectionStates)
            try await fixture.server.closeConnections()
            for await _ in events {}
            for await _ in updates {}
            var isCurrent = true
            for await snapshot in players { isCurrent = snapshot.isCurrent }
            #expect(!isCurrent)
            for await _ in states {}
            #expect(!(await client.isConnected))
            // New subscriptions belong to the next connection.
            let later = client.events.playerUpdates
            try await client.connect()
            try await client.setVolume(playerId: "kitchen", volume: 12)
            #expect(try await later.first { $0.playerId == "kitchen" }?.player?.volume == 12)
        }
    }

    @Test func serverWithUnfinishedSetupAcceptsLogins() async throws {
        var scenario = Scenario()
        scenario.isOnboarded = false
        try await Fixture.run(scenario) { fixture in
            let client = try fixture.client(token: nil)
            try await client.connect()
            #expect(await client.serverInfo?.isSetUp == false)
            try await client.login(username: "admin", password: "secret")
            #expect(try await client.getPlayers().count == 3)
            await client.disconnect()
            let second = try fixture.client()
            try await second.connect()
            #expect(try await second.getPlayers().count == 3)
            await second.disconnect()
        }
    }

    /// A short secret is hidden only as a whole word.
    @Test func shortSecretIsHiddenOnlyAsWord() async throws {
        let scenario = Scenario(replyFaults: [
            ReplyFault(.error(ServerError(23, "the token 'to' is not known to the server")), on: "auth", times: 1),
            ReplyFault(.result(["success": false, "error": "a bad password (a)"]), on: "auth/login", times: 1),
            ReplyFault(.result(["success": false, "error": "xx-hush-hush-xx"]), on: "auth/login", times: 1),
        ])
        try await Fixture.run(scenario) { fixture in
            await #expect { try await fixture.client(token: "to").connect() } throws: { error in
                "\(error)".contains("the token '(hidden)' is not known (hidden) the server")
            }
            let client = try fixture.client(token: nil)
            try await client.connect()
            await #expect { try await client.login(username: "admin", password: "a") } throws: { error in
                "\(error)".contains("(hidden) bad password ((hidden))")
            }
            await #expect { try await client.login(username: "admin", password: "hush-hush") } throws: { error in
                !"\(error)".contains("hush")
            }
            await client.disconnect()
        }
    }

    /// Log entries, descriptions and errors of failed logins do not contain the secrets.
    @Test func secretsAreNeverInLogsOrErrors() async throws {
        let book = LogBook()
        let secrets = ["hush-token", "hush-password", "test-token", "secret"]
        let scenario = Scenario(replyFaults: [
            ReplyFault(.error(ServerError(23, "no such token: hush-token")), on: "auth", times: 1),
            ReplyFault(.result(["success": false, "error": "bad password hush-password"]), on: "auth/login", times: 1),
            ReplyFault(.error(ServerError(999, "bad hush-password")), on: "auth/login", times: 1),
            ReplyFault(.error(ServerError(999, "weak: hush-password")), on: "auth/user/update"),
        ])
        var texts: [String] = []
        try await Fixture.run(scenario) { fixture in
            let client = try fixture.client(token: "hush-token") { $0.logger = { book.add($0) } }
            var configuration = ClientConfiguration(token: "hush-token")
            configuration.logger = { book.add($0) }
            var seen = ["\(configuration)", String(reflecting: configuration), "\(client)"]
            var dumped = ""
            dump(configuration, to: &dumped)
            seen.append(dumped)
            for step in [
                { @Sendable in try await client.connect() },
                { @Sendable in try await fixture.client(token: nil) { $0.logger = { book.add($0) } }.connect() },
            ] {
                do { try await step() } catch {
                    seen.append("\(error) \(String(reflecting: error)) \(error.localizedDescription)")
                }
            }
            let other = try fixture.client(token: nil) { $0.logger = { book.add($0) } }
            try await other.connect()
            for _ in 1...2 {
                do { try await other.login(username: "admin", password: "hush-password") } catch {
                    seen.append("\(error)")
                }
            }
            let token = try await other.login(username: "admin", password: "secret")
            seen.append("\(token) \(String(reflecting: token)) \(await other.connectionState)")
            do { _ = try await other.updateUser(password: "hush-password") } catch { seen.append("\(error)") }
            #expect(seen.count { $0.contains("(hidden)") } >= 3)
            await other.disconnect()
            for text in seen + book.entries.map(\.description) {
                for secret in secrets + [token.secret] {
                    #expect(!text.contains(secret), "'\(secret)' shows in: \(text)")
                }
            }
        }
        texts = book.entries.map(\.message)
        #expect(!texts.isEmpty)
    }

    /// The same of join codes, and of commands with several replies.
    @Test func secretsOfCodesAndStreamsAreNeverInErrors() async throws {
        let scenario = Scenario(replyFaults: [
            ReplyFault(.error(ServerError(999, "weak: hush-password")), on: "auth/user/update"),
            ReplyFault(.error(ServerError(999, "no hush-code")), on: "auth/join_code/exchange", times: 1),
            ReplyFault(
                .result(["success": false, "error": "old: hush-code"]), on: "auth/join_code/exchange", times: 1),
            ReplyFault(
                .result(["success": true, "access_token": "hush-guest"]), on: "auth/join_code/exchange", times: 1),
        ])
        try await Fixture.run(scenario) { fixture in
            let client = try fixture.client(token: nil)
            try await client.connect()
            _ = try await client.login(username: "admin", password: "secret")
            var replies: [String] = []
            for _ in 1...2 {
                do { _ = try await client.exchangeJoinCode(code: "hush-code") } catch { replies.append("\(error)") }
            }
            let guest = try await client.exchangeJoinCode(code: "hush-code")
            replies.append("\(guest)")
            do {
                for try await _ in try client.stream("auth/user/update", ["password": "hush-password"]) {}
            } catch {
                replies.append("\(error)")
            }
            #expect(replies.count == 4 && replies.allSatisfy { $0.contains("(hidden)") }, "\(replies)")
            #expect(guest.secret == "hush-guest")
            #expect(replies.allSatisfy { !$0.contains("hush") }, "\(replies)")
            await client.disconnect()
        }
    }

    @Test func tokenOverPlainTextToAnotherHostIsLoggedAsWarning() async throws {
        try await Fixture.run { fixture in
            for (host, warns) in [("127.0.0.1", false), ("localhost", false), ("0.0.0.0", true)] {
                let book = LogBook()
                var configuration = ClientConfiguration(token: "test-token", logger: { book.add($0) })
                configuration.keepsMirrors = false
                let client = MusicAssistantClient(host: host, port: fixture.server.port, configuration: configuration)
                try await client.connect()
                #expect(book.entries.contains { $0.level == .warning && $0.message.contains("plain text") } == warns)
                await client.disconnect()
            }
        }
    }
}
