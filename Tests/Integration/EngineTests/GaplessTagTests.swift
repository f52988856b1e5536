import Descant
import DescantTesting
import Foundation
import Testing

/// Encoder delay and padding from the tags of files: no missing and no extra frame, and invalid tags are ignored.
@Suite(.timeLimit(.minutes(5))) struct GaplessTagTests {
    enum Container: CaseIterable { case editList, gaplessTag, both, infoMP3, lameMP3, alac }

    /// Noise cut into three files at odd samples: every part is at its original position.
    @Test(arguments: Container.allCases, OfflineEngine.Decoders.allCases)
    func threePartsAreAtTheirPositions(container: Container, decoders: OfflineEngine.Decoders) async throws {
        for sampleRate in [44_100, 48_000] { try await playThreeParts(container, sampleRate, decoders) }
    }

    private func playThreeParts(
        _ container: Container, _ sampleRate: Int, _ decoders: OfflineEngine.Decoders
    ) async throws {
        let offline = try OfflineEngine(format: PCMFormat(sampleRate: sampleRate, channels: 2), decoders: decoders)
        let noise = TestSignal.noise(seed: 8, seconds: 3, sampleRate: sampleRate).samples()
        let cuts = [0, 40_007, 91_111, noise.frameCount]
        var decks: [DeckID] = []
        for (start, end) in zip(cuts, cuts.dropFirst()) {
            let deck = try await offline.engine.openDeck(
                .url(try file(noise.slice(start..<end), container, offline)), gain: 1, isClip: false)
            #expect(deck.frameCount == Int64(end - start))
            #expect(deck.decoder == "libav" || decoders == .gstreamer)
            decks.append(deck.id)
        }
        #expect(try await offline.renderPlaylist(decks, join: .gapless) == noise.frameCount)
        let rendered = try await offline.rendered()
        try #require(rendered.frameCount == noise.frameCount)
        let (heard, original) = (rendered.channel(0), noise.channel(0))
        for (start, end) in zip(cuts, cuts.dropFirst()) {
            // Close to both edges, where a shift would show first.
            for begin in [start + 1_500, end - 9_500] {
                // The whole would take seconds to search.
                let near = max(0, begin - 4_000)
                let place = original[near..<min(original.count, begin + 12_000)]
                let found = Alignment(of: Array(heard[begin..<begin + 8_000]), in: Array(place))
                #expect(near + found.frame == begin)
                #expect(found.correlation > 0.4)
            }
        }
    }

    /// The same from memory and from bytes of the host.
    @Test(arguments: [Container.both, .infoMP3]) func memoryAndHostBytesAreTrimmedEqually(container: Container)
        async throws
    {
        let offline = try OfflineEngine()
        let noise = TestSignal.noise(seed: 9, seconds: 1).samples()
        let url = try file(noise.slice(0..<40_007), container, offline)
        let fed = try await offline.engine.openDeck(
            .data(try Data(contentsOf: url), name: url.lastPathComponent), gain: 1, isClip: false)
        #expect(fed.frameCount == 40_007)
        try await offline.start(fed.id)
        #expect(try await offline.renderToIdle() == 40_007)
        let found = Alignment(of: Array(try await offline.rendered().channel(0)[2_000..<12_000]), in: noise.channel(0))
        #expect(found.frame == 2_000)
    }

    /// An invalid tag, and one that was copied from a shorter file, is ignored, and the length comes from the rest of the file.
    @Test(arguments: [
        " 00000000 FFFFFFFF 000001CA 00000000003F31F6", " 00000000 00000840 000001CA 7FFFFFFFFFFFFFFF",
        " 00000000 00000840 000001CA 0000000000000000", " 00000000 -0000400 -00001CA 0000000000001000", "nonsense", "",
        " 00000000 00000400", " 00000000 00000400 00000120 0000000000002EE0",
    ])
    func damagedGaplessTagIsIgnored(text: String) async throws {
        let offline = try OfflineEngine()
        let noise = TestSignal.noise(seed: 10, seconds: 1).samples()
        let whole = try Data(contentsOf: try offline.file(noise.slice(0..<40_007), .aac(kilobitsPerSecond: 192)))
        let url = try offline.directory.write(try MovieEditor(whole).tagged(text).data, to: "damaged.m4a")
        let deck = try await offline.engine.openDeck(.url(url), gain: 1, isClip: false)
        #expect(deck.frameCount == 40_007)
        try await offline.start(deck.id)
        #expect(try await offline.renderToIdle() == 40_007)
    }

    /// Every byte of the atoms is inverted; opening ends with an error or a length.
    @Test func damagedMovieHeadersEndInErrorOrLength() async throws {
        let offline = try OfflineEngine()
        let noise = TestSignal.noise(seed: 11, seconds: 0.25).samples()
        let whole = try Data(contentsOf: try offline.file(noise, .aac(kilobitsPerSecond: 64)))
        let editor = try MovieEditor(whole).tagged(" 00000000 00000400 00000100 0000000000002EE0")
        for kind in ["elst", "mdhd", "stts", "mvhd", "stsd", "data"] {
            let start = try editor.offset(of: kind)
            for step in 0..<6 {
                var data = editor.data
                for place in start - 4 + step * 4..<start + step * 4 { data[place] ^= 0xFF }
                let url = try offline.directory.write(data, to: "damaged-\(kind)-\(step).m4a")
                // Both an error and a deck of any length are allowed.
                guard let deck = try? await offline.open(url) else { continue }
                await offline.engine.closeDeck(deck)
            }
        }
    }

    @Test(
        arguments: [
            [0xFF, 0xFF, 0xFF], [0, 0, 0], [0xFF, 0xF0, 0],
        ] as [[UInt8]])
    func damagedInfoTagIsIgnored(delays: [UInt8]) async throws {
        let offline = try OfflineEngine()
        let noise = TestSignal.noise(seed: 12, seconds: 1).samples()
        var data = try Data(contentsOf: try offline.file(noise, .infoMP3(kilobitsPerSecond: 128)))
        let tag = try #require(data.range(of: Data("Lavc".utf8), in: 100..<data.count)).lowerBound
        data.replaceSubrange(tag + 21..<tag + 24, with: delays)
        // More blocks than fit into the file.
        if delays == [0xFF, 0xF0, 0] {
            let info = try #require(data.range(of: Data("Info".utf8))).lowerBound
            data.replaceSubrange(info + 8..<info + 12, with: [0x7F, 0xFF, 0xFF, 0xFF])
        }
        let deck = try await offline.open(try offline.directory.write(data, to: "damaged.mp3"))
        try await offline.start(deck)
        let frames = try await offline.renderToIdle()
        #expect(frames > 40_000 && frames < 52_000, "\(frames) frames")
    }

    private func file(_ content: SampleBuffer, _ container: Container, _ offline: OfflineEngine) throws -> URL {
        let aac = FixtureFormat.aac(kilobitsPerSecond: 192)
        switch container {
        case .editList: return try offline.file(content, aac)
        case .infoMP3: return try offline.file(content, .infoMP3(kilobitsPerSecond: 192))
        case .lameMP3: return try offline.file(content, .mp3(kilobitsPerSecond: 192))
        case .alac: return try offline.file(content, .alac)
        case .gaplessTag, .both:
            let editor = try MovieEditor(try Data(contentsOf: try offline.file(content, aac)))
            let packets = (content.frameCount + 1_024 + 1_023) / 1_024
            let fields = [1_024, packets * 1_024 - 1_024 - content.frameCount, content.frameCount]
            let text = String(format: " 00000000 %08X %08X %016X", fields[0], fields[1], fields[2])
            let tagged = try editor.tagged(text)
            let data = container == .both ? tagged.data : try tagged.withoutEditList().data
            return try offline.directory.write(data, to: "tagged-\(UUID().uuidString).m4a")
        }
    }
}
