import Descant
import DescantTestSupport
import DescantTesting
import Foundation
import PlayerApp
import Testing

@testable import PlayerIntegration

/// Playlists of web servers are loaded, and name nothing but addresses on the web.
@Suite(.timeLimit(.minutes(2))) struct WebPlaylistTests {
    private let environment = AudioEnvironment(plugins: PluginRegistry(searchPath: []))

    init() {
        // A busy machine may stop for longer than a server should.
        environment.network.timeLimit = 60
    }

    /// A server with texts by their paths, and their content types.
    private func server(_ texts: [String: (type: String?, text: String)]) throws -> LoopbackWebServer {
        try LoopbackWebServer { request in
            guard let found = texts[request.path] else { return WebAnswer(status: 404) }
            return WebAnswer(headers: found.type.map { ["Content-Type": $0] } ?? [:], body: Data(found.text.utf8))
        }
    }

    private func entries(_ url: URL) async throws -> [PlaylistEntry] {
        try await InputExpander.entries(for: [url], in: environment)
    }

    private func refusal(_ url: URL) async throws -> String {
        let error = await #expect(throws: InputError.self) { try await entries(url) }
        return error?.description ?? ""
    }

    @Test func tracksCountFromTheAddressOfThePlaylist() async throws {
        let pls = "[playlist]\nFile1=one.mp3\nTitle1=One\nLength1=61\nFile2=/two.mp3\nFile3=https://example.org/live\n"
        let m3u =
            "\u{FEFF}#EXTM3U\r\n#EXTINF:7,Seven\r\na b.mp3\r\n../up.mp3?x=1\r\n//example.org/other\r\nx: y.mp3\r\n"
        let xspf = """
            <playlist><trackList><track><location>a%20b.ogg</location><creator>A</creator></track>
            <track><location>/c.ogg</location></track></trackList></playlist>
            """
        let server = try server([
            "/lists/radio.pls": (nil, pls), "/lists/radio.m3u": ("text/plain; charset=utf-8", m3u),
            "/lists/radio.xspf": (nil, xspf),
        ])
        let tracks = try await entries(server.url("/lists/radio.pls"))
        let live = try #require(URL(string: "https://example.org/live"))
        #expect(tracks.map(\.url) == [server.url("/lists/one.mp3"), server.url("/two.mp3"), live])
        #expect(tracks.map(\.title) == ["One", "two", "live"] && tracks[0].duration == 61)
        let lines = try await entries(server.url("/lists/radio.m3u"))
        #expect(
            lines.map(\.url.absoluteString) == [
                server.url("/lists/a%20b.mp3").absoluteString, server.url("/up.mp3?x=1").absoluteString,
                "http://example.org/other", server.url("/lists/x:%20y.mp3").absoluteString,
            ])
        #expect(lines.map(\.title) == ["Seven", "up", "other", "x: y"])
        let shared = try await entries(server.url("/lists/radio.xspf"))
        #expect(shared.map(\.url) == [server.url("/lists/a%20b.ogg"), server.url("/c.ogg")])
        #expect(shared[0].artist == "A")
    }

    @Test(arguments: ["m3u", "pls", "xspf"]) func aPlaylistOnTheWebNamesNoFilesOfThisComputer(ending: String)
        async throws
    {
        let places = [
            "file:///etc/passwd", "FILE:///etc/passwd", "smb://host/a.mp3", "cdda://1", "file:/etc/passwd",
            "http:///etc/passwd",
        ]
        func text(_ places: [String]) -> String {
            switch ending {
            case "pls": places.enumerated().map { "File\($0)=\($1)\n" }.joined()
            case "xspf":
                "<playlist><trackList>\(places.map { "<track><location>\($0)</location></track>" }.joined())</trackList></playlist>"
            default: places.joined(separator: "\n")
            }
        }
        let server = try server([
            "/a/bad.\(ending)": (nil, text(places)),
            "/a/half.\(ending)": (nil, text(places + ["/etc/passwd", "../../../etc/passwd"])),
        ])
        #expect(try await refusal(server.url("/a/bad.\(ending)")).contains("names no address on the web"))
        let half = try await entries(server.url("/a/half.\(ending)"))
        #expect(half.map(\.url) == [server.url("/etc/passwd"), server.url("/etc/passwd")])
    }

    @Test func redirectionsAndContentTypesDecide() async throws {
        let server = try LoopbackWebServer { request in
            func text(_ text: String, _ type: String) -> WebAnswer {
                WebAnswer(headers: ["Content-Type": type], body: Data(text.utf8))
            }
            return switch request.path {
            case "/go.pls": .redirect(to: "/far/list?id=1")
            case "/far/list?id=1": text("File1=a.mp3\n", "audio/x-scpls")
            case "/tune.php?id=1": text("a.mp3\n", "Audio/X-MPEGURL; charset=utf-8")
            case "/shared.aspx":
                text(
                    "<playlist><trackList><track><location>b.mp3</location></track></trackList></playlist>",
                    "application/xspf+xml")
            case "/odd.m3u": text("File1=c.mp3\n", "audio/x-scpls")
            // Endless sound is not read.
            case "/station.m3u", "/station.php":
                WebAnswer(headers: ["Content-Type": "audio/mpeg"], body: Data(count: 100), ending: .stall(after: 10))
            default: WebAnswer(status: 404)
            }
        }
        #expect(try await entries(server.url("/go.pls")).map(\.url) == [server.url("/far/a.mp3")])
        #expect(try await entries(server.url("/tune.php?id=1")).map(\.url) == [server.url("/a.mp3")])
        #expect(try await entries(server.url("/shared.aspx")).map(\.url) == [server.url("/b.mp3")])
        #expect(try await entries(server.url("/odd.m3u")).map(\.url) == [server.url("/c.mp3")])
        for path in ["/station.m3u", "/station.php", "/gone.php"] {
            #expect(try await entries(server.url(path)).map(\.url) == [server.url(path)], "\(path)")
        }
    }

    @Test func liveStreamsArePlayedAsTheyAre() async throws {
        let text = "#EXTM3U\r\n#EXT-X-TARGETDURATION:2\r\n#EXTINF:2,\r\nsegment0.ts\r\n"
        let server = try server(["/live.m3u": ("application/vnd.apple.mpegurl", text)])
        #expect(try await entries(server.url("/live.m3u")).map(\.url) == [server.url("/live.m3u")])
        // The usual ending needs no request.
        #expect(try await entries(server.url("/other.m3u8")).map(\.url) == [server.url("/other.m3u8")])
        #expect(server.requests.map(\.path) == ["/live.m3u"])
    }

    @Test func playlistsWithinPlaylistsAreLoadedWithinLimits() async throws {
        let server = try server([
            "/a.m3u": (nil, "1.mp3\n#EXTINF:-1,Inner\nb.pls\na.m3u\nmissing.xspf\n2.mp3\n"),
            "/b.pls": (nil, "File1=3.mp3\nFile2=a.m3u\nFile3=4.mp3\nTitle3=Four\n"),
            "/many.m3u": (nil, (0..<1_001).map { "\($0).pls\n" }.joined()),
            "/wide.m3u": (nil, String(repeating: "deep.m3u\n", count: 100_000)),
            "/deep.m3u": (nil, String(repeating: "a.mp3\n", count: 100_000)),
            "/self.m3u": (nil, "self.m3u\n"),
        ])
        let tracks = try await entries(server.url("/a.m3u"))
        #expect(tracks.map(\.url) == ["/1.mp3", "/3.mp3", "/4.mp3", "/missing.xspf", "/2.mp3"].map { server.url($0) })
        #expect(tracks.map(\.title) == ["1", "Inner", "Four", "missing", "2"])
        #expect(try await entries(server.url("/many.m3u")).count == 1_001, "what is too much is kept as it is")
        #expect(server.requests.count < 1_010)
        #expect(try await refusal(server.url("/wide.m3u")).hasSuffix("more than 200000 tracks"))
        #expect(try await refusal(server.url("/self.m3u")).hasSuffix("names nothing but itself"))
        // A playlist on this computer may name files, and playlists on the web.
        let shelf = try Shelf()
        let lines = ["own.wav", server.url("/b.pls").absoluteString, server.url("/play.php?id=7").absoluteString]
        let list = try shelf.put(Data(lines.joined(separator: "\n").utf8), as: "own.m3u")
        let own = try await entries(list)
        let names = ["own.wav", "3.mp3", "1.mp3", "missing.xspf", "2.mp3", "4.mp3", "play.php"]
        #expect(own.map(\.url.lastPathComponent) == names)
        #expect(!server.requests.contains { $0.path.hasPrefix("/play.php") }, "servers count the plays of tracks")
        #expect(own[0].url.isFileURL && own.dropFirst().allSatisfy { !$0.url.isFileURL })
    }

    @Test func whatCannotBeLoadedIsNamedWithTheReason() async throws {
        let long = Data(repeating: 0x41, count: PlaylistFile.sizeLimit + 1)
        let server = try LoopbackWebServer { request in
            switch request.path {
            case "/page.m3u":
                WebAnswer(headers: ["Content-Type": "text/html"], body: Data(" <!DOCTYPE html><html>".utf8))
            case "/long.m3u": WebAnswer(body: long)
            case "/round.m3u": .redirect(to: "/round.m3u")
            case "/file.m3u": .redirect(to: "file:///etc/passwd")
            case "/empty.pls": WebAnswer(body: Data("[playlist]\n".utf8))
            case "/binary.m3u": WebAnswer(body: Data(count: 100))
            default: WebAnswer(status: 404)
            }
        }
        for (path, reason) in [
            ("/gone.pls", "HTTP status 404"), ("/page.m3u", "the server sends a web page"),
            ("/long.m3u", "more than 16777216 bytes"),
            ("/round.m3u", "redirects more than 10 times"), ("/file.m3u", "is not an http: or https: address"),
            ("/empty.pls", "names no address on the web"), ("/binary.m3u", "is not text"),
        ] {
            let text = try await refusal(server.url(path, userInfo: "ann:secret"))
            #expect(text.contains(reason) && text.contains("/") && !text.contains("secret"), "\(path): \(text)")
        }
        server.stop()
        #expect(try await refusal(server.url("/gone.pls")).contains("check the address, or save it and play the file"))
    }

    @Test func aSilentServerIsGivenUp() async throws {
        let server = try LoopbackWebServer { _ in WebAnswer(body: Data("a.mp3\n".utf8), ending: .silence) }
        let error = await #expect(throws: CoreError.self) {
            try await environment.webDocument(at: server.url("/radio.pls"), limit: 1_000, timeLimit: 1)
        }
        #expect(error?.message.hasSuffix("/radio.pls did not arrive within 1 s") == true)
        for limit in [Double.infinity, .nan, -.infinity] {
            let other = try #require(URL(string: "ftp://127.0.0.1/radio.pls"))
            await #expect(throws: CoreError.unsupported("\(other) is not an http: or https: address")) {
                try await environment.webDocument(at: other, limit: 1_000, timeLimit: limit)
            }
        }
        environment.network.timeLimit = 1
        #expect(try await refusal(server.url("/radio.pls")).contains("check the address, or save it and play the file"))
    }

    @Test func isolatedPlayersLoadNothing() async throws {
        let server = try server(["/radio.pls": (nil, "File1=a.mp3\n")])
        let environment = AudioEnvironment(plugins: PluginRegistry(isolation: .everything, searchPath: []))
        let error = await #expect(throws: InputError.self) {
            try await InputExpander.entries(for: [server.url("/radio.pls")], in: environment)
        }
        #expect(error?.description.contains("not opened when everything is isolated") == true)
        #expect(server.requests.isEmpty)
    }
}
