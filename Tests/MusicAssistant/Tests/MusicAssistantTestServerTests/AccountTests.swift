import MusicAssistantTestServer
import Testing

extension ServerSuite {
    @Suite struct AccountTests {
        @Test func greetingEqualsServerInfo() async throws {
            try await withServer { server in
                let (_, greeting) = try await RawClient.open(server)
                #expect(greeting["schema_version"] == 29 && greeting["onboard_done"] == true)
                let client = try await RawClient.connect(to: server.port)
                let head = try await client.request("GET /info HTTP/1.1\r\nHost: a\r\n\r\n")
                #expect(head.hasPrefix("HTTP/1.1 200"))
                #expect(JSON(text: try await client.body(greeting.text.utf8.count)) == greeting)
            }
        }

        @Test func commandsRequireAuthentication() async throws {
            try await withServer { server in
                let (client, _) = try await RawClient.open(server)
                #expect(try await client.call("players/all")["error_code"] == 20)
                #expect(try await client.call("info")["error_code"] == 20)
                #expect(try await client.call("auth/providers")["result"]?.array?.count == 1)
                #expect(try await client.call("auth", ["token": "wrong"])["error_code"] == 23)
                #expect(try await client.call("auth")["error_code"] == 20)
                #expect(try await client.call("auth", ["token": "test-token"])["result"]?["authenticated"] == true)
                #expect(try await client.call("players/all")["result"]?.array?.count == 3)
            }
        }

        @Test func loginTokenWorksUntilRevoked() async throws {
            try await withServer { server in
                let (client, _) = try await RawClient.open(server)
                let wrong = try await client.call("auth/login", ["username": "admin", "password": "no"])["result"]
                #expect(wrong?["success"] == false && wrong?["error"]?.string == "Invalid username or password")
                let right = try await client.call("auth/login", ["username": "admin", "password": "secret"])["result"]
                let token = try #require(right?["access_token"]?.string)
                _ = try await client.call("auth", ["token": .string(token)])
                #expect(try await client.call("auth/me")["result"]?["username"] == "admin")
                try await server.revoke(token)
                #expect(try await client.next() == .close(1000))
                let (again, _) = try await RawClient.open(server)
                #expect(try await again.call("auth", ["token": .string(token)])["error_code"] == 23)
            }
        }

        @Test func httpLoginReturnsToken() async throws {
            try await withServer { server in
                func post(_ body: String) async throws -> (head: String, json: JSON?) {
                    let client = try await RawClient.connect(to: server.port)
                    let head = try await client.request(
                        "POST /auth/login HTTP/1.1\r\nHost: a\r\nContent-Length: \(body.utf8.count)\r\n\r\n" + body)
                    let length = head.split(separator: "\r\n").first {
                        $0.hasPrefix("content-length: ") || $0.hasPrefix("Content-Length: ")
                    }?.split(separator: " ").last.flatMap { Int($0) }
                    return (head, JSON(text: try await client.body(length ?? 0)))
                }
                let right = try await post(#"{"credentials":{"username":"admin","password":"secret"}}"#)
                #expect(right.head.hasPrefix("HTTP/1.1 200") && right.json?["token"]?.string != nil)
                let wrong = try await post(#"{"credentials":{"username":"admin","password":"x"}}"#)
                #expect(wrong.head.hasPrefix("HTTP/1.1 401") && wrong.json?["success"] == false)
                let flat = try await post(#"{"username":"admin","password":"secret"}"#)
                #expect(flat.head.hasPrefix("HTTP/1.1 401"))
            }
        }

        @Test func serverWithoutUsersClosesAfterGreeting() async throws {
            var scenario = Scenario()
            scenario.isSetUp = false
            try await withServer(scenario) { server in
                let (client, greeting) = try await RawClient.open(server)
                #expect(greeting["onboard_done"] == false)
                #expect(try await client.next().json?["error_code"] == 503)
                #expect(try await client.next() == .close(1000))
            }
        }

        @Test func invalidMessageClosesWithoutReply() async throws {
            try await withServer { server in
                for text in ["{nope", "[]", #"{"command":"info"}"#, #"{"message_id":"1","command":"info","args":[]}"#] {
                    let client = try await RawClient.authenticated(server)
                    try await client.send(text: text)
                    #expect(try await client.next() == .close(1000), "after \(text)")
                }
                let numbers = try await RawClient.authenticated(server)
                try await numbers.send(text: #"{"message_id":42,"command":"info"}"#)
                #expect(try await numbers.next().json?["message_id"] == "42")
            }
        }

        @Test func tooLongMessageClosesWithCode1009() async throws {
            #expect(Scenario().longestMessage == 4 << 20)
            var scenario = Scenario()
            scenario.longestMessage = 1000
            try await withServer(scenario) { server in
                let client = try await RawClient.authenticated(server)
                try await client.send(text: String(repeating: "x", count: 1001))
                #expect(try await client.next() == .close(1009))
            }
        }
    }
}
