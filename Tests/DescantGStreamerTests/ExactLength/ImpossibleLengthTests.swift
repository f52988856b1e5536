import DescantContainers
import DescantCore
import DescantTesting
import Foundation
import Testing

@testable import DescantGStreamer

/// Impossible lengths do not trap and are not used as the length of a deck.
struct ImpossibleLengthTests {
    private let directory: TemporaryDirectory

    init() throws { directory = try TemporaryDirectory() }

    private func encoded(_ format: FixtureFormat, rate: Int = 44_100) throws -> Data {
        try Data(
            contentsOf: FixtureEncoder().make(
                .noise(seconds: 1, sampleRate: rate), as: format, named: "sound", in: directory))
    }

    private func length(_ data: Data) -> ExactLength? { ExactLength.read(ArrayBytes([UInt8](data))) }

    static let granules: [Int64] = [
        44_100 | 1 << 56, 44_100 | 1 << 62, .max, .max - 1, .min, .min + 1, -2, 1 << 40, 1 << 41, 1 << 36,
    ]

    @Test(arguments: [FixtureFormat.vorbis(quality: 4), .opus(kilobitsPerSecond: 96)], granules)
    func granulePositionsBeyondTheFileAreIgnored(format: FixtureFormat, granule: Int64) throws {
        let rate = format == .vorbis(quality: 4) ? 44_100 : 48_000
        let whole = try encoded(format, rate: rate)
        #expect(length(whole)?.frames == Int64(rate))
        for place in [0, 2] {
            var file = EditableOggFile(whole)
            // The last page has the end, the first one with sound the beginning.
            let page = place == 0 ? try #require(file.pages.last) : file.pages[place]
            file.setGranule(granule, of: page)
            let found = length(file.data)
            #expect((found?.frames ?? 0) <= Int64(rate) * 2, "\(found?.frames ?? 0)")
        }
    }

    /// A packet of Opus lasts up to 120 ms, 5,760 frames. Longer ones are malformed: decoders refuse them, and they count no frames.
    @Test(arguments: [(1, 960), (6, 5_760), (7, 0), (63, 0), (0, 0)] as [(UInt8, Int64)])
    func malformedOpusPacketsCountNoFrames(count: UInt8, frames: Int64) {
        var file: [UInt8] = []
        var sequence: UInt32 = 0
        func append(_ packet: [UInt8], flags: UInt8 = 0, granule: Int64 = 0) {
            let page = OggPage(
                flags: flags, granule: granule, serial: 1, sequence: sequence, lacing: [UInt8(packet.count)])
            file += page.bytes(sealing: packet[...]) + packet
            sequence += 1
        }
        // Version 1, 2 channels, no frames to skip, 48 kHz, no gain, the usual order of channels.
        append(Array("OpusHead".utf8) + [1, 2, 0, 0, 0x80, 0xBB, 0, 0, 0, 0, 0], flags: 2)
        append(Array("OpusTags".utf8) + [UInt8](repeating: 0, count: 8))
        // Some frames of 20 ms (configuration 19, code 3), then one packet that ends the stream.
        append([19 << 3 | 3, count, 0, 0], granule: 20_000)
        append([19 << 3, 0, 0], flags: 4, granule: 29_600)
        // The sound begins where the first packet does.
        #expect(length(Data(file))?.frames == 9_600 + frames)
    }

    @Test func pageWithWrongChecksumIsIgnored() throws {
        let whole = try encoded(.vorbis(quality: 4))
        var file = EditableOggFile(whole)
        let page = try #require(file.pages.last)
        file.setGranule(40_000, of: page)
        #expect(length(file.data)?.frames == 40_000)
        #expect(length(Data(file.bytes))?.frames != 40_000)
    }

    /// Numbers of 4 bytes in an MP4 file's tables: the name of an atom, and the distance to the number.
    static let fields = [
        ("mdhd", 16), ("mdhd", 20), ("mvhd", 16), ("mvhd", 20), ("elst", 8), ("elst", 12), ("elst", 16), ("stts", 8),
        ("stts", 12), ("stts", 16), ("stsz", 8), ("stsd", 0), ("trak", -4), ("moov", -4), ("edts", -4), ("stbl", -4),
    ]

    @Test(arguments: [FixtureFormat.aac(kilobitsPerSecond: 128), .alac], fields)
    func damagedMP4TablesDoNotTrap(format: FixtureFormat, field: (name: String, offset: Int)) throws {
        let whole = try encoded(format)
        guard let name = whole.firstRange(of: Data(field.name.utf8))?.lowerBound else { return }
        for value: [UInt8] in [
            [0x7F, 255, 255, 255], [255, 255, 255, 255], [0x80, 0, 0, 0], [0, 0, 0, 0], [0, 0, 0, 1],
        ] {
            var data = whole
            data.replaceSubrange(name + field.offset..<name + field.offset + 4, with: value)
            guard let found = length(data) else { continue }
            #expect(found.isPossible(inBytes: Int64(data.count)))
            for rate in [1, 44_100, 48_000, 1_536_000] { _ = found.scaled(to: rate) }
        }
    }

    @Test func damaged64BitEditListsDoNotTrap() throws {
        let whole = try encoded(.alac)
        let name = try #require(whole.firstRange(of: Data("elst".utf8))?.lowerBound)
        for start: [UInt8] in [[0x7F] + Array(repeating: 255, count: 7), [0x40] + Array(repeating: 0, count: 7)] {
            var data = whole
            // Version 1: a length and a start of 8 bytes each, and the speed, in room taken from what follows.
            let entry: [UInt8] = [1, 0, 0, 0, 0, 0, 0, 1] + start + start + [0, 1, 0, 0]
            data.replaceSubrange(name + 4..<name + 4 + entry.count, with: entry)
            _ = length(data)?.scaled(to: 48_000)
        }
    }

    @Test func lengthsAreScaledWithoutATrap() {
        for frames: Int64 in [.max, .max / 2, 1 << 62, 1 << 41, -1 << 62] {
            for lead: Int64 in [.max, 0] {
                let length = ExactLength(frames: frames, sampleRate: 1, lead: lead)
                #expect((length.scaled(to: 1_536_000)?.frames ?? 0) <= FrameCount.limit)
                #expect(!length.isPossible(inBytes: 1_000_000))
                _ = length.isPossible(inBytes: .max)
            }
        }
        #expect(ExactLength(frames: 48_000, sampleRate: 24_000).scaled(to: 48_000)?.frames == 96_000)
    }

    @Test func damagedMP3HeadersDoNotTrap() throws {
        for format in [FixtureFormat.mp3(kilobitsPerSecond: 128), .infoMP3(kilobitsPerSecond: 128)] {
            let whole = try encoded(format)
            let tag = try #require(
                (whole.firstRange(of: Data("Info".utf8)) ?? whole.firstRange(of: Data("Xing".utf8)))?.lowerBound)
            for value: UInt8 in [0, 1, 0x7F, 0x80, 255] {
                for place in [8, 12] {
                    var data = whole
                    for index in place..<place + 4 { data[tag + index] = value }
                    let found = length(data)
                    #expect((found?.frames ?? 1) >= 1)
                    #expect(found?.isPossible(inBytes: Int64(data.count)) ?? true)
                }
            }
        }
    }

    @Test func sampleRatesThatAreNotPlayedHaveNoLength() throws {
        var wave = try encoded(.wav(.int16))
        for rate: [UInt8] in [[0, 0, 0, 0], [0, 0x24, 0xF4, 0], [255, 255, 255, 255], [0, 0, 0, 0x80]] {
            wave.replaceSubrange(24..<28, with: rate)
            #expect(length(wave) == nil)
        }
    }

    // MARK: Other containers

    /// A length comes from a container that was recognised, not from bytes that look like a frame of MP3.
    @Test(arguments: [("mka", "libmp3lame"), ("mov", "pcm_s16be"), ("avi", "libmp3lame"), ("aiff", "pcm_s16be")])
    func unknownContainersHaveNoLength(container: (fileExtension: String, codec: String)) throws {
        let file = CodedFile(
            name: container.fileExtension, fileExtension: container.fileExtension, arguments: ["-c:a", container.codec])
        let data = try Data(contentsOf: file.encode(seconds: 1, in: directory.url))
        #expect(length(data) == nil)
    }

    /// The encoder delay is kept, as with GStreamer's demuxer, and no sound is cut off.
    @Test func mp3InMatroskaPlaysWhole() async throws {
        let file = CodedFile(name: "mka", fileExtension: "mka", arguments: ["-c:a", "libmp3lame", "-b:a", "128k"])
        let url = try file.encode(seconds: 2.3, in: directory.url)
        let opened = try await GStreamerDecks().open(.url(url), mix: PCMFormat(sampleRate: 48_000, channels: 2)) { _ in
        }
        defer { opened.deck.close() }
        let outcome = try DeckDrain.read(opened.deck, channels: 2)
        #expect(outcome.failure == nil)
        let reference = try file.reference(of: url).frameCount
        #expect(outcome.samples.frameCount >= reference)
    }

    @Test func mp3BeginsBehindItsTagsOrNotAtAll() throws {
        let whole = try encoded(.infoMP3(kilobitsPerSecond: 128))
        let start = Int(ID3v2Header.end(in: ArrayBytes([UInt8](whole))))
        #expect(start > 0)
        let bare = whole.dropFirst(start)
        #expect(length(Data(bare))?.frames == 44_100)
        #expect(length(Data(count: 100) + bare)?.frames == 44_100)
        #expect(length(Data("text".utf8) + bare) == nil)
        // A single header with something else behind it.
        #expect(length(bare.prefix(417) + Data(repeating: 7, count: 20_000)) == nil)
    }
}
