internal import Glibc

/// The bytes of a local file.
final class FileBytes: ByteReader {
    let size: Int64
    private let descriptor: Int32

    /// Opens a file; `nil` when that is not possible.
    init?(path: String) {
        descriptor = open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { return nil }
        size = Int64(lseek(descriptor, 0, SEEK_END))
    }

    deinit { if descriptor >= 0 { close(descriptor) } }

    func bytes(at offset: Int64, count: Int) -> [UInt8] {
        guard offset >= 0, count > 0 else { return [] }
        return [UInt8](unsafeUninitializedCapacity: count) { buffer, filled in
            filled = max(0, pread(descriptor, buffer.baseAddress, count, off_t(offset)))
        }
    }
}
