import DescantCore
import DescantGStreamer
import DescantMixing
import DescantTestSupport
import DescantTesting
import Foundation
import Synchronization
import Testing

/// Headers, user names and passwords are sent to their own server only.
@Suite(.timeLimit(.minutes(5))) struct NetworkAccessTests {
    private let fixture: NetworkFixture

    init() throws { fixture = try NetworkFixture() }

    @Test func headersBelongToAnAddress() async throws {
        let flac = fixture.flac
        let other = try LoopbackWebServer { .file(flac, for: $0) }
        let server = try LoopbackWebServer { [elsewhere = other.url("/noise.flac").absoluteString] request in
            request.path == "/away.flac" ? .redirect(to: elsewhere) : .file(flac, for: request)
        }
        var access = NetworkAccess()
        try access.setHeaders(["X-Token": "one", "User-Agent": "Radio/1"], for: server.url("/"))
        try access.setHeaders(["X-Token": "two \"quoted\"; =,"], for: server.url("/inner"))
        for path in ["/noise.flac", "/inner/noise.flac", "/innermost.flac", "/away.flac"] {
            try await fixture.open(server.url(path), access: access).deck.close()
        }
        #expect(
            Set(server.requests.map { "\($0.path) \($0.headers["x-token"] ?? "-")" }) == [
                "/noise.flac one", "/inner/noise.flac two \"quoted\"; =,", "/innermost.flac one", "/away.flac one",
            ])
        #expect(server.requests.allSatisfy { $0.headers["user-agent"]?.hasPrefix("Radio/1") == true })
        #expect(!other.requests.isEmpty)
        #expect(other.requests.allSatisfy { $0.headers["x-token"] == nil })
        #expect(other.requests.allSatisfy { $0.headers["user-agent"]?.hasPrefix("Descant") == true })
    }

    @Test(arguments: [true, false])
    func serverWithPassword(inURL: Bool) async throws {
        let flac = fixture.flac
        let expected = "Basic " + Data("listener:s3cret word".utf8).base64EncodedString()
        let server = try LoopbackWebServer { request in
            request.headers["authorization"] == expected
                ? .file(flac, for: request)
                : WebAnswer(status: 401, headers: ["WWW-Authenticate": "Basic realm=\"music\""])
        }
        var access = NetworkAccess()
        if !inURL { try access.setCredentials(user: "listener", password: "s3cret word", for: server.url("/")) }
        let url = server.url("/noise.flac", userInfo: inURL ? "listener:s3cret%20word" : nil)
        let opened = try await fixture.open(url, access: access)
        defer { opened.deck.close() }
        #expect(opened.info.name == server.url("/noise.flac").absoluteString)
        let all = try DeckDrain.read(opened.deck, channels: 2)
        #expect((all.samples == fixture.samples) == true)
    }

    /// The displayed URL has no password, so the engine must not reopen that.
    @Test func urlWithPasswordPlaysAgainAfterAStop() async throws {
        let flac = fixture.flac
        let expected = "Basic " + Data("listener:s3cret".utf8).base64EncodedString()
        let server = try LoopbackWebServer { request in
            request.headers["authorization"] == expected
                ? .file(flac, for: request)
                : WebAnswer(status: 401, headers: ["WWW-Authenticate": "Basic realm=\"music\""])
        }
        let output = try GStreamerMixOutput(format: PCMFormat(sampleRate: 48_000, channels: 2), destination: .null)
        let engine = Mixer(
            decks: GStreamerDecks { NetworkAccess() }, output: output, converters: GstSampleConverterFactory(),
            identifier: "gstreamer")
        try await engine.loadContent(.url(server.url("/noise.flac", userInfo: "listener:s3cret")))
        try await engine.play()
        await engine.stop()
        try await engine.play()
        // The file may be over when a busy machine asks.
        let state = await engine.engineState
        #expect(state == .playing || state == .finished, "\(state)")
        await engine.shutdown()
    }

    @Test func wrongPasswordIsReportedWithoutShowingIt() async throws {
        let server = try LoopbackWebServer { _ in
            WebAnswer(status: 401, headers: ["WWW-Authenticate": "Basic realm=\"music\""])
        }
        let error = await fixture.error(server.url("/noise.flac", userInfo: "listener:s3cret"))
        #expect(error?.code == "ioError")
        let text = "\(String(describing: error))"
        #expect(text.contains(server.url("/noise.flac").absoluteString) && text.contains("401"), "\(text)")
        #expect(text.contains("NetworkAccess"))
        #expect(!text.contains("s3cret") && !text.contains("listener"), "\(text)")
    }

    @Test func passwordDoesNotFollowARedirection() async throws {
        let other = try LoopbackWebServer { _ in
            WebAnswer(status: 401, headers: ["WWW-Authenticate": "Basic realm=\"music\""])
        }
        let server = try LoopbackWebServer { [elsewhere = other.url("/x").absoluteString] _ in .redirect(to: elsewhere)
        }
        let error = await fixture.error(server.url("/noise.flac", userInfo: "listener:s3cret"))
        #expect(error?.code == "ioError")
        #expect(!other.requests.isEmpty)
        #expect(other.requests.allSatisfy { $0.headers["authorization"] == nil })
    }

    @Test(arguments: ["404", "nowhere"])
    func noErrorShowsAPassword(_ kind: String) async throws {
        let server = try LoopbackWebServer { _ in WebAnswer(status: 404) }
        if kind == "nowhere" { server.stop() }
        let error = await fixture.error(server.url("/noise.flac", userInfo: "listener:s3cret"))
        let text = "\(String(describing: error))"
        #expect(text.contains("noise.flac"))
        #expect(!text.contains("s3cret") && !text.contains("listener"), "\(text)")
    }

    /// A connection that is cut before the first sound is made again, and a redirection is followed, with the password of the URL.
    @Test(arguments: ["cut", "redirection"])
    func passwordOfAURLIsKeptForFurtherRequests(_ event: String) async throws {
        let flac = fixture.flac
        let expected = "Basic " + Data("listener:s3cret".utf8).base64EncodedString()
        let wasDisturbed = Mutex(false)
        let server = try LoopbackWebServer { request in
            guard request.headers["authorization"] == expected else {
                return WebAnswer(status: 401, headers: ["WWW-Authenticate": "Basic realm=\"music\""])
            }
            let isFirst = wasDisturbed.withLock { was in
                defer { was = true }
                return !was
            }
            guard isFirst else { return .file(flac, for: request) }
            if event == "redirection" { return WebAnswer(status: 302, headers: ["Location": "/music/noise.flac"]) }
            return WebAnswer(body: flac, ending: .cut(after: 2_000))
        }
        let opened = try await fixture.open(server.url("/music", userInfo: "listener:s3cret"))
        defer { opened.deck.close() }
        let all = try DeckDrain.read(opened.deck, channels: 2)
        #expect((all.samples == fixture.samples) == true)
    }
}
