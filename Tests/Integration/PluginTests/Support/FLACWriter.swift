import Foundation

/// Writes FLAC streams that the reference encoder does not support: blocks of changing sizes, any number of bits, streams
/// cut out of longer ones. Samples are stored as they are (RFC 9639, verbatim subframes).
struct FLACWriter {
    var bits = 16
    var sampleRate = 44_100
    var channels = 2
    /// The number of the first frame; not 0 in a stream that was cut out of another.
    var firstFrame = 0
    /// The length in the header; the true one if `nil`.
    var announcedFrames: Int?

    /// A whole stream.
    ///
    /// - Parameters:
    ///   - samples: Interleaved samples.
    ///   - blocks: Frames of every block, 1…65,535; the last is repeated.
    func stream(_ samples: [Int32], blocks: [Int]) -> Data {
        let frames = samples.count / channels
        var data = Data("fLaC".utf8) + Data([0x80, 0, 0, 34]) + information(frames: announcedFrames ?? frames)
        var (position, index) = (0, 0)
        while position < frames {
            let count = min(blocks[min(index, blocks.count - 1)], frames - position)
            data += block(
                Array(samples[position * channels..<(position + count) * channels]), at: firstFrame + position)
            position += count
            index += 1
        }
        return data
    }

    private func information(frames: Int) -> Data {
        var writer = BitWriter()
        writer.write(16, count: 16)
        writer.write(65_535, count: 16)
        writer.write(0, count: 48)
        writer.write(sampleRate, count: 20)
        writer.write(channels - 1, count: 3)
        writer.write(bits - 1, count: 5)
        writer.write(frames, count: 36)
        for _ in 0..<2 { writer.write(0, count: 64) }
        return writer.data
    }

    private func block(_ samples: [Int32], at frame: Int) -> Data {
        var writer = BitWriter()
        // Sync, variable block size; size and channels follow, the rest is that of the stream.
        writer.write(0b1111_1111_1111_1001, count: 16)
        writer.write(0b0111_0000, count: 8)
        writer.write(channels - 1, count: 4)
        writer.write(0, count: 4)
        for byte in Self.coded(frame) { writer.write(Int(byte), count: 8) }
        writer.write(samples.count / channels - 1, count: 16)
        writer.write(Int(Self.checksum8(writer.data)), count: 8)
        for channel in 0..<channels {
            writer.write(0b0000_0010, count: 8)
            for index in stride(from: channel, to: samples.count, by: channels) {
                writer.write(Int(samples[index]) & (1 << bits - 1), count: bits)
            }
        }
        writer.align()
        let checksum = Self.checksum16(writer.data)
        return writer.data + Data([UInt8(checksum >> 8), UInt8(checksum & 255)])
    }

    /// A number coded like UTF-8, up to 36 bits.
    private static func coded(_ number: Int) -> [UInt8] {
        if number < 0x80 { return [UInt8(number)] }
        var length = 2
        while length < 7, number >= 1 << (5 * length + 1) { length += 1 }
        let mark = UInt8(truncatingIfNeeded: 0xff00 >> length)
        let first = length == 7 ? 0xfe : mark | UInt8(number >> (6 * (length - 1)))
        return [first] + (0..<length - 1).reversed().map { 0x80 | UInt8(number >> (6 * $0) & 0x3f) }
    }

    private static func checksum8(_ data: Data) -> UInt8 {
        data.reduce(0) { sum, byte in
            (0..<8).reduce(sum ^ byte) { value, _ in value & 0x80 != 0 ? value << 1 ^ 0x07 : value << 1 }
        }
    }

    private static func checksum16(_ data: Data) -> UInt16 {
        data.reduce(0) { sum, byte in
            (0..<8).reduce(sum ^ UInt16(byte) << 8) { value, _ in
                value & 0x8000 != 0 ? value << 1 ^ 0x8005 : value << 1
            }
        }
    }
}

/// A sequence of bits, the highest first.
private struct BitWriter {
    private(set) var data = Data()
    private var pending: UInt64 = 0
    private var count = 0

    mutating func write(_ value: Int, count bits: Int) {
        for bit in (0..<bits).reversed() {
            pending = pending << 1 | UInt64(value >> bit & 1)
            count += 1
            if count == 8 {
                data.append(UInt8(pending & 255))
                count = 0
            }
        }
    }

    mutating func align() { while count != 0 { write(0, count: 1) } }
}
