import DescantContainers
import DescantCore
import DescantMixing
import DescantTesting
import Foundation
import Testing

@testable import DescantGStreamer

/// MP3 files that were joined byte by byte: the tag of the first one counts only its own sound.
@Suite(.timeLimit(.minutes(2))) struct JoinedMP3Tests {
    static let formats: [FixtureFormat] = [.mp3(kilobitsPerSecond: 128), .infoMP3(kilobitsPerSecond: 128)]

    private let directory: TemporaryDirectory

    init() throws { directory = try TemporaryDirectory() }

    private func part(_ seed: UInt64, seconds: Double, as format: FixtureFormat) throws -> (Data, [Float]) {
        let signal = TestSignal.noise(seed: seed, amplitude: 0.4, seconds: seconds, sampleRate: 44_100)
        let url = try FixtureEncoder().make(signal, as: format, named: "part\(seed)", in: directory)
        return (try Data(contentsOf: url), signal.samples().channel(0))
    }

    private func length(_ data: Data) -> ExactLength? { ExactLength.read(ArrayBytes([UInt8](data))) }

    /// An ID3v1 tag, as it stands between two parts.
    static let oldTag: Data = Data("TAG".utf8) + Data(count: 125)

    @Test(arguments: formats, [Data(), oldTag])
    func everyPartIsHeard(format: FixtureFormat, between: Data) async throws {
        let (first, firstSound) = try part(1, seconds: 2, as: format)
        let (second, secondSound) = try part(2, seconds: 3, as: format)
        let url = try directory.write(first + between + second, to: "joined.mp3")
        let opened = try await GStreamerDecks().open(.url(url), mix: PCMFormat(sampleRate: 44_100, channels: 2)) { _ in
        }
        defer { opened.deck.close() }
        #expect(!opened.deck.isFrameCountExact)
        let heard = try DeckDrain.read(opened.deck, channels: 2)
        #expect(heard.failure == nil)
        // Delay and padding lie between the parts.
        #expect(abs(heard.samples.frameCount - 5 * 44_100) < 4_410, "\(heard.samples.frameCount)")
        let found = heard.samples.channel(0)
        #expect(Alignment(of: Array(firstSound[20_000..<28_192]), in: found).frame == 20_000)
        let place = Alignment(of: Array(secondSound[20_000..<28_192]), in: found).frame - 108_200
        #expect((0..<4_410).contains(place), "\(place)")
    }

    @Test(arguments: formats)
    func aDecoderAnnouncesEveryPart(format: FixtureFormat) throws {
        let (first, _) = try part(1, seconds: 2, as: format)
        // Without the ID3v2 tag, at which the count of the blocks would end.
        let (second, _) = try part(2, seconds: 3, as: .mp3(kilobitsPerSecond: 128))
        let decoder = GStreamerDecoder()
        let handle = try decoder.open(url: directory.write(first + second, to: "joined.mp3"))
        defer { decoder.close(handle) }
        let duration = try decoder.info(handle).duration
        #expect(abs(duration - 5) < 0.1, "\(duration)")
    }

    /// The count of the blocks ends at a tag between two parts.
    @Test(arguments: formats)
    func aDecoderLeadsIntoAPartBehindATag(format: FixtureFormat) throws {
        let (first, _) = try part(1, seconds: 4, as: format)
        let (second, _) = try part(2, seconds: 1, as: format)
        let decoder = GStreamerDecoder()
        let handle = try decoder.open(url: directory.write(first + Self.oldTag + second, to: "joined.mp3"))
        defer { decoder.close(handle) }
        let duration = try decoder.info(handle).duration
        // An estimate from the bit rate, if there is one.
        #expect(duration > 4.5, "\(duration)")
        try decoder.seek(handle, toSeconds: 4.4)
    }

    /// Tags behind the sound, however large, are no sound.
    @Test(arguments: formats)
    func tagsAtTheEndLeaveTheLengthExact(format: FixtureFormat) throws {
        let (data, _) = try part(1, seconds: 2, as: format)
        let frames = try #require(length(data)?.frames)
        let coverSize = 2_000_000
        var tag = Data("APETAGEX".utf8)
        for value: UInt32 in [2_000, UInt32(coverSize + 32)] {
            withUnsafeBytes(of: value.littleEndian) { tag.append(contentsOf: $0) }
        }
        tag.append(Data(count: 16))
        tag.append(Data(repeating: 0xFF, count: coverSize))
        tag.append(Data(count: 32))
        for end in [Self.oldTag, tag, tag + Self.oldTag, Data(count: 5_000)] {
            #expect(length(data + end)?.frames == frames)
        }
    }
}
