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

    @Test func oggContentDecidesWhateverTheName() throws {
        let sample = try FLACSample(in: shelf.folder, arguments: ["--ogg"])
        let renamed = shelf.directory.file("sound.ogg")
        try FileManager.default.copyItem(at: sample.url, to: renamed)
        #expect(try registry.open(renamed).identifier == "flac")
        // Other sound in Ogg belongs to others.
        let vorbis = Data("OggS".utf8) + Data(count: 24) + Data([1]) + Data("vorbis".utf8) + Data(count: 50)
        let probe = try #require(try registry.makeDecoder("flac") as? any DecoderProbe)
        #expect(probe.score(ProbeInput(header: vorbis, fileExtension: "ogg")) == .none)
    }

    @Test func aTruncatedOggFile() throws {
        // Some pages of 64 KB: what is in a page that is cut is lost with it.
        let sample = try FLACSample(in: shelf.folder, frames: 150_000, arguments: ["--ogg"])
        let data = try Data(contentsOf: sample.url)
        let reader = try StreamReader(registry, try shelf.directory.write(data.prefix(data.count / 2), to: "cut.oga"))
        let (samples, error) = reader.readUntilError()
        #expect(samples.count > 0, "\(String(describing: error))")
        #expect(samples.elementsEqual(sample.floats.prefix(samples.count)))
        #expect(error?.code == "decodeError")
    }

    // MARK: What the reference encoder refuses

    private static func noise(bits: Int, count: Int) -> [Int32] {
        var generator = SeededGenerator(seed: UInt64(bits))
        let (least, greatest) = (Int32.min >> (32 - bits), Int32.max >> (32 - bits))
        return (0..<count).map { _ in Int32.random(in: least...greatest, using: &generator) }
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
    func blocksOfChangingSizes(_ blocks: [Int]) throws {
        let samples = Self.noise(bits: 16, count: 180_000)
        let url = try shelf.directory.write(FLACWriter().stream(samples, blocks: blocks), to: "blocks.flac")
        try check(url, Self.floats(samples, bits: 16), channels: 2, rate: 44_100)
    }

    @Test func aStreamThatWasCutOutOfAnother() throws {
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
}
