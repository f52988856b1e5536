import ClientTestSupport
import Foundation
import MusicAssistantKit
import MusicAssistantTestServer
import Testing

/// For recorded replies of a real server, every field is equal to that of the Python client.
///
/// conversation.json has the replies and the values of the Python client, which expect.py writes.
@Suite(.timeLimit(.minutes(2)))
struct ConversationTests {
    private struct Call: Sendable {
        let method: String
        let command: String
        let arguments: JSONValue
        let reply: JSONValue
        let expected: JSONValue

        init(_ json: JSONValue) throws {
            method = try #require(json["method"]?.stringValue)
            command = try #require(json["command"]?.stringValue)
            arguments = try #require(json["arguments"])
            reply = try #require(json["reply"])
            expected = try #require(json["expected"])
        }

        func text(_ name: String) -> String { arguments[name]?.stringValue ?? "" }
    }

    /// Fields that the Python client adds to a player for compatibility with its older releases.
    private static let ownWords: Set<String> = ["hide_player_in_ui", "index"]

    private static func calls() throws -> [Call] {
        let file = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "conversation.json")
        return try #require(try JSONValue(parsing: Data(contentsOf: file)).arrayValue).map(Call.init)
    }

    @Test func everyFieldEqualsThePythonClients() async throws {
        let calls = try Self.calls()
        #expect(calls.count >= 24)
        try await Fixture.connected { fixture, client in
            var compared = 0
            for call in calls {
                let reply = try #require(JSON(text: call.reply.jsonString))
                try await fixture.server.setFaults([ReplyFault(.result(reply), on: call.command)])
                let found = try await Self.answer(to: call, client)
                compared += compare(found, call.expected, "\(call.method)")
            }
            print("conversation: \(calls.count) calls, \(compared) fields")
            #expect(compared > 1000)
        }
    }

    private static func answer(to call: Call, _ client: MusicAssistantClient) async throws -> JSONValue {
        if let items = try await items(call, client) { return .array(items.map(\.pythonValue)) }
        switch call.method {
        case "players": return .array(try await client.getPlayers().map(\.pythonValue))
        case "get_by_name": return try #require(try await client.getPlayer(name: call.text("name"))).pythonValue
        case "queues": return .array(try await client.getQueues().map(\.pythonValue))
        case "get_active_queue":
            let queue = try await client.getActiveQueue(playerId: call.text("player_id"))
            return try #require(queue).pythonValue
        case "get_queue_items":
            return .array(try await client.getQueueItems(queueId: call.text("queue_id")).map(\.pythonValue))
        case "search": return try await client.search(query: call.text("search_query")).pythonValue
        case "get_item_by_uri": return try await client.item(uri: call.text("uri")).pythonValue
        case "get_track": return try await client.item(kind: .tracks, itemId: call.text("item_id")).pythonValue
        case "get_audiobook": return try await client.item(kind: .audiobooks, itemId: call.text("item_id")).pythonValue
        case "artist_count": return .int(try await client.libraryCount(kind: .artists))
        case "album_count": return .int(try await client.libraryCount(kind: .albums))
        case "track_count": return .int(try await client.libraryCount(kind: .tracks))
        case "save_as_playlist": return try await client.saveQueue(queueId: "q", name: "Saved queue").pythonValue
        case "user": return try await client.me().pythonValue
        case "info": return try await client.info().pythonValue
        case "image_url":
            let item = try await client.item(kind: .tracks, itemId: "1")
            // The Python client uses the address that the server reports.
            let url = try #require(client.imageURL(for: item)?.absoluteString)
            return .string(url.replacing(/:\/\/127\.0\.0\.1:\d+/, with: "://127.0.0.1:8095"))
        default:
            Issue.record("\(call.method) is not known")
            return .null
        }
    }

    private static func items(_ call: Call, _ client: MusicAssistantClient) async throws -> [MediaItem]? {
        switch call.method {
        case "get_library_artists": try await client.libraryItems(kind: .artists)
        case "get_library_albums": try await client.libraryItems(kind: .albums)
        case "get_library_tracks": try await client.libraryItems(kind: .tracks, search: call.text("search"))
        case "get_library_playlists": try await client.libraryItems(kind: .playlists)
        case "get_album_tracks": try await client.albumTracks(itemId: call.text("item_id"))
        case "get_playlist_tracks": try await client.playlistTracks(itemId: call.text("item_id"))
        case "browse": try await client.browse(path: call.arguments["path"]?.stringValue)
        case "recently_played": try await client.recentlyPlayed()
        default: nil
        }
    }

    /// Compares all fields of the Python client.
    ///
    /// - Returns: The number of compared fields.
    private func compare(_ found: JSONValue?, _ expected: JSONValue, _ place: String) -> Int {
        switch (found, expected) {
        case (.object(let found)?, .object(let expected)):
            return expected.reduce(into: 0) { count, field in
                if Self.ownWords.contains(field.key) { return }
                count += compare(found[field.key], field.value, "\(place).\(field.key)")
            }
        case (.array(let found)?, .array(let expected)) where found.count == expected.count:
            // The Python client uses sets for values without an order.
            let isSet = expected.allSatisfy { $0.objectValue == nil }
            let (left, right) = isSet ? (Self.sorted(found), Self.sorted(expected)) : (found, expected)
            return zip(left, right).enumerated().reduce(1) { $0 + compare($1.1.0, $1.1.1, "\(place)[\($1.0)]") }
        default:
            #expect(Self.isSame(found, expected), "\(place): \(found?.jsonString ?? "missing"), not \(expected)")
            return 1
        }
    }

    private static func sorted(_ values: [JSONValue]) -> [JSONValue] {
        values.sorted { $0.jsonString < $1.jsonString }
    }

    /// An empty list here can be null in Python; a missing value is nil here and can be 0 in Python.
    private static func isSame(_ found: JSONValue?, _ expected: JSONValue) -> Bool {
        if let left = found?.doubleValue, let right = expected.doubleValue { return abs(left - right) < 1e-3 }
        if found == expected { return true }
        return switch found {
        // The Python client has the text "None" for a missing icon.
        case nil:
            [.null, .int(0), .double(0), .string(""), .string("None"), .bool(false), .array([]), .object([:])].contains(
                expected)
        case .array([])?, .object([:])?: expected.isNull
        default: false
        }
    }
}
