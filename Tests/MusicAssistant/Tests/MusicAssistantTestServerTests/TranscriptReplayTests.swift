import MusicAssistantTestServer
import Testing

extension ServerSuite {
    @Suite struct TranscriptReplayTests {
        @Test(arguments: Transcript.allNames)
        func everyTranscriptIsRepeated(_ name: String) async throws {
            let transcript = try Transcript(named: name)
            var scenario = Scenario()
            scenario.transcript = transcript
            try await withServer(scenario) { server in
                let (client, greeting) = try await RawClient.open(server)
                #expect(greeting["schema_version"] == 29)
                for command in transcript.commands {
                    var isAnswered = false
                    while !isAnswered {
                        let reply = try await client.call(command.name, .object(command.arguments))
                        isAnswered = reply["partial"] != true
                        if !isAnswered { isAnswered = try await rest(client, reply) }
                    }
                }
                switch name {
                case "00-setup-required", "13-server-shutdown": #expect(try await end(client) == .close(1000))
                case "08b-invalid-json-closes":
                    try await client.send(text: "{nope")
                    #expect(try await end(client) == .close(1000))
                default: #expect(try await client.call("auth/providers")["result"] != nil)
                }
            }
        }

        private func rest(_ client: RawClient, _ first: JSON) async throws -> Bool {
            var reply = first
            while reply["partial"] == true { reply = try await client.reply(to: first["message_id"]?.string ?? "") }
            return true
        }

        private func end(_ client: RawClient) async throws -> RawClient.Message {
            while true {
                let message = try await client.next()
                if case .close = message { return message }
            }
        }

        @Test func transcriptErrorNamesFileAndLine() {
            #expect(throws: TranscriptError(name: "mine", line: 2)) {
                try Transcript(name: "mine", lines: #"{"dir":"in","msg":{}}"# + "\nnonsense")
            }
        }
    }
}
