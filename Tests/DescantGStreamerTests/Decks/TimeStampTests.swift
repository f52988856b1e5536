import DescantCore
import DescantGStreamer
import DescantMixing
import DescantTesting
import Foundation
import Testing

/// All decoded frames are played, whatever the container's time stamps.
struct TimeStampTests {
    private let directory: TemporaryDirectory
    private let mix = PCMFormat(sampleRate: 44_100, channels: 2)

    init() throws { directory = try TemporaryDirectory() }

    private func read(_ data: Data, named name: String) async throws -> DeckDrain.Outcome {
        let opened = try await GStreamerDecks().open(.url(directory.write(data, to: name)), mix: mix) { _ in }
        defer { opened.deck.close() }
        return try DeckDrain.read(opened.deck, channels: 2)
    }

    /// Compares without printing the samples, which are too many for a message.
    private func expectEqual(_ found: [Float], _ expected: [Float]) {
        #expect(found.count == expected.count)
        let isEqual = found == expected
        #expect(isEqual)
    }

    private func noise(seconds: Double) -> TestSignal {
        .noise(seed: 7, amplitude: 0.5, seconds: seconds, sampleRate: 44_100)
    }

    /// GStreamer computes the time of a WAVE file from its bytes and this field.
    @Test(arguments: [(1, 2), (2, 1), (1, 10), (10, 1)])
    func waveWithWrongByteRatePlaysCompletely(factor: (Int, Int)) async throws {
        let signal = noise(seconds: 3).samples()
        var file = WAVFile(signal, encoding: .int16).data()
        let byteRate = UInt32(44_100 * 4 * factor.0 / factor.1)
        withUnsafeBytes(of: byteRate.littleEndian) { file.replaceSubrange(28..<32, with: $0) }
        let outcome = try await read(file, named: "byterate.wav")
        #expect(outcome.failure == nil)
        expectEqual(outcome.samples.samples, signal.samples)
        #expect(outcome.endPosition == Int64(signal.frameCount))
    }

    /// As if a recorder had been stopped and resumed: the later blocks have numbers some seconds ahead. A decoder fills
    /// gaps with silence.
    @Test(arguments: [(0, 40), (1, 30), (5, 11), (30, 31)])
    func flacWithAGapInBlockNumbersPlaysCompletely(missing: (from: Int, to: Int)) async throws {
        let url = try FixtureEncoder().make(noise(seconds: 6), as: .flac(bits: 16), named: "whole", in: directory)
        var flac = try FLACBlocks(Data(contentsOf: url))
        flac.blocks.removeSubrange(missing.from..<missing.to)
        flac.setTotal(264_600 - (missing.to - missing.from) * 4_096)
        // Without a total, the reference decoder plays to the end of the file.
        var endless = flac
        endless.setTotal(0)
        let file = try directory.write(endless.data, to: "endless.flac")
        let reference = directory.file("gap.wav")
        // Its exit status reports the gap.
        try CodedFile.run([
            "sh", "-c", "flac --totally-silent -f -d --decode-through-errors -o \"$2\" \"$1\" || true", "sh", file.path,
            reference.path,
        ])
        let outcome = try await read(flac.data, named: "gap.flac")
        #expect(outcome.failure == nil)
        try expectEqual(outcome.samples.samples, WAVFile(contentsOf: reference).content.samples)
    }

    /// Without padding, the frames behind the announced end are sound.
    @Test func flacWithTooSmallATotalPlaysCompletely() async throws {
        let signal = noise(seconds: 4)
        let url = try FixtureEncoder().make(signal, as: .flac(bits: 16), named: "whole", in: directory)
        var flac = try FLACBlocks(Data(contentsOf: url))
        flac.setTotal(4_608)
        let outcome = try await read(flac.data, named: "total.flac")
        #expect(outcome.failure == nil)
        expectEqual(outcome.samples.samples, signal.samples().samples)
    }

    /// The first packet claims to last longer than it does; the edit list and the sum of the others are right.
    @Test func mp4WithShiftedTimesPlaysCompletely() async throws {
        let url = try FixtureEncoder().make(
            noise(seconds: 4), as: .aac(kilobitsPerSecond: 128), named: "whole", in: directory)
        var data = try Data(contentsOf: url)
        let whole = try await read(data, named: "untouched.m4a").samples
        let content = try #require(data.range(of: Data("stts".utf8), options: .backwards)).upperBound
        let words = (0..<6).map { index in
            data[content + 4 * index..<content + 4 * index + 4].reduce(UInt32(0)) { $0 << 8 | UInt32($1) }
        }
        try #require(words[1] == 2 && words[3] == 1_024 && words[4] == 1, "stts of another shape: \(words)")
        for (index, word) in [(2, 1), (3, 1_024 + 1_792), (4, words[2]), (5, 1_024)] {
            withUnsafeBytes(of: UInt32(word).bigEndian) {
                data.replaceSubrange(content + 4 * index..<content + 4 * index + 4, with: $0)
            }
        }
        let outcome = try await read(data, named: "shifted.m4a")
        #expect(outcome.failure == nil)
        // The edit list tells the end in milliseconds only.
        #expect(outcome.samples.frameCount >= whole.frameCount)
        expectEqual(Array(outcome.samples.samples.prefix(whole.samples.count)), whole.samples)
    }

    /// A missing end is reported, even if the time stamps claim that it was reached.
    @Test func truncatedWaveWithWrongByteRateIsReported() async throws {
        let signal = noise(seconds: 3).samples()
        var file = WAVFile(signal, encoding: .int16).data()
        withUnsafeBytes(of: UInt32(44_100 * 2).littleEndian) { file.replaceSubrange(28..<32, with: $0) }
        let outcome = try await read(file.prefix(file.count / 2), named: "cut.wav")
        #expect(outcome.samples.frameCount >= signal.frameCount / 2 - 1_024)
        #expect(outcome.failure?.code == "decodeError")
        #expect(
            outcome.failure?.message.contains("is truncated at 1.") == true, "\(String(describing: outcome.failure))")
    }
}

/// A FLAC file taken apart into its headers and its blocks.
struct FLACBlocks {
    var headers: Data
    var blocks: [Data]

    init(_ file: Data) throws {
        let bytes = [UInt8](file)
        var offset = 4
        while true {
            let isLast = bytes[offset] & 0x80 != 0
            offset += 4 + Int(bytes[offset + 1]) << 16 + Int(bytes[offset + 2]) << 8 + Int(bytes[offset + 3])
            if isLast { break }
        }
        headers = Data(bytes[..<offset])
        var starts: [Int] = []
        for index in offset..<bytes.count - 8 where bytes[index] == 0xFF && bytes[index + 1] == 0xF8 {
            // Blocks have consecutive numbers, so a false sync code is not followed by the next number.
            if Self.number(bytes, at: index + 4) == starts.count { starts.append(index) }
        }
        let ends = starts.dropFirst() + [bytes.count]
        blocks = zip(starts, ends).map { Data(bytes[$0..<$1]) }
        try #require(blocks.count > 10)
    }

    var data: Data { blocks.reduce(headers, +) }

    /// Sets the number of frames that the file announces.
    mutating func setTotal(_ frames: Int) {
        headers[21] = headers[21] & 0xF0 | UInt8(frames >> 32 & 0xF)
        for index in 0..<4 { headers[22 + index] = UInt8(frames >> (24 - 8 * index) & 0xFF) }
        // The checksum of all samples is not known any more.
        for index in 26..<42 { headers[index] = 0 }
    }

    /// A block's number, coded as in UTF-8.
    private static func number(_ bytes: [UInt8], at offset: Int) -> Int {
        let first = Int(bytes[offset])
        if first < 0x80 { return first }
        let second = Int(bytes[offset + 1])
        return first & 0xE0 == 0xC0 && second & 0xC0 == 0x80 ? (first & 0x1F) << 6 | second & 0x3F : -1
    }
}
