import DescantCore
import DescantTesting
import Foundation
import Testing

@Suite struct MemoryBytesTests {
    @Test func aSliceOfDataIsReadLikeWholeData() throws {
        let bytes = MemoryBytes(Data(UInt8(0)..<100).dropFirst(40).prefix(20), name: "slice")
        var memory = [UInt8](repeating: 0, count: 64)
        #expect(bytes.size == 20)
        #expect(memory.withUnsafeMutableBytes { bytes.read(into: $0) } == 20)
        #expect(Array(memory.prefix(20)) == Array(40..<60))
        #expect(memory.withUnsafeMutableBytes { bytes.read(into: $0) } == 0)
        try bytes.seek(to: 15)
        #expect(memory.withUnsafeMutableBytes { bytes.read(into: $0) } == 5)
        #expect(Array(memory.prefix(5)) == Array(55..<60))
    }
}
