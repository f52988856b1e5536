import ClientTestSupport
import Foundation
import MusicAssistantKit
import MusicAssistantTestServer
import Testing

@Suite(.timeLimit(.minutes(2)))
struct ModelTests {
    // MARK: Pictures

    private func image(_ fields: [String: JSONValue]) throws -> MediaImage {
        let known: [String: JSONValue] = ["type": "thumb", "path": "Ad/Ö & b.png", "provider": "files--1"]
        return try MediaImage(json: .object(known.merging(fields) { $1 }))
    }

    @Test(arguments: [
        ("ws://192.0.2.7:8095/ws", "http://192.0.2.7:8095"), ("http://[::1]:8095", "http://[::1]:8095"),
        ("wss://music.example", "https://music.example:443"),
        ("https://home.example/music/ws", "https://home.example:443/music"),
    ])
    func picturesComeFromTheProxyBesideTheWebSocket(_ address: String, _ web: String) throws {
        let client = MusicAssistantClient(url: try #require(URL(string: address)))
        let plain = try image([:])
        #expect(
            client.imageURL(for: plain, size: 64)?.absoluteString
                == "\(web)/imageproxy?path=Ad/%25C3%2596%2520%2526%2520b.png&provider=files--1&size=64")
        #expect(
            client.imageURL(for: try image(["proxy_id": "ab12"]))?.absoluteString == "\(web)/imageproxy/ab12?size=0")
    }

    @Test func publicPicturesKeepTheirAddress() throws {
        let client = MusicAssistantClient(host: "192.0.2.7")
        let remote = try image(["path": "https://img.example/a.png", "remotely_accessible": true])
        #expect(client.imageURL(for: remote)?.absoluteString == "https://img.example/a.png")
        #expect(client.imageURL(for: remote, size: 80)?.host() == "192.0.2.7")
        #expect(MusicAssistantClient(host: "").imageURL(for: try image([:])) == nil)
        // Not to files of this machine, as a server may say.
        for path in ["file:///dev/zero", "/etc/passwd", "a.png", "https:a.png", "data:,a"] {
            let url = client.imageURL(for: try image(["path": .string(path), "remotely_accessible": true]))
            #expect(url?.scheme == "http" && url?.host() == "192.0.2.7", "\(path)")
        }
    }

    @Test func albumPictureIsPreferred() throws {
        func thumb(_ path: String, _ type: String = "thumb") -> JSONValue {
            ["type": .string(type), "path": .string(path), "provider": "f"]
        }
        let track: JSONValue = [
            "item_id": "1", "metadata": ["images": [thumb("own")]],
            "album": ["item_id": "2", "metadata": ["images": [thumb("fan", "fanart"), thumb("album")]]],
            "artists": [["item_id": "3", "image": thumb("artist", "logo")]],
        ]
        let item = try MediaItem(json: track)
        #expect(item.image()?.path == "album" && item.image(type: "fanart")?.path == "fan")
        #expect(item.image(type: "logo")?.path == "artist" && item.image(type: "banner") == nil)
        let wide = try MediaItem(json: ["item_id": "1", "metadata": ["images": [thumb("wide", "landscape")]]])
        #expect(wide.image()?.path == "wide")
        let queued = try QueueItem(json: ["queue_item_id": "q", "image": thumb("queued")])
        let client = MusicAssistantClient(host: "192.0.2.7")
        #expect(client.imageURL(for: queued)?.query()?.contains("path=queued") == true)
    }

    // MARK: Newer servers

    /// Fields that this client does not know survive encoding and decoding.
    @Test func unknownFieldsSurviveARoundTrip() throws {
        let newer: JSONValue = [
            "queue_id": "q", "available": true, "items": 3, "from_the_future": ["deep": [1, 2.5, .null, "x"]],
            "current_item": ["queue_item_id": "i", "shine": true], "repeat_mode": "sideways",
        ]
        let queue = try PlayerQueue(json: newer)
        let read = try JSONDecoder().decode(PlayerQueue.self, from: JSONEncoder().encode(queue))
        #expect(read == queue && read.json == newer && read.repeatMode == "sideways")
        #expect(throws: (any Error).self) { try JSONDecoder().decode(PlayerQueue.self, from: Data("{}".utf8)) }
    }

    @Test func mirrorsKeepUnknownFields() async throws {
        try await Fixture.connected(change: { $0.keepsMirrors = true }) { fixture, client in
            _ = try await client.queues.snapshots.first { $0.isCurrent }
            let queues = client.queues.snapshots
            try await fixture.server.send([
                ServerEvent(
                    "queue_updated", objectID: "study", data: ["queue_id": "study", "available": false, "newer": [1]])
            ])
            let queue = try await queues.first { $0.values["study"]?.json["newer"] != nil }?.values["study"]
            #expect(queue?.isAvailable == true && queue?.json["newer"] == [1])
        }
    }

    @Test func impossibleNumbersOfAQueueAreLeftOut() throws {
        for number in [Int.min, -1] {
            let queue = try PlayerQueue(json: ["queue_id": "q", "items": .int(number), "current_index": .int(number)])
            #expect(queue.itemCount == 0 && queue.currentIndex == nil)
        }
    }

    @Test func authorsAreNamesOrItems() throws {
        let book = try MediaItem(json: [
            "item_id": "1", "authors": ["Ada", ["item_id": "2", "name": "Bo"]], "narrators": [.null],
            "external_ids": [["isrc", "X1"], "broken", ["lonely"]],
        ])
        #expect(book.authors == ["Ada", "Bo"] && book.narrators.isEmpty)
        #expect(book.externalIds.map { [$0.type, $0.value] } == [["isrc", "X1"]])
    }
}
