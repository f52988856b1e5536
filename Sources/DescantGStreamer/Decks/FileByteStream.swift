internal import DescantContainers
internal import Synchronization

/// Feeds a local file, for those that GStreamer must not read as they are.
final class FileByteStream: ByteStream {
    let isSeekable = true
    private let file: Mutex<(bytes: FileBytes, offset: Int64)>
    private let length: Int64

    init(_ bytes: sending FileBytes) {
        length = bytes.size
        file = Mutex((bytes, 0))
    }

    var size: Int64? { length }

    func move(to offset: Int64) { file.withLock { $0.offset = offset } }

    func next(_ count: Int) -> [UInt8] {
        file.withLock { file in
            let bytes = file.bytes.bytes(at: file.offset, count: count)
            file.offset += Int64(bytes.count)
            return bytes
        }
    }

    func cancel() {}
}
