import Descant
import DescantTesting
import Foundation
import Testing

/// FLAC streams as few encoders make them.
@Suite struct UnusualFLACTests {
    private let shelf: BundleShelf
    private let registry: PluginRegistry

    init() throws {
        shelf = try BundleShelf()
        try shelf.write(BuiltLibrary.plugin("FLACDecoder"))
        registry = shelf.registry()
    }

    /// Reads a file whole and from some places.
    private func check(_ url: URL, _ expected: [Float], channels: Int, rate: Double) throws {
        let reader = try StreamReader(registry, url)
        #expect(reader.info.sampleRate == rate)
        #expect(reader.info.duration == Double(expected.count / channels) / rate)
        #expect(try reader.readAll() == expected)
        let frames = expected.count / channels
        for frame in [0, frames / 3, frames - 1, 17 % frames, frames / 2] {
            try reader.seek(Double(frame) / rate)
            let samples = try reader.read(100)
            #expect(samples.elementsEqual(expected[(frame * channels)...].prefix(samples.count)), "frame \(frame)")
            #expect(!samples.isEmpty)
        }
    }

    @Test(arguments: [
        ["--blocksize=16"], ["--blocksize=65535"], ["--blocksize=4095", "--no-padding", "--no-seektable"],
        ["-l", "32", "-e", "-p", "--blocksize=32768"], ["-l", "0", "-r", "0,15"], ["--fast", "--no-mid-side"],
        ["-A", "rectangle", "-S", "5x", "-S", "X"], ["--best", "--padding=100000"], ["--ogg"],
        ["--ogg", "--blocksize=192", "--serial-number=77"],
    ])
    func oddOptions(_ arguments: [String]) throws {
        let sample = try FLACSample(in: shelf.folder, arguments: arguments)
        try check(sample.url, sample.floats, channels: 2, rate: 44_100)
    }

    @Test(arguments: [1, 7_999, 65_537, 192_000, 384_000, 655_350, 1_048_575])
    func oddRates(_ rate: Int) throws {
        let sample = try FLACSample(in: shelf.folder, channels: 1, sampleRate: rate, frames: 9_000)
        try check(sample.url, sample.floats, channels: 1, rate: Double(rate))
    }

    @Test func oggContentSelectsTheDecoder() throws {
        let sample = try FLACSample(in: shelf.folder, arguments: ["--ogg"])
        let renamed = shelf.directory.file("sound.ogg")
        try FileManager.default.copyItem(at: sample.url, to: renamed)
        #expect(try registry.open(renamed).identifier == "flac")
        // Ogg files with other codecs are refused.
        let vorbis = Data("OggS".utf8) + Data(count: 24) + Data([1]) + Data("vorbis".utf8) + Data(count: 50)
        let probe = try #require(try registry.makeDecoder("flac") as? any DecoderProbe)
        #expect(probe.score(ProbeInput(header: vorbis, fileExtension: "ogg")) == .none)
    }

    @Test func truncatedOggFileEndsWithAnError() throws {
        // Some pages of 64 KB; the content of a truncated page is lost.
        let sample = try FLACSample(in: shelf.folder, frames: 150_000, arguments: ["--ogg"])
        let data = try Data(contentsOf: sample.url)
        let reader = try StreamReader(registry, try shelf.directory.write(data.prefix(data.count / 2), to: "cut.oga"))
        let (samples, error) = reader.readUntilError()
        #expect(samples.count > 0, "\(String(describing: error))")
        #expect(samples.elementsEqual(sample.floats.prefix(samples.count)))
        #expect(error?.code == "decodeError")
    }

    // MARK: Streams that the reference encoder does not support

    private static func noise(bits: Int, count: Int) -> [Int32] {
        var generator = SeededGenerator(seed: UInt64(bits))
        let (least, maximum) = (Int32.min >> (32 - bits), Int32.max >> (32 - bits))
        return (0..<count).map { _ in Int32.random(in: least...maximum, using: &generator) }
    }

    private static func floats(_ samples: [Int32], bits: Int) -> [Float] {
        samples.map { Float($0) * Float(sign: .plus, exponent: 1 - bits, significand: 1) }
    }

    @Test(arguments: [4, 5, 7, 9, 11, 13, 17, 19, 23, 25, 31, 32])
    func oddSampleSizes(_ bits: Int) throws {
        let samples = Self.noise(bits: bits, count: 8_000)
        let data = FLACWriter(bits: bits).stream(samples, blocks: [1_000])
        let url = try shelf.directory.write(data, to: "bits.flac")
        #expect(try StreamReader(registry, url).info.bitDepth == bits)
        try check(url, Self.floats(samples, bits: bits), channels: 2, rate: 44_100)
    }

    @Test(arguments: [[1_000, 17, 65_535, 4_096, 16, 300], [16, 4_608], [40_000]])
    func variableBlockSizesAreRead(_ blocks: [Int]) throws {
        let samples = Self.noise(bits: 16, count: 180_000)
        let url = try shelf.directory.write(FLACWriter().stream(samples, blocks: blocks), to: "blocks.flac")
        try check(url, Self.floats(samples, bits: 16), channels: 2, rate: 44_100)
    }

    @Test func streamWithoutItsBeginningIsRead() throws {
        let samples = Self.noise(bits: 16, count: 60_000)
        let writer = FLACWriter(firstFrame: 5_000_000)
        let url = try shelf.directory.write(writer.stream(samples, blocks: [4_096]), to: "cut.flac")
        #expect(try StreamReader(registry, url).readAll() == Self.floats(samples, bits: 16))
    }

    @Test func noLengthInTheHeader() throws {
        let samples = Self.noise(bits: 24, count: 60_000)
        let writer = FLACWriter(bits: 24, announcedFrames: 0)
        let url = try shelf.directory.write(writer.stream(samples, blocks: [100, 4_096]), to: "open.flac")
        try check(url, Self.floats(samples, bits: 24), channels: 2, rate: 44_100)
    }

    // MARK: Invalid headers and streams

    private static let samples = noise(bits: 16, count: 120_000)
    private static let sound = floats(samples, bits: 16)

    private func read(_ data: Data) throws -> (samples: [Float], error: CoreError?, info: StreamInfo) {
        let reader = try StreamReader(registry, try shelf.directory.write(data, to: "wrong.flac"))
        let (samples, error) = reader.readUntilError()
        return (samples, error, reader.info)
    }

    @Test(arguments: [10_000, 100_000])
    func wrongLengthInHeaderLosesNoFrame(_ announced: Int) throws {
        let result = try read(FLACWriter(announcedFrames: announced).stream(Self.samples, blocks: [4_096]))
        #expect(result.samples == Self.sound)
        #expect(result.info.duration == Double(max(announced, 60_000)) / 44_100)
        #expect((result.error == nil) == (announced < 60_000), "\(String(describing: result.error))")
        #expect(result.error?.message.contains("(frame 60000)") ?? true)
    }

    @Test(arguments: [16, 1_152, 65_535])
    func wrongBlockSizeInHeaderIsIgnored(_ size: Int) throws {
        let sample = try FLACSample(in: shelf.folder)
        var data = try Data(contentsOf: sample.url)
        for place in [8, 10] { data.replaceSubrange(place..<place + 2, with: [UInt8(size >> 8), UInt8(size & 255)]) }
        try check(shelf.directory.write(data, to: "blocks.flac"), sample.floats, channels: 2, rate: 44_100)
    }

    @Test func noChecksumInTheHeader() throws {
        let sample = try FLACSample(in: shelf.folder)
        var data = try Data(contentsOf: sample.url)
        data.replaceSubrange(26..<42, with: Data(count: 16))
        let url = try shelf.directory.write(data, to: "unsigned.flac")
        #expect(try StreamReader(registry.makeDecoder("flac-verified"), url).readAll() == sample.floats)
    }

    @Test func missingBlocksAreSilent() throws {
        let sample = try FLACSample(in: shelf.folder, arguments: ["--no-padding", "--no-seektable"])
        let whole = try Data(contentsOf: sample.url)
        // The first bytes of every block: fixed size of 4096, 44.1 kHz, 16 bit, and its number.
        let starts = (2...5).compactMap { number in
            [0x18, 0x88, 0x98, 0xa8].compactMap { shape in
                whole.range(of: Data([0xff, 0xf8, 0xc9, shape, UInt8(number)]))?.lowerBound
            }.min()
        }
        let (start, end) = (try #require(starts.first), try #require(starts.dropFirst(2).first))
        let result = try read(whole[..<start] + whole[end...])
        #expect(result.samples.count == sample.floats.count)
        var expected = sample.floats
        for index in 16_384..<32_768 { expected[index] = 0 }
        #expect(result.samples == expected)
        #expect(
            result.error?.message.contains("8192 at 0.186 s (frame 8192)") == true,
            "\(String(describing: result.error))")
    }

    @Test func longerStreamAfterAnotherIsPlayed() throws {
        let first = FLACWriter().stream(Array(Self.samples.prefix(40_000)), blocks: [4_096])
        let second = FLACWriter().stream(Self.samples, blocks: [4_096])
        let result = try read(first + second)
        var both = Array(Self.sound[..<40_000])
        both += Self.sound
        #expect(result.samples == both)
        #expect(result.info.duration == 80_000.0 / 44_100)
        #expect(result.error == nil)
        let reader = try StreamReader(registry, shelf.directory.file("wrong.flac"))
        try reader.seek(30_000.0 / 44_100)
        #expect(try reader.read(100).elementsEqual(Self.sound[20_000..<20_200]))
    }

    @Test func equalStreamAfterAnotherIsReported() throws {
        let stream = FLACWriter().stream(Self.samples, blocks: [4_096])
        let result = try read(stream + stream)
        #expect(result.samples == Self.sound)
        #expect(result.error?.message.contains("another FLAC stream follows at 1.361 s (frame 60000)") == true)
    }

    @Test func changeOfFormatIsReported() throws {
        let stereo = FLACWriter(announcedFrames: 80_000).stream(Self.samples, blocks: [4_096])
        let mono = FLACWriter(channels: 1, firstFrame: 60_000).stream(
            Array(Self.samples.prefix(20_000)), blocks: [4_096])
        // Without the header of 42 bytes.
        let result = try read(stereo + mono.dropFirst(42))
        #expect(result.samples == Self.sound)
        let words = "changes to 44100 Hz and 1 channels at 1.361 s (frame 60000)"
        #expect(result.error?.message.contains(words) == true, "\(String(describing: result.error))")
    }

    @Test func foreignBytesBeforeTheStreamAreSkipped() throws {
        let data = Data(repeating: UInt8(ascii: "x"), count: 700) + FLACWriter().stream(Self.samples, blocks: [4_096])
        try check(shelf.directory.write(data, to: "before.flac"), Self.sound, channels: 2, rate: 44_100)
    }

    @Test func headerWithoutBlocksIsRefused() throws {
        let data = FLACWriter(announcedFrames: 60_000).stream([], blocks: [4_096]) + Data(count: 5_000)
        let url = try shelf.directory.write(data, to: "empty.flac")
        let decoder = try registry.makeDecoder("flac")
        let error = #expect(throws: CoreError.self) { _ = try decoder.open(url: url) }
        #expect(error?.code == "unsupported" && error?.message.contains(url.path) == true)
    }
}
