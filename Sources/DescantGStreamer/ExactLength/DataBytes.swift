internal import Foundation

/// The bytes of a file in memory.
struct DataBytes: ByteReader {
    let data: Data

    var size: Int64 { Int64(data.count) }

    func bytes(at offset: Int64, count: Int) -> [UInt8] {
        guard offset >= 0, offset < size, count > 0 else { return [] }
        let start = data.startIndex + Int(offset)
        return [UInt8](data[start..<min(data.endIndex, start + count)])
    }
}
