import DescantCore
import DescantGStreamer
import DescantMixing
import DescantTesting
import Foundation
import Testing

/// Headers that crash GStreamer's elements, and impossible rates and channels, are refused with an error.
@Suite(.timeLimit(.minutes(2))) struct RefusedHeaderTests {
    private let directory: TemporaryDirectory

    init() throws { directory = try TemporaryDirectory() }

    private func encoded(_ format: FixtureFormat) throws -> Data {
        try Data(contentsOf: FixtureEncoder().make(.noise(seconds: 1), as: format, named: "sound", in: directory))
    }

    private func error(_ source: AudioSource) async throws -> CoreError {
        let error = await #expect(throws: CoreError.self) {
            let opened = try await GStreamerDecks().open(source, mix: PCMFormat(sampleRate: 48_000, channels: 2)) { _ in
            }
            defer { opened.deck.close() }
            let outcome = try DeckDrain.read(opened.deck, channels: 2)
            if let failure = outcome.failure { throw failure }
        }
        return try #require(error)
    }

    /// As a file, in memory, and as seekable and other bytes of the host.
    private func expectRefused(_ data: Data, _ name: String, _ words: String) async throws {
        let url = try directory.write(data, to: name)
        let sources: [AudioSource] = [
            .url(url), .data(data, name: name), .bytes(HostBytes(data, isSeekable: true)),
            .bytes(HostBytes(data, isSeekable: false)),
        ]
        for source in sources {
            let found = try await error(source)
            #expect(found.message.hasPrefix(source.name), "\(found)")
            #expect(found.message.contains(words), "\(found)")
        }
    }

    /// As a file. A stream without seeks cannot be checked at its end, and may play.
    private func expectRefusedAsFile(_ data: Data, _ words: String) async throws {
        let url = try directory.write(data, to: "tag.mp3")
        let found = try await error(.url(url))
        #expect(found.message.hasPrefix(url.path) && found.message.contains(words), "\(found)")
        for source in [AudioSource.data(data, name: "tag"), .bytes(HostBytes(data, isSeekable: false))] {
            let opened = try? await GStreamerDecks().open(source, mix: PCMFormat(sampleRate: 48_000, channels: 2)) {
                _ in
            }
            guard let opened else { continue }
            _ = try DeckDrain.read(opened.deck, channels: 2)
            opened.deck.close()
        }
    }

    @Test(arguments: [0x8000_0000, 0xFFFF_FFFF, 0x7FFF_FFFF, 2_000_000] as [UInt64])
    func vorbisRatesInOgg(rate: UInt64) async throws {
        var file = EditableOggFile(try encoded(.vorbis(quality: 4)))
        let header = try #require(file.firstIndex(of: [1] + Array("vorbis".utf8)))
        file.put(rate, bytes: 4, at: header + 12)
        try await expectRefused(file.data, "rate.ogg", "has a sample rate of \(rate) Hz")
    }

    @Test func vorbisRatesInMatroska() async throws {
        let coded = CodedFile(name: "mka", fileExtension: "mka", arguments: ["-c:a", "libvorbis"])
        var data = try Data(contentsOf: coded.encode(seconds: 1, in: directory.url))
        let header = try #require(data.firstRange(of: Data([1] + Array("vorbis".utf8)))?.lowerBound)
        data.replaceSubrange(header + 12..<header + 16, with: [0, 0, 0, 0x80])
        try await expectRefused(data, "rate.mka", "has a sample rate of 2147483648 Hz")
    }

    @Test(arguments: ["fffffff6", "ffffffff"], [2, 3, 4] as [UInt8])
    func id3Sizes(size: String, version: UInt8) async throws {
        var tag = Data("ID3".utf8) + Data([version, 0, 0])
        tag.append(contentsOf: [0xFF, 0xFF, 0xFF, size == "ffffffff" ? 0xFF : 0xF6])
        // Because of the tag at the end GStreamer looks for one at the beginning.
        let end = Data("TAG".utf8) + Data(count: 125)
        let data = tag + (try encoded(.mp3(kilobitsPerSecond: 128))) + end
        try await expectRefusedAsFile(data, "damaged ID3v2 tag")
    }

    @Test func id3SizeWithAFooterAndBehindAnotherTag() async throws {
        let sound = try encoded(.mp3(kilobitsPerSecond: 128))
        let whole = Data("ID3".utf8) + Data([4, 0, 0, 0, 0, 0, 10]) + Data(count: 10)
        let damaged = Data("ID3".utf8) + Data([4, 0, 0x10, 0xFF, 0xFF, 0xFF, 0xF5])
        try await expectRefusedAsFile(
            whole + damaged + sound + Data("TAG".utf8) + Data(count: 125), "damaged ID3v2 tag")
    }

    @Test(arguments: [UInt8(0xFF), 0xE0])
    func apeSizes(size: UInt8) async throws {
        let sound = try encoded(.mp3(kilobitsPerSecond: 128))
        let fields = Data([0xD0, 7, 0, 0, size, 0xFF, 0xFF, 0xFF, 1, 0, 0, 0])
        let begins = Data("APETAGEX".utf8) + fields + Data([0, 0, 0, 0x20]) + Data(count: 8)
        try await expectRefused(begins + sound, "ape.mp3", "damaged APE tag")
        let ends = Data("APETAGEX".utf8) + fields + Data(count: 12)
        try await expectRefusedAsFile(sound + ends, "damaged APE tag")
    }

    @Test func ratesOfWaveFiles() async throws {
        var data = try encoded(.wav(.int16))
        for (rate, bytes): (String, [UInt8]) in [
            ("16777216", [0, 0, 0, 1]), ("2147483647", [255, 255, 255, 127]), ("1536001", [1, 0x70, 0x17, 0]),
        ] {
            data.replaceSubrange(24..<28, with: bytes)
            let url = try directory.write(data, to: "rate.wav")
            let found = try await error(.url(url))
            #expect(found.message.hasPrefix(url.path))
            #expect(found.message.contains("has a sample rate of \(rate) Hz"), "\(found)")
        }
    }

    @Test(arguments: [64, 65, 127, 128, 255] as [UInt8])
    func channelsOfWaveFiles(channels: UInt8) async throws {
        let coded = CodedFile(name: "wav", fileExtension: "wav", arguments: ["-c:a", "pcm_f64le"])
        var data = try Data(contentsOf: coded.encode(seconds: 1, in: directory.url))
        data[22] = channels
        let url = try directory.write(data, to: "channels.wav")
        #expect(try await error(.url(url)).message.hasPrefix(url.path))
    }

    @Test func ratesOfAIFFFiles() async throws {
        let coded = CodedFile(name: "aiff", fileExtension: "aiff", arguments: ["-c:a", "pcm_s16be"])
        var data = try Data(contentsOf: coded.encode(seconds: 1, in: directory.url))
        let chunk = try #require(data.firstRange(of: Data("COMM".utf8))?.lowerBound)
        // An 80-bit number: the exponent of 2^24 Hz.
        data.replaceSubrange(chunk + 16..<chunk + 18, with: [0x40, 0x17])
        let url = try directory.write(data, to: "rate.aiff")
        #expect(try await error(.url(url)).message.hasPrefix(url.path))
    }

    @Test func speexFramesInAPacket() async throws {
        let coded = CodedFile(name: "Speex", fileExtension: "spx", arguments: ["-c:a", "libspeex", "-ar", "16000"])
        var file = EditableOggFile(try Data(contentsOf: coded.encode(seconds: 1, in: directory.url)))
        let header = try #require(file.firstIndex(of: Array("Speex   ".utf8)))
        file.put(0x5367_674F, bytes: 4, at: header + 64)
        try await expectRefused(file.data, "frames.spx", "claims 1399285583 frames in a packet")
    }

    @Test("Samples without a time segment do not reach the converters")
    func samplesWithoutASegment() async throws {
        // A LIST chunk of 0 bytes: wavparse (1.22) parses its content as chunks and loses its position.
        let coded = CodedFile(
            name: "wav", fileExtension: "wav", arguments: ["-c:a", "pcm_s16le", "-metadata", "title=Tone"])
        var data = try Data(contentsOf: coded.encode(seconds: 1, in: directory.url))
        let list = try #require(data.firstRange(of: Data("LIST".utf8))?.lowerBound)
        data.replaceSubrange(list + 4..<list + 8, with: Data(count: 4))
        let url = try directory.write(data, to: "list.wav")
        let found = try await error(.url(url))
        #expect(found.message == "\(url.path) is damaged: GStreamer's demuxer delivers samples without a time segment")
    }

    @Test("A demuxer that endlessly reads 0 bytes is stopped")
    func readsWithoutABlock() async throws {
        let coded = CodedFile(
            name: "wav", fileExtension: "wav", arguments: ["-c:a", "pcm_f32le", "-metadata", "title=Tone"])
        var data = try Data(contentsOf: coded.encode(seconds: 1, in: directory.url))
        let format = try #require(data.firstRange(of: Data("fmt ".utf8))?.lowerBound)
        // The bytes of a block, more than wavparse (1.22) reads at a time, and no LIST chunk before the samples.
        data.replaceSubrange(format + 20..<format + 22, with: [0xFF, 0xFF])
        let list = try #require(data.firstRange(of: Data("LIST".utf8))?.lowerBound)
        data.replaceSubrange(list + 1..<list + 8, with: Data(count: 7))
        let found = try await error(.url(try directory.write(data, to: "block.wav")))
        #expect(found.message.hasSuffix("is damaged: GStreamer's demuxer reads on without taking a byte"), "\(found)")
    }

    @Test("A demuxer that endlessly reads beyond the end of a file is stopped")
    func readsBehindTheEnd() async throws {
        let coded = CodedFile(name: "tta", fileExtension: "tta", arguments: ["-c:a", "tta"])
        let whole = try Data(contentsOf: coded.encode(seconds: 1, in: directory.url))
        try await expectRefusedAtTheEnd(whole.prefix(whole.count / 8), "cut.tta")
        let header = Data("FRM8".utf8) + Data([0, 0, 0, 0, 0, 0, 0, 20]) + Data("DSD ".utf8)
        try await expectRefusedAtTheEnd(header + Data(count: 4_096), "header.dff")
    }

    private func expectRefusedAtTheEnd(_ data: Data, _ name: String) async throws {
        let url = try directory.write(data, to: name)
        let found = try await error(.url(url))
        #expect(found.message == "\(url.path) is damaged: GStreamer's demuxer reads on behind the end of the file")
    }

    @Test func laterLinkOfAChainIsCheckedToo() async throws {
        let good = try encoded(.vorbis(quality: 4))
        var file = EditableOggFile(good)
        let header = try #require(file.firstIndex(of: [1] + Array("vorbis".utf8)))
        file.put(1 << 31, bytes: 4, at: header + 12)
        // Another serial number, as every link has.
        for page in file.pages { file.put(4_711, bytes: 4, at: page.lowerBound + 14) }
        for source in [
            AudioSource.data(good + file.data, name: "chain"), .bytes(HostBytes(good + file.data, isSeekable: false)),
        ] {
            #expect(try await error(source).message.contains("has a sample rate of 2147483648 Hz"))
        }
    }
}
