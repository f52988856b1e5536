import Testing

@testable import DescantContainers

/// The length of coded blocks that announce none.
@Suite struct CodedFrameCountTests {
    private static let id3v1: [UInt8] = Array("TAG".utf8) + [UInt8](repeating: 0, count: 125)
    private static let id3v2: [UInt8] = Array("ID3".utf8) + [3, 0, 0, 0, 0, 0, 20] + [UInt8](repeating: 0, count: 20)
    /// Larger than the part of a file in which blocks are looked for.
    private static var ape: [UInt8] {
        var tag = APETag()
        tag.items = [APETag.Item(name: "Cover Art (Front)", value: [UInt8](repeating: 0xFF, count: 30_000))]
        return tag.bytes
    }
    static let ends: [[UInt8]] = [[], id3v1, ape, ape + id3v1, [UInt8](repeating: 0, count: 5_000)]
    static let gaps: [[UInt8]] = [id3v1, id3v2, ape, ape + id3v1 + id3v2, [UInt8](repeating: 0, count: 300)]

    /// Blocks of ADTS with 1,024 frames in 16 bytes.
    private func blocks(_ count: Int) -> [UInt8] {
        (0..<count).flatMap { _ in [0xFF, 0xF1, 0x50, 0x80, 0x02, 0x1F, 0xFC] + [UInt8](repeating: 0x21, count: 9) }
    }

    private func frames(_ bytes: [UInt8]) -> Int64? { CodedFrameCount(ArrayBytes(bytes))?.frames }

    @Test(arguments: ends)
    func tagsBehindTheLastBlockLeaveTheCount(end: [UInt8]) {
        #expect(frames(blocks(400) + end) == 409_600)
    }

    @Test(arguments: gaps)
    func blocksBehindAGapAreNotLeftOutOfTheCount(gap: [UInt8]) {
        #expect(frames(blocks(400) + gap + blocks(20)) == nil)
    }

    @Test func blocksOfAnotherSampleRateAreNotLeftOutOfTheCount() {
        let others: [UInt8] = (0..<20).flatMap { _ in
            [0xFF, 0xF1, 0x4C, 0x80, 0x02, 0x1F, 0xFC] + [UInt8](repeating: 0x21, count: 9)
        }
        #expect(frames(blocks(400) + others) == nil)
    }
}
