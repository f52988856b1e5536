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

    // MARK: Large files

    /// The offset of the noise in the sound of a large file: its middle lies 2^31 bytes behind the beginning.
    private var placeOfNoise: Int64 { 1 << 31 - Int64(body.count / 2) }

    /// Writes a file of holes, which take no room on the disk, with noise around the limit of 31 bits.
    ///
    /// - Parameters:
    ///   - start: The bytes before the sound.
    ///   - bytes: The length of the sound.
    ///   - chunks: The bytes behind the sound.
    private func writeLarge(
        _ start: Data, bytes: Int64, chunks: Data = Data(), in directory: TemporaryDirectory
    ) throws -> URL {
        let url = try directory.write(start, to: "large.wav")
        let handle = try FileHandle(forWritingTo: url)
        try handle.seek(toOffset: UInt64(start.count) + UInt64(placeOfNoise))
        try handle.write(contentsOf: body)
        try handle.truncate(atOffset: UInt64(start.count) + UInt64(bytes))
        try handle.write(contentsOf: chunks)
        try handle.close()
        return url
    }

    private func expectWholeLarge(_ start: Data, bytes: Int64, chunks: Data = Data()) async throws {
        let directory = try TemporaryDirectory()
        // Keeps the file until here.
        defer { withExtendedLifetime(directory) {} }
        let url = try writeLarge(start, bytes: bytes, chunks: chunks, in: directory)
        let opened = try await GStreamerDecks().open(
            .url(url), mix: PCMFormat(sampleRate: 44_100, channels: 2)
        ) { _ in }
        defer { opened.deck.close() }
        #expect(opened.deck.frameCount == bytes / 4)
        #expect(opened.deck.isFrameCountExact)
        // Across the limit, and behind it.
        for frame in [0, signal.frameCount / 2 + 100] {
            opened.deck.seek(toFrame: placeOfNoise / 4 + Int64(frame))
            let part = try DeckDrain.read(opened.deck, channels: 2, atMost: signal.frameCount - frame)
            #expect(part.failure == nil && part.firstPosition == placeOfNoise / 4 + Int64(frame))
            #expect((part.samples == signal.slice(frame..<signal.frameCount)) == true, "from \(frame)")
        }
        opened.deck.seek(toFrame: bytes / 4 - 1_000)
        let end = try DeckDrain.read(opened.deck, channels: 2)
        #expect(end.failure == nil && end.samples.frameCount == 1_000 && end.endPosition == bytes / 4)
    }

    /// The right size, and those that a writer leaves that could not seek back.
    @Test(arguments: [3 << 30, 0x7FFF_F000, 0x7FFF_FF00, 0x7FFF_FFFF, .max, 0] as [UInt32])
    func soundOfThreeGiBIsWhole(size: UInt32) async throws {
        try await expectWholeLarge(wave(format + Data("data".utf8) + number(size)), bytes: 3 << 30)
    }

    @Test func chunkBehindThreeGiBOfSoundIsNotHeard() async throws {
        let list = Data("LIST".utf8) + number(4) + Data("INFO".utf8)
        try await expectWholeLarge(wave(format + Data("data".utf8) + number(3 << 30)), bytes: 3 << 30, chunks: list)
    }

    /// The size of an unfinished file with 32-bit sizes, and that of RF64 with the right one elsewhere.
    @Test(arguments: ["RIFF", "RF64"])
    func soundOfFiveGiBIsWhole(magic: String) async throws {
        var chunks = Data()
        if magic == "RF64" {
            // The lower and the upper half of each size: of the file, of the sound (5 GiB), and in frames.
            chunks += Data("ds64".utf8) + number(28) + number(1 << 30 + 72) + number(1)
            chunks += number(1 << 30) + number(1) + number(5 << 28) + number(0) + number(0)
        }
        chunks += format + Data("data".utf8) + number(.max)
        try await expectWholeLarge(wave(chunks, magic: magic), bytes: 5 << 30)
    }

    /// An encoding whose frames are not counted here.
    @Test func aLawOfThreeGiBIsOpened() async throws {
        var header = Data("fmt ".utf8) + number(16)
        header += short(6) + short(1) + number(8_000) + number(8_000) + short(1) + short(8)
        let directory = try TemporaryDirectory()
        // Keeps the file until here.
        defer { withExtendedLifetime(directory) {} }
        let url = try writeLarge(wave(header + Data("data".utf8) + number(3 << 30)), bytes: 3 << 30, in: directory)
        let opened = try await GStreamerDecks().open(
            .url(url), mix: PCMFormat(sampleRate: 48_000, channels: 2)
        ) { _ in }
        defer { opened.deck.close() }
        #expect(opened.deck.frameCount == Int64(3 << 30))
    }
}
