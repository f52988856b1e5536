import DescantCore
import DescantGStreamer
import DescantMixing
import DescantTestSupport
import DescantTesting
import Foundation
import Synchronization
import Testing

/// Radio stations: titles between the sound, no length, and no end.
@Suite(.timeLimit(.minutes(5))) struct StationTests {
    private let fixture: NetworkFixture

    init() throws { fixture = try NetworkFixture() }

    /// Sound with a title after every block, as SHOUTcast servers send it.
    private static func interleave(_ sound: Data, block: Int, titles: [String]) -> Data {
        var stream = Data()
        for (index, start) in stride(from: 0, to: sound.count - block, by: block).enumerated() {
            stream += sound[start..<start + block]
            let title = titles[index * titles.count * block / sound.count]
            let text = Data("StreamTitle='\(title)';".utf8)
            let units = (text.count + 15) / 16
            stream += [UInt8(units)] + text + Data(count: units * 16 - text.count)
        }
        return stream
    }

    @Test func stationTitlesContinueAfterReconnect() async throws {
        let file = try FixtureEncoder().encode(
            fixture.samples, as: .mp3(kilobitsPerSecond: 128), to: fixture.directory.file("station.mp3"))
        let stream = Self.interleave(
            try Data(contentsOf: file), block: 4_096, titles: ["The first - Alpha", "The second - Beta"])
        let server = try LoopbackWebServer { _ in
            var answer = WebAnswer(
                headers: ["Content-Type": "audio/mpeg", "icy-name": "Loopback", "icy-metaint": "4096"], body: stream,
                ending: .closed)
            answer.announcedLength = nil
            return answer
        }
        let opened = try await fixture.open(server.url("/live"), access: NetworkAccess(reconnectLimit: 60))
        defer { opened.deck.close() }
        #expect(server.requests.first?.headers["icy-metadata"] == "1")
        // 2.5 times the length of one connection.
        let heard = try DeckDrain.read(opened.deck, channels: 2, atMost: 1_200_000)
        #expect(heard.failure == nil, "\(String(describing: heard.failure))")
        #expect(heard.samples.frameCount == 1_200_000)
        #expect(heard.endPosition == 1_200_000)
        #expect(server.requests.count >= 3)
        let titles = [opened.info.track.title] + fixture.events.all.titles
        #expect(titles.contains("The first - Alpha") && titles.contains("The second - Beta"), "\(titles)")
        // The sound of the station starts again after every loss.
        let found = Alignment(
            of: Array(heard.samples.channel(0)[700_000..<716_384]), in: fixture.samples.channel(0))
        #expect(found.correlation > 0.5)
    }

    @Test func lostStationEndsTheDeck() async throws {
        let file = try FixtureEncoder().encode(
            fixture.samples, as: .mp3(kilobitsPerSecond: 128), to: fixture.directory.file("station.mp3"))
        let stream = try Data(contentsOf: file)
        let server = try LoopbackWebServer { request in
            var answer = WebAnswer(
                headers: ["Content-Type": "audio/mpeg", "icy-name": "x"], body: stream, ending: .closed)
            answer.announcedLength = nil
            return answer
        }
        let opened = try await fixture.open(server.url("/live"), access: NetworkAccess(reconnectLimit: 1))
        defer { opened.deck.close() }
        _ = try DeckDrain.read(opened.deck, channels: 2, atMost: 4_800)
        server.stop()
        let remainder = try DeckDrain.read(opened.deck, channels: 2)
        #expect(remainder.failure?.code == "ioError", "\(String(describing: remainder.failure))")
        #expect(remainder.samples.frameCount > 100_000)
    }

    /// A proxy answers while the station is away, and the server does not know the mount while its source connects again.
    @Test(arguments: [503, 404])
    func stationSoundsAfterAnErrorOfAServer(status: Int) async throws {
        let file = try FixtureEncoder().encode(
            fixture.samples, as: .mp3(kilobitsPerSecond: 128), to: fixture.directory.file("station.mp3"))
        let stream = try Data(contentsOf: file)
        let count = Mutex(0)
        let server = try LoopbackWebServer { _ in
            let number = count.withLock { count in
                count += 1
                return count
            }
            if number == 2 { return WebAnswer(status: status, body: Data("away".utf8)) }
            var answer = WebAnswer(
                headers: ["Content-Type": "audio/mpeg", "icy-name": "x"], body: stream, ending: .closed)
            answer.announcedLength = nil
            return answer
        }
        let opened = try await fixture.open(server.url("/live"), access: NetworkAccess(reconnectLimit: 60))
        defer { opened.deck.close() }
        let heard = try DeckDrain.read(opened.deck, channels: 2, atMost: 1_200_000)
        #expect(heard.failure == nil, "\(String(describing: heard.failure))")
        #expect(heard.samples.frameCount == 1_200_000 && heard.endPosition == 1_200_000)
        #expect(server.requests.count >= 4)
    }

    /// A server that takes the connection again and sends nothing yet: its sound cannot be moved, and none of it is skipped.
    @Test func stationThatIsComingBackIsNotMoved() async throws {
        let file = try FixtureEncoder().encode(
            fixture.samples, as: .mp3(kilobitsPerSecond: 128), to: fixture.directory.file("station.mp3"))
        let (stream, gate) = (try Data(contentsOf: file), WebGate())
        let count = Mutex(0)
        let server = try LoopbackWebServer { _ in
            let number = count.withLock { count in
                count += 1
                return count
            }
            var answer = WebAnswer(
                headers: ["Content-Type": "audio/mpeg", "icy-name": "x"], body: stream,
                ending: number == 1 ? .closed : .hold(after: 0, gate))
            answer.announcedLength = nil
            return answer
        }
        let opened = try await fixture.open(
            server.url("/live"), access: NetworkAccess(timeLimit: 60, reconnectLimit: 60))
        defer { opened.deck.close() }
        let deck = opened.deck
        var memory = [Float](repeating: 0, count: 960)
        var lost: Int64 = 0
        func read() -> DeckRead? {
            memory.withUnsafeMutableBufferPointer { buffer in
                buffer.baseAddress.map { deck.read(into: $0, frames: 480) }
            }
        }
        while server.requests.count < 2 {
            let part = try #require(read())
            lost = part.position + Int64(part.frames)
            if part.frames == 0 { _ = deck.waitUntilReadable(deadline: EventCount.deadline(in: 0.01)) }
        }
        // Longer than the deck waits for a first sample.
        #expect(!deck.waitUntilReadable(deadline: EventCount.deadline(in: 4)))
        deck.seek(toFrame: lost + 240_000)
        gate.open()
        let heard = try DeckDrain.read(deck, channels: 2, atMost: 48_000)
        #expect(heard.failure == nil && heard.firstPosition == lost, "\(heard.firstPosition), \(lost)")
    }

    /// A host may say "to the end" by any number.
    @Test(arguments: [1e10, 1e18, Double.greatestFiniteMagnitude])
    func endlessStreamIsNotMovedToTheEndOfTime(seconds: Double) throws {
        let flac = fixture.flac
        let server = try LoopbackWebServer { _ in
            var answer = WebAnswer(headers: ["Content-Type": "audio/flac"], body: flac, ending: .closed)
            answer.announcedLength = nil
            return answer
        }
        let decoder = GStreamerDecoder()
        let handle = try decoder.open(url: server.url("/live"))
        defer { decoder.close(handle) }
        try? decoder.seek(handle, toSeconds: seconds)
    }
}
