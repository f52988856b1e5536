import DescantContainers
import DescantCore
import DescantGStreamer
import DescantMixing
import DescantTestSupport
import DescantTesting
import Foundation
import Testing

/// What a source names is opened only where its listener has asked for it: the network is not used for a file, and the files of this machine
/// are not read for a server.
@Suite(.timeLimit(.minutes(5))) struct ReferencedAddressTests {
    private let directory: TemporaryDirectory
    /// A server that has a file for every path.
    private let server: LoopbackWebServer

    init() throws {
        let directory = try TemporaryDirectory()
        let file = try FixtureEncoder().make(.noise(seconds: 1), as: .wav(.int16), named: "noise", in: directory)
        let data = try Data(contentsOf: file)
        server = try LoopbackWebServer { .file(data, for: $0) }
        self.directory = directory
    }

    /// The kinds of content that name other addresses.
    enum Kind: CaseIterable, Sendable {
        case masterPlaylist, mediaPlaylist, dash, smoothStreaming, session, referenceMovie

        /// The content with an address in it.
        func content(naming url: URL) -> Data {
            let address = url.absoluteString
            return switch self {
            case .masterPlaylist: Data("#EXTM3U\n#EXT-X-STREAM-INF:BANDWIDTH=200000\n\(address)\n".utf8)
            case .mediaPlaylist:
                Data("#EXTM3U\n#EXT-X-TARGETDURATION:2\n#EXTINF:2,\n\(address)\n#EXT-X-ENDLIST\n".utf8)
            case .dash:
                Data(
                    """
                    <?xml version="1.0"?>
                    <MPD xmlns="urn:mpeg:dash:schema:mpd:2011" type="static" mediaPresentationDuration="PT10S"
                      profiles="urn:mpeg:dash:profile:isoff-on-demand:2011" minBufferTime="PT1S">
                    <Period><AdaptationSet mimeType="audio/mp4"><Representation id="1" bandwidth="100000">
                    <BaseURL>\(address)</BaseURL><SegmentBase indexRange="0-100"/>
                    </Representation></AdaptationSet></Period></MPD>
                    """.utf8)
            case .smoothStreaming:
                Data(
                    """
                    <?xml version="1.0"?>
                    <SmoothStreamingMedia MajorVersion="2" MinorVersion="0" Duration="100000000">
                    <StreamIndex Type="audio" QualityLevels="1" Chunks="1" Url="\(address)/{bitrate}/{start time}">
                    <QualityLevel Index="0" Bitrate="128000" FourCC="AACL" SamplingRate="48000" Channels="2"
                      BitsPerSample="16" PacketSize="4" AudioTag="255" CodecPrivateData="1190"/>
                    <c t="0" d="100000000"/></StreamIndex></SmoothStreamingMedia>
                    """.utf8)
            case .session:
                Data(
                    """
                    v=0
                    o=- 0 0 IN IP4 127.0.0.1
                    s=Session
                    c=IN IP4 127.0.0.1
                    t=0 0
                    a=control:rtsp://127.0.0.1:\(url.port ?? 554)/
                    m=audio 5004 RTP/AVP 0

                    """.utf8)
            case .referenceMovie: Self.referenceMovie(address)
            }
        }

        /// "moov" with one reference, of the kind "url ".
        private static func referenceMovie(_ address: String) -> Data {
            let text = Array(address.utf8) + [0]
            let head = [0, 0, 0, 0] + Array("url ".utf8)
            let reference = head + [UInt8].number(text.count, bytes: 4, .big) + text
            let movie = ["rdrf", "rmda", "rmra", "moov"].reduce(reference) { atom($1, $0) }
            return Data(atom("ftyp", Array("qt  \0\0\0\0qt  ".utf8)) + movie)
        }

        private static func atom(_ name: String, _ content: [UInt8]) -> [UInt8] {
            .number(8 + content.count, bytes: 4, .big) + Array(name.utf8) + content
        }
    }

    private func error(_ source: AudioSource, _ access: NetworkAccess = NetworkAccess()) async -> CoreError? {
        await #expect(throws: CoreError.self) {
            let opened = try await GStreamerDecks { access }.open(
                source, mix: PCMFormat(sampleRate: 48_000, channels: 2)
            ) { _ in
            }
            opened.deck.close()
        }
    }

    @Test(arguments: Kind.allCases) func aFileOpensNoAddress(kind: Kind) async throws {
        let file = try directory.write(kind.content(naming: server.url("/sound")), to: "song.mp3")
        let found = try #require(await error(.url(file)))
        #expect(found.code == "unsupported" && found.message.hasPrefix(file.path), "\(found)")
        if kind != .session { #expect(found.message.contains("; open "), "\(found)") }
        #expect(server.requests.isEmpty, "\(server.requests)")
    }

    @Test(arguments: Kind.allCases) func bytesOfAHostOpenNoAddress(kind: Kind) async throws {
        let content = kind.content(naming: server.url("/sound"))
        for source in [AudioSource.data(content, name: "song"), .bytes(HostBytes(content, isSeekable: true))] {
            let found = try #require(await error(source))
            #expect(found.code == "unsupported" && found.message.hasPrefix(source.name), "\(found)")
        }
        #expect(server.requests.isEmpty, "\(server.requests)")
    }

    @Test func theDecoderOpensNoAddress() throws {
        let file = try directory.write(Kind.mediaPlaylist.content(naming: server.url("/sound")), to: "song.mp3")
        let found = #expect(throws: CoreError.self) {
            _ = try GStreamerDecoder().open(url: file)
        }
        #expect(found?.code == "unsupported", "\(String(describing: found))")
        #expect(server.requests.isEmpty, "\(server.requests)")
    }

    /// What a server sends opens no file of this machine: not as a part, and not as another playlist, whose parts the server would see.
    @Test(arguments: [Kind.masterPlaylist, .mediaPlaylist, .referenceMovie]) func aServerOpensNoFile(kind: Kind)
        async throws
    {
        let parts = server.url("/part")
        let own =
            kind == .masterPlaylist
            ? Kind.mediaPlaylist.content(naming: parts) : try Data(contentsOf: directory.file("noise.wav"))
        let file = try directory.write(own, to: "own")
        let content = kind.content(naming: file)
        let sender = try LoopbackWebServer { .file(content, for: $0) }
        let found = try #require(await error(.url(sender.url("/song"))))
        #expect(found.code == "unsupported" && found.message.contains("at file:"), "\(found)")
        #expect(server.requests.isEmpty, "\(server.requests)")
    }

    /// The part is named by a playlist that GStreamer loads itself.
    @Test func aServerOpensNoFileAsAPart() async throws {
        let list = Kind.mediaPlaylist.content(naming: directory.file("noise.wav"))
        let main = Kind.masterPlaylist.content(naming: try #require(URL(string: "list")))
        let sender = try LoopbackWebServer { .file($0.path == "/list" ? list : main, for: $0) }
        let found = try #require(await error(.url(sender.url("/song"))))
        #expect(found.code == "unsupported" && found.message.contains("at file:"), "\(found)")
    }

    /// The key is named by a playlist that GStreamer loads itself, with an element that nothing announces.
    @Test func aServerOpensNoFileAsAKey() async throws {
        let key = directory.file("key")
        try #require(mkfifo(key.path, 0o600) == 0)
        let list = """
            #EXTM3U
            #EXT-X-TARGETDURATION:2
            #EXT-X-KEY:METHOD=AES-128,URI="\(key.absoluteString)"
            #EXTINF:2,
            part.ts
            #EXT-X-ENDLIST

            """
        let main = Kind.masterPlaylist.content(naming: try #require(URL(string: "list")))
        let sender = try LoopbackWebServer { .file($0.path == "/list" ? Data(list.utf8) : main, for: $0) }
        _ = try #require(await error(.url(sender.url("/song"))))
        #expect(sender.requests.contains { $0.path == "/list" })
        // A reader that waits for the first writer, too, lets one in.
        let writer = open(key.path, O_WRONLY | O_NONBLOCK)
        #expect(writer == -1 && errno == ENXIO, "the file is open")
        if writer >= 0 { close(writer) }
    }

    /// GStreamer may ask the other server before it is stopped.
    @Test func theHeadersForAServerAreNotSentToAMovieThatItNames() async throws {
        let content = Kind.referenceMovie.content(naming: server.url("/sound"))
        let sender = try LoopbackWebServer { .file(content, for: $0) }
        var access = NetworkAccess()
        try access.setHeaders(["X-Key": "secret"], for: sender.url("/"))
        // Playbin follows the reference on one thread while the opening ends on another.
        for _ in 0..<30 {
            let found = try #require(await error(.url(sender.url("/song")), access))
            #expect(found.message.contains(server.url("/sound").absoluteString), "\(found)")
        }
        #expect(sender.requests.allSatisfy { $0.headers["x-key"] == "secret" })
        #expect(!server.requests.contains { $0.headers["x-key"] != nil }, "\(server.requests)")
    }
}
