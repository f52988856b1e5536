import DescantCore
import DescantGStreamer
import DescantMixing
import DescantTesting
import Foundation
import Testing

/// The exact length of WAVE files of every kind.
struct WAVLengthTests {
    private let signal = TestSignal.noise(seconds: 0.5, sampleRate: 44_100).samples()

    private var body: Data { WAVFile(signal, encoding: .int16).data().dropFirst(44) }

    private var format: Data {
        var chunk = Data("fmt ".utf8)
        chunk.append(number(16) + short(1) + short(2) + number(44_100) + number(176_400) + short(4) + short(16))
        return chunk
    }

    private func number(_ value: UInt32) -> Data { withUnsafeBytes(of: value.littleEndian) { Data($0) } }

    private func short(_ value: UInt16) -> Data { withUnsafeBytes(of: value.littleEndian) { Data($0) } }

    private func wave(_ chunks: Data, magic: String = "RIFF") -> Data {
        Data(magic.utf8) + number(magic == "RIFF" ? UInt32(4 + chunks.count) : .max) + Data("WAVE".utf8) + chunks
    }

    private func expectWhole(_ file: Data) async throws {
        let opened = try await GStreamerDecks().open(
            .data(file, name: "sound.wav"), mix: PCMFormat(sampleRate: 44_100, channels: 2)
        ) { _ in }
        defer { opened.deck.close() }
        #expect(opened.deck.frameCount == Int64(signal.frameCount))
        #expect(opened.deck.isFrameCountExact)
        #expect((try DeckDrain.read(opened.deck, channels: 2).samples == signal) == true)
    }

    @Test func extensibleFormat() async throws {
        try await expectWhole(WAVFile(signal, encoding: .int16).data(extensible: true))
    }

    @Test func oddChunkBeforeTheSound() async throws {
        let odd = Data("note".utf8) + number(3) + Data([1, 2, 3, 0])
        try await expectWhole(wave(odd + format + odd + Data("data".utf8) + number(UInt32(body.count)) + body))
    }

    @Test func chunkBehindTheSound() async throws {
        let list = Data("LIST".utf8) + number(4) + Data("INFO".utf8)
        try await expectWhole(wave(format + Data("data".utf8) + number(UInt32(body.count)) + body + list))
    }

    @Test(arguments: [UInt32.max, 0x7FFF_FFFF, 0x7FFF_FF00, 0x7FFF_F000])
    func lengthOfAnUnfinishedFile(size: UInt32) async throws {
        try await expectWhole(wave(format + Data("data".utf8) + number(size) + body))
    }

    @Test func sizesOf64Bits() async throws {
        var sizes = Data("ds64".utf8) + number(28)
        sizes += number(UInt32(72 + body.count)) + number(0) + number(UInt32(body.count)) + number(0)
        sizes += number(UInt32(signal.frameCount)) + number(0) + number(0)
        try await expectWhole(wave(sizes + format + Data("data".utf8) + number(.max) + body, magic: "RF64"))
    }
}
