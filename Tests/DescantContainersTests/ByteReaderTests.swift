import Testing

@testable import DescantContainers

struct ByteReaderTests {
    @Test func readsBeyondTheEndReturnNil() {
        let bytes: [UInt8] = [1, 2, 3, 4, 5, 6, 7, 8]
        #expect(bytes.uint16(at: 6, .big) == 0x0708)
        #expect(bytes.uint32(at: 4, .little) == 0x0807_0605)
        #expect(bytes.uint64(at: 0, .big) == 0x0102_0304_0506_0708)
        for index in [-1, 7, 8, Int.max, Int.min] {
            #expect(bytes.uint16(at: index, .big) == nil)
            #expect(bytes.uint32(at: index, .big) == nil)
            #expect(bytes.uint64(at: index, .little) == nil)
        }
        #expect([UInt8]().uint16(at: 0, .big) == nil)
    }

    @Test func numbersRoundTrip() throws {
        for order in [ByteOrder.big, .little] {
            for (value, count) in [(0, 1), (255, 1), (65_536, 3), (0x0102_0304, 4), (1 << 40, 8)] {
                var reader = ByteReader([UInt8].number(value, bytes: count, order))
                #expect(try reader.number(count, order) == value)
                #expect(reader.remaining == 0)
            }
        }
    }

    @Test func takingTooManyBytesThrows() {
        var reader = ByteReader([1, 2, 3])
        for count in [-1, 4, Int.max] {
            #expect(throws: ContainerError.self) { try reader.take(count) }
        }
        #expect(reader.remaining == 3)
        #expect(reader.takeRemaining().count == 3)
        #expect(throws: ContainerError.self) { try reader.number(1, .big) }
    }

    @Test func bytesOutsideAFileAreNil() {
        let file = ArrayBytes([0, 1, 2, 3][1...])
        #expect(file.size == 3)
        #expect(file.bytes(at: 1, count: 10) == [2, 3])
        for offset in [-1, 3, Int64.max, Int64.min] { #expect(file.bytes(at: offset, count: 1).isEmpty) }
        #expect(file.bytes(at: 0, count: -1).isEmpty)
    }

    @Test func packetsAreJoinedAcrossPages() throws {
        let packets: [[UInt8]] = [[UInt8](repeating: 1, count: 300), [], [UInt8](repeating: 2, count: 255), [3]]
        // 300 bytes on two pages, and a packet of 255 bytes that a segment of 0 bytes ends.
        let first = OggPage(flags: 2, granule: OggPage.noGranule, serial: 7, sequence: 0, lacing: [255])
        let second = OggPage(flags: 1, granule: 9, serial: 7, sequence: 1, lacing: [45, 0, 255, 0, 1])
        var bytes = first.bytes(sealing: packets[0].prefix(255)) + packets[0].prefix(255)
        let body = Array(packets[0].dropFirst(255) + packets[2] + packets[3])
        bytes += second.bytes(sealing: body[...]) + body
        var (offset, assembler, found) = (0, OggPacketAssembler(), [[UInt8]]())
        while let page = OggPage(intactIn: bytes, at: offset) {
            found += assembler.packets(of: page, body: bytes.dropFirst(offset + page.headerSize)).map(Array.init)
            offset += page.size
        }
        #expect(found == packets)
        #expect(offset == bytes.count)
        #expect(!assembler.isInsidePacket)
        bytes[40] ^= 1
        #expect(OggPage(intactIn: bytes, at: 0) == nil)
    }
}
