import DescantCore
import DescantGStreamer
import DescantMixing
import DescantTestSupport
import DescantTesting
import Foundation
import Testing

/// HTTP Live Streaming: a playlist of segments.
@Suite(.timeLimit(.minutes(5))) struct StreamingPlaylistTests {
    private let fixture: NetworkFixture

    init() throws { fixture = try NetworkFixture() }

    /// Divides the sound into segments of two seconds.
    private func pieces() throws -> [String: Data] {
        let folder = fixture.directory
        try WAVFile(fixture.samples, encoding: .int16).write(to: folder.file("noise.wav"))
        let ffmpeg = Process()
        ffmpeg.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        ffmpeg.arguments = [
            "ffmpeg", "-v", "error", "-nostdin", "-i", folder.file("noise.wav").path, "-c:a", "aac", "-b:a", "192k",
            "-f", "hls", "-hls_time", "2", "-hls_playlist_type", "vod", folder.file("index.m3u8").path,
        ]
        try ffmpeg.run()
        ffmpeg.waitUntilExit()
        try #require(ffmpeg.terminationStatus == 0)
        var pieces: [String: Data] = [:]
        for name in try FileManager.default.contentsOfDirectory(atPath: folder.url.path)
        where name.hasPrefix("index") { pieces["/hls/" + name] = try Data(contentsOf: folder.file(name)) }
        let main = "#EXTM3U\n#EXT-X-STREAM-INF:BANDWIDTH=200000,CODECS=\"mp4a.40.2\"\nhls/index.m3u8\n"
        pieces["/main.m3u8"] = Data(main.utf8)
        return pieces
    }

    private func server() throws -> LoopbackWebServer {
        let pieces = try pieces()
        return try LoopbackWebServer { request in
            guard let piece = pieces[request.path] else { return WebAnswer(status: 404) }
            let type = request.path.hasSuffix("m3u8") ? "application/vnd.apple.mpegurl" : "video/mp2t"
            return .file(piece, for: request, type: type)
        }
    }

    @Test(arguments: ["/hls/index.m3u8", "/main.m3u8"])
    func hlsPlaylistPlaysAndSeeks(path: String) async throws {
        let server = try server()
        let opened = try await fixture.open(server.url(path))
        defer { opened.deck.close() }
        let all = try DeckDrain.read(opened.deck, channels: 2)
        #expect(all.failure == nil, "\(String(describing: all.failure))")
        #expect(abs(all.samples.duration - 10) < 0.2)
        let reference = fixture.samples.channel(0)
        for frame in [100_000, 400_000] {
            let found = Alignment(of: Array(all.samples.channel(0)[frame..<frame + 16_384]), in: reference)
            // A transport stream does not contain the encoder delay of AAC.
            #expect(abs(found.frame - frame) < 5_000 && found.correlation > 0.5)
        }
        opened.deck.seek(toFrame: 240_000)
        let remainder = try DeckDrain.read(opened.deck, channels: 2, atMost: 48_000)
        let found = Alignment(of: Array(remainder.samples.channel(0)[0..<16_384]), in: reference)
        // Seeks of GStreamer's demuxer are exact to a segment.
        #expect(abs(found.frame - 240_000) <= 96_000 && found.correlation > 0.5, "\(found)")
    }

    @Test func hlsPlaylistWithoutSegmentsIsAnError() async throws {
        let playlist = Data("#EXTM3U\n#EXT-X-TARGETDURATION:2\n#EXTINF:2,\ngone.ts\n#EXT-X-ENDLIST\n".utf8)
        let server = try LoopbackWebServer { request in
            request.path == "/index.m3u8"
                ? .file(playlist, for: request, type: "application/vnd.apple.mpegurl") : WebAnswer(status: 404)
        }
        let error = await fixture.error(server.url("/index.m3u8"))
        #expect(error != nil)
        #expect(
            error?.message.hasPrefix(server.url("/index.m3u8").absoluteString) == true, "\(String(describing: error))")
    }
}
