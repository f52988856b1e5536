import CGStreamer
import DescantCore
import DescantMixing
import DescantTestSupport
import DescantTesting
import Foundation
import Testing

@testable import DescantGStreamer

/// The tags of a file in the track's description.
struct DeckTagsTests {
    @Test func tagsOfAnID3File() async throws {
        let directory = try TemporaryDirectory()
        let mp3 = try FixtureEncoder().make(
            .noise(seconds: 1, sampleRate: 44_100), as: .mp3(kilobitsPerSecond: 128), named: "plain", in: directory)
        let tagged = try directory.write(ID3Fixture.tag + Data(contentsOf: mp3), to: "tagged.mp3")
        let opened = try await GStreamerDecks().open(
            .url(tagged), mix: PCMFormat(sampleRate: 44_100, channels: 2)
        ) { _ in }
        opened.deck.close()
        #expect(opened.deck.frameCount == 44_100)
        let tags = opened.info.track.tags
        #expect(opened.info.track.title == "Nocturne No. 5")
        #expect(opened.info.track.artist == "John Field")
        #expect(tags.album == "Nocturnes")
        #expect(tags.albumArtist == "Various")
        #expect(tags.genre == "Classical")
        #expect(tags.year == 1_817)
        #expect(tags.trackNumber == 5)
        #expect(tags.discNumber == 2)
        #expect(tags.artworkData == ID3Fixture.picture)
        #expect(opened.info.track.format.codec == "MPEG-1 Layer 3 (MP3)")
        #expect(opened.info.track.format.bitDepth == nil)
    }

    /// Behind the description of the open deck, and before anybody observes it.
    @Test func aTitleThatArrivesWhileADeckOpensIsReportedOnce() async throws {
        try GStreamerRuntime.start()
        let wave = WAVFile(TestSignal.noise(seconds: 1).samples(), encoding: .int16).data()
        let resolved = try ResolvedSource(.data(wave, name: "plain.wav"), access: NetworkAccess())
        let pipeline = try PlaybinPipeline(resolved, channels: 2)
        pipeline.queue.async { pipeline.start() }
        let limit = ContinuousClock.now + .seconds(30)
        while !pipeline.monitor.hasSample, ContinuousClock.now < limit { await Task.yield() }
        let shape = try #require(pipeline.sourceShape)
        let first = pipeline.queue.sync { TrackDescription(resolved: resolved, pipeline: pipeline, shape: shape) }
        let deck = PlaybinDeck(
            name: resolved.name, pipeline: pipeline, sampleRate: shape.sampleRate, length: first.length, extent: nil,
            isPadded: false, reconnectLimit: 0)
        defer { deck.close() }
        let late = try #require(gst_tag_list_new_from_string("taglist, title=(string)Late;"))
        let message = try #require(gst_message_new_tag(nil, late))
        pipeline.monitor.receive(message)
        gst_message_unref(message)
        let events = EventRecorder<DeckEvent>()
        for _ in 0..<2 {
            // The title is in the description of the second deck, which tells nothing.
            let known = pipeline.queue.sync { TrackDescription(resolved: resolved, pipeline: pipeline, shape: shape) }
            DeckEventForwarder.attach(
                to: deck, resolved: resolved, shape: shape, first: events.all.isEmpty ? first : known
            ) { events.record($0) }
            pipeline.queue.sync {}
        }
        #expect(events.all.titles == ["Late"])
    }
}

/// An ID3v2.3 tag, written by hand.
private enum ID3Fixture {
    /// One pixel as PNG.
    static let picture =
        Data(
            base64Encoded:
                "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8BQDwAEhQGAhKmMIQAAAABJRU5ErkJggg==")
        ?? Data()

    static var tag: Data {
        var frames = Data()
        let texts = [
            ("TIT2", "Nocturne No. 5"), ("TPE1", "John Field"), ("TALB", "Nocturnes"), ("TPE2", "Various"),
            ("TCON", "Classical"), ("TYER", "1817"), ("TRCK", "5"), ("TPOS", "2"),
        ]
        for (name, text) in texts { frames += frame(name, Data([0]) + Data(text.utf8)) }
        frames += frame("APIC", Data([0]) + Data("image/png".utf8) + Data([0, 3, 0]) + picture)
        let size = frames.count
        let bytes = [21, 14, 7, 0].map { UInt8(size >> $0 & 0x7F) }
        return Data("ID3".utf8) + Data([3, 0, 0]) + Data(bytes) + frames
    }

    private static func frame(_ name: String, _ body: Data) -> Data {
        Data(name.utf8) + withUnsafeBytes(of: UInt32(body.count).bigEndian) { Data($0) } + Data([0, 0]) + body
    }
}
