internal import Glibc
internal import Synchronization

/// An open file of a ``LocalFileAccess``.
final class LocalFile: Sendable {
    private let descriptor: Int32
    private let path: String
    private let position = Mutex<Int64>(0)

    /// Takes an open descriptor over and closes it in the end.
    init(descriptor: Int32, path: String) {
        self.descriptor = descriptor
        self.path = path
    }

    deinit { close(descriptor) }

    /// Refuses everything but a file.
    func examine() throws {
        switch try status().st_mode & S_IFMT {
        case S_IFREG: return
        case S_IFDIR: throw CoreError.ioError("\(path) is a directory; give a file inside it")
        default: throw CoreError.ioError("\(path) is neither a file nor a directory")
        }
    }

    func size() throws -> Int64 { Int64(try status().st_size) }

    func read(into buffer: UnsafeMutableRawPointer, count: Int) throws -> Int {
        guard count >= 0 else { throw CoreError.invalidArgument("\(path): \(count) bytes cannot be read") }
        return try position.withLock { position in
            let read = pread(descriptor, buffer, count, off_t(position))
            guard read >= 0 else { throw CoreError.opening(path, errno) }
            position += Int64(read)
            return read
        }
    }

    func seek(offset: Int64, origin: FileSeekOrigin) throws {
        let size = try size()
        try position.withLock { position in
            let base: Int64 =
                switch origin {
                case .start: 0
                case .current: position
                case .end: size
                }
            let (target, overflows) = base.addingReportingOverflow(offset)
            guard !overflows, (0...size).contains(target) else {
                throw CoreError.invalidArgument(
                    "\(path): byte \(offset) from \(origin) is not within its \(size) bytes")
            }
            position = target
        }
    }

    private func status() throws -> stat {
        var status = stat()
        guard fstat(descriptor, &status) == 0 else { throw CoreError.opening(path, errno) }
        return status
    }
}
