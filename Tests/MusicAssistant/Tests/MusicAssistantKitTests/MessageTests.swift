import Foundation
import MusicAssistantKit
import Testing

@Suite struct MessageTests {
    @Test func commandsAreEncoded() throws {
        let command = MusicAssistantCommand(
            messageId: 42, command: "players/cmd/play",
            args: [
                "player_id": "media_player.kitchen", "level": 30, "muted": false, "speed": 1.5, "media": ["a", "b"],
            ])
        let json = try JSONValue(parsing: command.jsonBytes)
        #expect(json["message_id"] == "42")
        #expect(json["command"] == "players/cmd/play")
        #expect(json["args"]?["player_id"] == "media_player.kitchen")
        #expect(json["args"]?["level"] == .int(30))
        #expect(json["args"]?["muted"] == .bool(false))
        #expect(json["args"]?["speed"] == .double(1.5))
        #expect(json["args"]?["media"] == ["a", "b"])
        #expect(try JSONValue(parsing: MusicAssistantCommand(messageId: 1, command: "info").jsonBytes)["args"] == nil)
    }

    @Test(arguments: [#""42""#, "42"])
    func resultDecoding(_ id: String) throws {
        let text = #"{"message_id":\#(id),"result":{"player_id":"kitchen"},"partial":false,"new_field":1}"#
        guard case .result(let result) = MessageEnvelope(json: try JSONValue(parsing: text)) else {
            Issue.record("no result")
            return
        }
        #expect(result.messageId == 42)
        #expect(result.result["player_id"] == "kitchen")
        #expect(!result.isPartial)
    }

    @Test func errorResponsesAreDecoded() throws {
        for (text, code, message) in [
            (#"{"message_id":"5","error_code":2,"details":"not found"}"#, ServerErrorCode.mediaNotFound, "not found"),
            (
                #"{"message_id":5,"error":"Media item not found","error_code":404,"details":{"item_id":"9"}}"#,
                ServerErrorCode(rawValue: 404), "Media item not found"
            ),
            (
                #"{"message_id":"5","error_code":999,"details":null,"translation_key":"x"}"#, .unexpected,
                "no reason given"
            ),
        ] {
            guard case .error(let error) = MessageEnvelope(json: try JSONValue(parsing: text)) else {
                Issue.record("no error: \(text)")
                continue
            }
            #expect(error.messageId == 5)
            #expect(error.errorCode == code)
            #expect(error.message == message)
        }
    }

    @Test func eventsAreDecoded() throws {
        for (text, kind, data) in [
            (
                #"{"event":"player_updated","object_id":"kitchen","data":{"state":"playing"}}"#,
                EventKind.playerUpdated, JSONValue.object(["state": "playing"])
            ),
            (#"{"event":"queue_time_updated","object_id":"kitchen","data":15}"#, .queueTimeUpdated, 15),
            (#"{"event":"providers_updated","object_id":null,"data":[]}"#, .providersUpdated, []),
            (#"{"event":"from_the_future"}"#, "from_the_future", .null),
        ] as [(String, EventKind, JSONValue)] {
            guard case .event(let event) = MessageEnvelope(json: try JSONValue(parsing: text)) else {
                Issue.record("no event: \(text)")
                continue
            }
            #expect(event.event == kind)
            #expect(event.data == data)
        }
    }

    @Test(arguments: [
        "1", "[]", "{}", #"{"message_id":"1"}"#, #"{"message_id":{},"result":1}"#, #"{"server_version":1}"#,
    ])
    func otherMessagesSurvive(_ text: String) throws {
        let json = try JSONValue(parsing: text)
        #expect(MessageEnvelope(json: json) == .unknown(json))
    }

    @Test func errorsHaveDescriptions() {
        let timeout = MusicAssistantError.commandTimeout(messageId: 42)
        #expect(timeout.localizedDescription == "Command 42 timed out")
        let refused = MusicAssistantError.serverError(code: 10, message: "gone", details: nil)
        #expect(refused.serverCode == .playerUnavailable)
        #expect("\(ServerErrorCode(rawValue: 4711))" == "unknown (4711)")
        #expect("\(ServerErrorCode.queueEmpty)" == "queueEmpty (8)")
    }

    @Test func modelsIgnoreUnknownFieldsAndTypes() throws {
        let player = try MusicAssistantPlayer(json: [
            "player_id": "p", "playback_state": "dreaming", "volume_level": 12.6,
            "supported_features": ["fly", 7, "pause"],
            "available": "yes", "new": [1], "group_members": .null, "elapsed_time": 1e300,
        ])
        #expect(player.state == "dreaming")
        #expect(player.volume == 13)
        #expect(player.supportedFeatures == ["fly", .pause])
        #expect(!player.isAvailable)
        #expect(player.json["new"] == [1])
        #expect(try QueueItem(json: ["queue_item_id": "q", "sort_index": 1e300]).sortIndex == nil)
        for impossible: JSONValue in [0, -1, 1e300, .double(.infinity), "x"] {
            #expect(try QueueItem(json: ["queue_item_id": "q", "duration": impossible]).duration == nil)
            #expect(try MediaItem(json: ["item_id": "i", "duration": impossible]).duration == nil)
            #expect(try PlayerMedia(json: ["duration": impossible]).duration == nil)
            let queue = try PlayerQueue(json: ["queue_id": "q", "elapsed_time": impossible])
            #expect((0...1e9).contains(queue.position()))
        }
        #expect(throws: MusicAssistantError.self) { try MusicAssistantPlayer(json: ["name": "x"]) }
        #expect(throws: MusicAssistantError.self) { try PlayerQueue(json: 3) }
    }

    @Test func statesAreEquatable() {
        #expect(ConnectionState.disconnected.isDisconnected)
        let info = ServerInfo(
            serverVersion: "2.4.0", schemaVersion: 28, minSupportedSchemaVersion: nil, serverId: "test",
            homeassistantAddon: false, capabilities: nil)
        #expect(ConnectionState.connected(serverInfo: info).isConnected)
        #expect(ConnectionState.reconnecting(attempt: 1, delay: 1).isReconnecting)
        #expect(info.schemaVersion == 28)
    }
}
