import Testing

@testable import DescantContainers

struct WaveFormatTests {
    /// A format chunk of 2 channels, 44100 Hz and 24 bits.
    private func content(tag: Int, behind: [UInt8] = []) -> [UInt8] {
        var content: [UInt8] = []
        for (value, size) in [(tag, 2), (2, 2), (44_100, 4), (264_600, 4), (6, 2), (24, 2)] {
            content.append(value, bytes: size, .little)
        }
        return content + behind
    }

    @Test func everyFieldIsRead() throws {
        let format = try #require(WaveFormat(content(tag: 1)))
        #expect(format.tag == 1)
        #expect(format.channels == 2)
        #expect(format.sampleRate == 44_100)
        #expect(format.byteRate == 264_600)
        #expect(format.blockAlign == 6)
        #expect(format.bitDepth == 24)
    }

    @Test func theByteRateLiesAtItsOffset() {
        #expect(content(tag: 1).uint32(at: Int(WaveFormat.byteRateOffset), .little) == 264_600)
    }

    @Test func theExtensibleFormHasItsEncodingInTheSubFormat() {
        let fields: [UInt8] = [22, 0, 24, 0, 3, 0, 0, 0, 3, 0] + [UInt8](repeating: 0, count: 14)
        #expect(WaveFormat(content(tag: 0xFFFE, behind: fields))?.tag == 3)
        #expect(WaveFormat(content(tag: 1, behind: fields))?.tag == 1)
        #expect(WaveFormat(content(tag: 0xFFFE, behind: Array(fields.prefix(9))))?.tag == 0xFFFE)
    }

    @Test func fewerThan16BytesAreNoFormat() {
        for count in 0..<16 { #expect(WaveFormat(Array(content(tag: 1).prefix(count))) == nil) }
    }
}
