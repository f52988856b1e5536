import DescantCore
import DescantGStreamer
import DescantMixing
import DescantTesting
import Foundation
import Testing

/// Files that are damaged after their beginning.
struct DamagedFileTests {
    private let directory: TemporaryDirectory
    private let mix = PCMFormat(sampleRate: 48_000, channels: 2)

    init() throws { directory = try TemporaryDirectory() }

    private func open(_ url: URL) async throws -> OpenedDeck {
        try await GStreamerDecks().open(.url(url), mix: mix) { _ in }
    }

    @Test(arguments: [FixtureFormat.flac(bits: 16), .wav(.int16), .mp3(kilobitsPerSecond: 128)])
    func truncatedFileIsReported(format: FixtureFormat) async throws {
        let whole = try FixtureEncoder().make(.noise(seconds: 4), as: format, named: "whole", in: directory)
        let data = try Data(contentsOf: whole)
        let url = try directory.write(data.prefix(data.count / 2), to: "cut.\(format.fileExtension)")
        let (failure, end) = try await truncation(of: url)
        let place = String(format: "%.3f", Double(end) / 48_000)
        #expect(failure.message == "\(url.path) is truncated at \(place) s of 4.000 s")
    }

    /// Plays half of a file of four seconds.
    ///
    /// - Returns: The error that it ends with, and the position there.
    private func truncation(of url: URL) async throws -> (failure: CoreError, end: Int64) {
        let opened = try await open(url)
        defer { opened.deck.close() }
        let outcome = try DeckDrain.read(opened.deck, channels: 2)
        #expect((1.7...2.1).contains(outcome.samples.duration))
        let failure = try #require(outcome.failure)
        #expect(failure.code == "decodeError")
        return (failure, outcome.endPosition)
    }

    /// The index in front of the sound announces all of it.
    @Test func truncatedMP4IsReported() async throws {
        let front = try CodedFile(
            name: "AAC", fileExtension: "m4a", arguments: ["-c:a", "aac", "-movflags", "+faststart"],
            fidelity: .within(1), sampleRate: 48_000
        ).encode(seconds: 4, in: directory.url)
        let data = try Data(contentsOf: front)
        let url = try directory.write(data.prefix(data.count / 2), to: "cut.m4a")
        let failure = try await truncation(of: url).failure
        #expect(failure.message.contains("is truncated at "), "\(failure)")
    }

    /// Ogg does not announce its length, but the length of each of its pages. The frames of the pages that are whole are played.
    @Test(arguments: [FixtureFormat.vorbis(quality: 5), .opus(kilobitsPerSecond: 96)], OggCut.allCases)
    func truncatedOggIsReported(format: FixtureFormat, cut: OggCut) async throws {
        let whole = try FixtureEncoder().make(.noise(seconds: 4), as: format, named: "whole", in: directory)
        let data = try Data(contentsOf: whole)
        let pages = EditableOggFile(data).pages
        let page = try #require(pages.first { $0.contains(data.count / 2) })
        let bytes = cut.bytes(of: data, page)
        for source in [
            AudioSource.url(try directory.write(bytes, to: "cut.\(format.fileExtension)")), .data(bytes, name: "cut"),
        ] {
            let opened = try await GStreamerDecks().open(source, mix: mix) { _ in }
            defer { opened.deck.close() }
            let outcome = try DeckDrain.read(opened.deck, channels: 2)
            guard cut.isReported else {
                #expect(outcome.failure == nil, "\(String(describing: outcome.failure))")
                continue
            }
            #expect((0.9...2.1).contains(outcome.samples.duration), "\(outcome.samples.duration)")
            #expect(opened.deck.frameCount == outcome.endPosition)
            let failure = try #require(outcome.failure)
            #expect(failure.code == "decodeError")
            let place = String(format: "%.3f", Double(outcome.endPosition) / 48_000)
            #expect(failure.message == "\(source.name) is truncated at \(place) s")
        }
    }

    /// Where a file ends that has lost its end.
    enum OggCut: CaseIterable, Sendable {
        case inBody, inHeader, inMark, betweenPages, behindTheEnd, whole

        func bytes(of data: Data, _ page: Range<Int>) -> Data {
            switch self {
            case .inBody: data.prefix(page.lowerBound + page.count / 2)
            case .inHeader: data.prefix(page.lowerBound + 20)
            case .inMark: data.prefix(page.lowerBound + 3)
            case .betweenPages: data.prefix(page.lowerBound)
            // A tag of ID3v1, as some programs write it behind every file.
            case .behindTheEnd: data + Data("TAG".utf8) + Data(count: 125)
            case .whole: data
            }
        }

        var isReported: Bool {
            switch self {
            case .inBody, .inHeader, .inMark: true
            // As a recording of a station ends.
            case .betweenPages: false
            case .behindTheEnd, .whole: false
            }
        }
    }

    /// The last link of a chain is cut, in its sound or in its headers.
    @Test(arguments: [0.5, 0.01]) func truncatedChainIsReported(part: Double) async throws {
        let link = try Data(
            contentsOf: FixtureEncoder().make(.noise(seconds: 4), as: .vorbis(quality: 5), named: "link", in: directory)
        )
        let other = try Data(
            contentsOf: FixtureEncoder().make(
                .noise(seed: 2, seconds: 4), as: .vorbis(quality: 5), named: "other", in: directory))
        let url = try directory.write(link + other.prefix(Int(Double(other.count) * part)), to: "chain.ogg")
        let opened = try await open(url)
        defer { opened.deck.close() }
        let outcome = try DeckDrain.read(opened.deck, channels: 2)
        #expect((3.9...6.1).contains(outcome.samples.duration), "\(outcome.samples.duration)")
        let failure = try #require(outcome.failure)
        #expect(failure.message.contains("is truncated at "), "\(failure)")
    }

    @Test func fileThatShrinksWhilePlaying() async throws {
        let url = try FixtureEncoder().make(.noise(seconds: 20), as: .flac(bits: 16), named: "noise", in: directory)
        let size = try #require(
            FileManager.default.attributesOfItem(atPath: url.path)[.size] as? NSNumber
        ).uint64Value
        let opened = try await open(url)
        defer { opened.deck.close() }
        _ = try DeckDrain.read(opened.deck, channels: 2, atMost: 48_000)
        let handle = try FileHandle(forWritingTo: url)
        try handle.truncate(atOffset: size / 2)
        try handle.close()
        let outcome = try DeckDrain.read(opened.deck, channels: 2)
        #expect(outcome.failure?.message.contains("is truncated at") == true)
    }

    @Test func fileThatIsDeletedDuringPlaybackPlaysOn() async throws {
        let url = try FixtureEncoder().make(.noise(seconds: 10), as: .flac(bits: 16), named: "noise", in: directory)
        let opened = try await open(url)
        defer { opened.deck.close() }
        _ = try DeckDrain.read(opened.deck, channels: 2, atMost: 4_800)
        try FileManager.default.removeItem(at: url)
        let outcome = try DeckDrain.read(opened.deck, channels: 2)
        #expect(outcome.failure == nil)
        #expect(outcome.samples.frameCount == 480_000 - 4_800)
    }

    @Test(arguments: [FixtureFormat.flac(bits: 16), .mp3(kilobitsPerSecond: 192), .vorbis(quality: 5)])
    func damageInTheMiddleIsSkipped(format: FixtureFormat) async throws {
        let url = try FixtureEncoder().make(.noise(seconds: 6), as: format, named: "noise", in: directory)
        var data = try Data(contentsOf: url)
        let middle = data.startIndex + data.count / 2
        for index in middle..<middle + 4_000 { data[index] = UInt8(truncatingIfNeeded: index &* 73) }
        try data.write(to: url)
        let opened = try await open(url)
        defer { opened.deck.close() }
        let outcome = try DeckDrain.read(opened.deck, channels: 2)
        #expect(outcome.failure == nil)
        #expect((5.0...6.0).contains(outcome.samples.duration))
        // MP3 has no time stamps: lost frames shorten the stream.
        if case .mp3 = format { return }
        opened.deck.seek(toFrame: 5 * 48_000)
        #expect(try DeckDrain.read(opened.deck, channels: 2).samples.frameCount == 48_000)
    }

    /// Stations change between mono and stereo, and some AAC streams become stereo behind their first frames.
    @Test func channelsMayChangeOnTheWay() async throws {
        var links = Data()
        for (channels, pitch) in [(1, 440.0), (2, 880), (1, 440)] {
            let url = try FixtureEncoder().make(
                .sine(pitch, seconds: 1, channels: channels), as: .vorbis(quality: 5), named: "link", in: directory)
            links.append(try Data(contentsOf: url))
        }
        let opened = try await open(directory.write(links, to: "chain.ogg"))
        defer { opened.deck.close() }
        let whole = try DeckDrain.read(opened.deck, channels: 2)
        #expect(whole.failure == nil)
        #expect(abs(whole.samples.frameCount - 3 * 48_000) < 10)
        for (second, pitch) in [(0, 440), (1, 880), (2, 440)] {
            let part = Array(whole.samples.channel(1)[second * 48_000 + 4_800..<second * 48_000 + 43_200])
            let rises = part.indices.dropFirst().count { part[$0 - 1] < 0 && part[$0] >= 0 }
            #expect(abs(rises - pitch * 8 / 10) < 4, "\(rises) periods in 0.8 s of the link \(second)")
        }
    }
}
