import Descant
import Foundation

/// A FLAC file of known integer samples, made by the reference encoder.
struct FLACSample {
    let url: URL
    let format: PCMFormat
    let bits: Int
    /// Interleaved samples as integers.
    let integers: [Int32]

    /// The expected decoded samples.
    var floats: [Float] {
        let scale = Float(sign: .plus, exponent: 1 - bits, significand: 1)
        return integers.map { Float($0) * scale }
    }

    var frames: Int { integers.count / format.channels }

    /// Encodes noise with full-scale samples of both signs in it.
    ///
    /// - Parameters:
    ///   - folder: Where to write.
    ///   - bits: Bits per sample, 4…32.
    ///   - toPipe: Encodes into a pipe, so that the header has neither length nor checksum.
    init(
        in folder: URL, bits: Int = 16, channels: Int = 2, sampleRate: Int = 44_100, frames: Int = 30_000,
        toPipe: Bool = false, arguments: [String] = []
    ) throws {
        var generator = SystemRandomNumberGenerator()
        let limits = (least: Int32.min >> (32 - bits), maximum: Int32.max >> (32 - bits))
        var integers = (0..<frames * channels).map { index in
            // Loud and quiet stretches, so that different predictors are used.
            let quiet = index / (channels * 5000) % 2 == 0 ? 0 : min(bits - 2, 6)
            return Int32.random(in: limits.least...limits.maximum, using: &generator) >> Int32(quiet)
        }
        integers[0] = limits.least
        integers[channels] = limits.maximum
        self.integers = integers
        self.bits = bits
        format = PCMFormat(sampleRate: sampleRate, channels: channels)
        url = folder.appendingPathComponent("noise-\(UUID().uuidString.prefix(8)).flac")
        let input = Self.wave(integers, bits: bits, channels: channels, sampleRate: sampleRate)
        let usual = ["--silent", "--force", "--lax"] + arguments
        if toPipe {
            try Tool.run("flac", usual + ["--stdout", "-"], input: input).write(to: url)
        } else {
            try Tool.run("flac", usual + ["--output-name=\(url.path)", "-"], input: input)
        }
    }

    /// A WAVE file of the extensible format, which is needed for 12 or 20 valid bits.
    private static func wave(_ integers: [Int32], bits: Int, channels: Int, sampleRate: Int) -> Data {
        let bytes = (bits + 7) / 8
        var sound = Data(capacity: integers.count * bytes)
        for integer in integers {
            let aligned = integer << (bytes * 8 - bits)
            let stored = bytes == 1 ? aligned + 128 : aligned
            for byte in 0..<bytes { sound.append(UInt8(truncatingIfNeeded: stored >> (8 * byte))) }
        }
        var data = Data()
        func number(_ value: Int, _ size: Int) {
            for byte in 0..<size { data.append(UInt8(value >> (8 * byte) & 255)) }
        }
        data += Data("RIFF".utf8)
        number(60 + sound.count, 4)
        data += Data("WAVEfmt ".utf8)
        for (value, size) in [
            (40, 4), (0xfffe, 2), (channels, 2), (sampleRate, 4), (sampleRate * channels * bytes, 4),
            (channels * bytes, 2),
            (bytes * 8, 2), (22, 2), (bits, 2), (Self.speakers[channels - 1], 4), (1, 2),
        ] { number(value, size) }
        data += Data([0, 0, 0, 0, 0x10, 0, 0x80, 0, 0, 0xaa, 0, 0x38, 0x9b, 0x71])
        data += Data("data".utf8)
        number(sound.count, 4)
        return data + sound
    }

    /// The speaker masks that the FLAC format has orders for.
    private static let speakers = [0x4, 0x3, 0x7, 0x33, 0x607, 0x3f, 0x70f, 0x63f]
}
