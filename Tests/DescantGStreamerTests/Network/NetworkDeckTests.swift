import DescantCore
import DescantGStreamer
import DescantMixing
import DescantTestSupport
import DescantTesting
import Foundation
import Testing

/// Files of correct web servers.
@Suite(.timeLimit(.minutes(5))) struct NetworkDeckTests {
    private let fixture: NetworkFixture

    init() throws { fixture = try NetworkFixture() }

    @Test(arguments: [true, false])
    func playsAndSeeks(knowsRanges: Bool) async throws {
        let flac = fixture.flac
        let server = try LoopbackWebServer { knowsRanges ? .file(flac, for: $0) : WebAnswer(body: flac) }
        try await fixture.expectSoundAndSeek(server.url("/noise.flac"))
    }

    @Test func seekOnAServerWithoutRanges() async throws {
        let flac = fixture.flac
        let server = try LoopbackWebServer { _ in WebAnswer(body: flac) }
        let opened = try await fixture.open(server.url("/noise.flac"))
        defer { opened.deck.close() }
        _ = try DeckDrain.read(opened.deck, channels: 2, atMost: 4_800)
        opened.deck.seek(toFrame: 333_333)
        let remainder = try DeckDrain.read(opened.deck, channels: 2)
        #expect(remainder.firstPosition == 333_333)
        #expect((remainder.samples == fixture.samples.slice(333_333..<480_000)) == true)
    }

    @Test func redirections() async throws {
        let flac = fixture.flac
        let server = try LoopbackWebServer { request in
            switch request.path {
            case "/old.flac": .redirect(to: "moved/again.flac")
            case "/moved/again.flac": .redirect(to: "/noise.flac")
            default: .file(flac, for: request)
            }
        }
        let opened = try await fixture.open(server.url("/old.flac"))
        defer { opened.deck.close() }
        #expect((try DeckDrain.read(opened.deck, channels: 2).samples == fixture.samples) == true)
        #expect(opened.info.name == server.url("/old.flac").absoluteString)
    }

    @Test func circularRedirections() async throws {
        let server = try LoopbackWebServer { .redirect(to: $0.path == "/a" ? "/b" : "/a") }
        let error = await fixture.error(server.url("/a"))
        #expect(error?.code == "ioError")
        #expect(error?.message == "\(server.url("/a").absoluteString): the server redirects more than 10 times")
    }

    @Test(arguments: [(404, "notFound"), (410, "notFound"), (500, "ioError"), (403, "ioError")])
    func refusal(status: Int, code: String) async throws {
        let server = try LoopbackWebServer { _ in WebAnswer(status: status) }
        let error = await fixture.error(server.url("/noise.flac"))
        #expect(error?.code == code)
        #expect(error?.message.hasPrefix(server.url("/noise.flac").absoluteString) == true)
        #expect(error?.message.contains("(HTTP status \(status))") == true, "\(String(describing: error))")
    }

    @Test func refusedConnection() async throws {
        let server = try LoopbackWebServer { _ in WebAnswer() }
        server.stop()
        let error = await fixture.error(server.url("/noise.flac"))
        #expect(error?.code == "ioError")
    }

    @Test func silentServerReachesTheLimit() async throws {
        var answer = WebAnswer()
        answer.ending = .silence
        let server = try LoopbackWebServer { [answer] _ in answer }
        let error = await fixture.error(server.url("/noise.flac"), access: NetworkAccess(timeLimit: 1))
        #expect(error?.code == "ioError")
        let message = error?.message ?? ""
        #expect(message.contains("did not answer in time") || message.contains("within 7 s"), "\(message)")
    }
}
