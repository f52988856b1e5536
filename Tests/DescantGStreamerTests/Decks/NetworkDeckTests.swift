import DescantCore
import DescantGStreamer
import DescantMixing
import DescantTesting
import Foundation
import Testing

/// Files from a web server, good and bad.
struct NetworkDeckTests {
    private let directory: TemporaryDirectory
    private let mix = PCMFormat(sampleRate: 48_000, channels: 2)
    private let samples = TestSignal.noise(seconds: 10).samples()

    init() throws { directory = try TemporaryDirectory() }

    private func flac() throws -> Data {
        try Data(contentsOf: FixtureEncoder().encode(samples, as: .flac(bits: 16), to: directory.file("noise.flac")))
    }

    private func open(_ server: LocalServer) async throws -> OpenedDeck {
        try await GStreamerDecks().open(.url(server.url), mix: mix) { _ in }
    }

    @Test func playsAndSeeks() async throws {
        let server = try LocalServer(flac(), manner: .good)
        defer { server.stop() }
        let opened = try await open(server)
        defer { opened.deck.close() }
        #expect((try DeckDrain.read(opened.deck, channels: 2).samples == samples) == true)
        opened.deck.seek(toFrame: 333_333)
        let rest = try DeckDrain.read(opened.deck, channels: 2)
        #expect(rest.firstPosition == 333_333)
        #expect((rest.samples == samples.slice(333_333..<480_000)) == true)
    }

    @Test func seeksOnAServerThatKnowsNoRanges() async throws {
        let server = try LocalServer(flac(), manner: .withoutRanges)
        defer { server.stop() }
        let opened = try await open(server)
        defer { opened.deck.close() }
        _ = try DeckDrain.read(opened.deck, channels: 2, atMost: 4_800)
        opened.deck.seek(toFrame: 333_333)
        let rest = try DeckDrain.read(opened.deck, channels: 2)
        #expect(rest.firstPosition == 333_333)
        #expect((rest.samples == samples.slice(333_333..<480_000)) == true)
    }

    @Test(arguments: [(404, "notFound"), (500, "ioError"), (403, "ioError")])
    func refusal(status: Int, code: String) async throws {
        let server = try LocalServer(Data(), manner: .status(status))
        defer { server.stop() }
        let error = await #expect(throws: CoreError.self) { try await open(server).deck.close() }
        #expect(error?.code == code)
        #expect(error?.message.hasPrefix(server.url.absoluteString) == true)
    }

    @Test func nobodyListens() async throws {
        let server = try LocalServer(Data(), manner: .good)
        server.stop()
        let error = await #expect(throws: CoreError.self) { try await open(server).deck.close() }
        #expect(error?.code == "ioError")
    }

    @Test func serverThatNeverAnswersRunsIntoTheLimit() async throws {
        let server = try LocalServer(Data(), manner: .silent)
        defer { server.stop() }
        let error = await #expect(throws: CoreError.self) { try await open(server).deck.close() }
        #expect(error?.code == "ioError")
        #expect(
            error?.message.contains("did not answer in time") == true || error?.message.contains("within 7 s") == true)
    }

    @Test func connectionThatIsCutEndsTheDeckWithAnError() async throws {
        let data = try flac()
        let server = try LocalServer(data, manner: .cutAfter(data.count / 2))
        defer { server.stop() }
        // GStreamer reads ahead: the cut may come before the first frame was decoded, and opening then tells of it.
        do {
            let opened = try await open(server)
            defer { opened.deck.close() }
            let outcome = try DeckDrain.read(opened.deck, channels: 2)
            #expect(outcome.failure != nil)
            #expect(outcome.samples.duration < 6)
        } catch let error as CoreError {
            #expect(error.code == "ioError")
            #expect(error.message.contains(server.url.absoluteString))
        }
    }
}
