import DescantCore
import Testing

@testable import DescantGStreamer

/// Samples for sound cards; the expected bytes are those of the formats in ALSA's documentation.
@Suite struct SampleEncoderTests {
    private static let stereo = PCMFormat(sampleRate: 48_000, channels: 2)

    private func encode(
        _ samples: [Float], as encoding: SampleEncoder.Encoding, format: PCMFormat = stereo, order: [Int]? = nil,
        bytes: Int
    ) -> [UInt8] {
        var encoder = SampleEncoder(encoding, format: format, order: order)
        return encoder.encode(samples, frames: samples.count / format.channels) {
            [UInt8](UnsafeRawBufferPointer(start: $0, count: samples.count * bytes))
        }
    }

    @Test func integersAreLittleEndianAndLimited() {
        let samples: [Float] = [0.5, -1, 2, .nan]
        #expect(encode(samples, as: .integer16, bytes: 2) == [0, 0x40, 0, 0x80, 0xFF, 0x7F, 0, 0])
        #expect(encode(samples, as: .packed24, bytes: 3) == [0, 0, 0x40, 0, 0, 0x80, 0xFF, 0xFF, 0x7F, 0, 0, 0])
        #expect(
            encode(samples, as: .integer24, bytes: 4)
                == [0, 0, 0x40, 0, 0, 0, 0x80, 0xFF, 0xFF, 0xFF, 0x7F, 0, 0, 0, 0, 0])
        #expect(
            encode(samples, as: .integer32, bytes: 4)
                == [0, 0, 0, 0x40, 0, 0, 0, 0x80, 0xFF, 0xFF, 0xFF, 0x7F, 0, 0, 0, 0])
    }

    @Test func samplesBetweenTwoStepsAreDithered() {
        let samples = [Float](repeating: 0.3 / 32_768, count: 20_000)
        let bytes = encode(samples, as: .integer16, bytes: 2)
        let values = stride(from: 0, to: bytes.count, by: 2).map {
            Int16(truncatingIfNeeded: Int(bytes[$0]) | Int(bytes[$0 + 1]) << 8)
        }
        let mean = Double(values.reduce(0) { $0 + Int($1) }) / Double(values.count)
        #expect(abs(mean - 0.3) < 0.03 && values.contains(1) && values.contains(0))
    }

    /// Cards expect the rear speakers of 5.1 in front of the center.
    @Test func channelsGetTheOrderOfTheDevice() {
        let surround = PCMFormat(sampleRate: 48_000, channels: 6)
        let frame: [Float] = [0, 1, 2, 3, 4, 5].map { $0 / 8 }
        let bytes = encode(frame, as: .float, format: surround, order: [0, 1, 4, 5, 2, 3], bytes: 4)
        let values = bytes.withUnsafeBytes { Array($0.bindMemory(to: Float.self)) }
        #expect(values == [0, 1, 4, 5, 2, 3].map { $0 / 8 })
    }
}
