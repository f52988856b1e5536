internal import Foundation
internal import Synchronization

/// Feeds a file that lies in memory.
final class MemoryByteStream: ByteStream {
    let isSeekable = true
    private let data: Data
    private let offset = Mutex(0)

    init(_ data: Data) { self.data = data }

    var size: Int64? { Int64(data.count) }

    func move(to offset: Int64) { self.offset.withLock { $0 = Int(clamping: offset) } }

    func next(_ count: Int) -> [UInt8] {
        offset.withLock { offset in
            guard offset < data.count else { return [] }
            let start = data.startIndex + offset
            let part = data[start..<min(data.endIndex, start + count)]
            offset += part.count
            return [UInt8](part)
        }
    }

    func cancel() {}
}
