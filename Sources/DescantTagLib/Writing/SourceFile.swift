internal import DescantContainers
internal import DescantCore
internal import Foundation

/// The file whose tags change, open for reading. Other writers wait until it is closed.
final class SourceFile {
    /// The path with links resolved: the file is replaced, never a link to it.
    let path: String
    let descriptor: Int32
    let status: stat
    /// The length in bytes when the file was opened.
    var byteCount: Int { Int(status.st_size) }

    /// Opens a file.
    ///
    /// - Parameter lockLimit: The longest wait for another writer.
    /// - Throws: `SystemError`; `ContainerError.unsupported` for a device or a pipe; `CoreError.ioError` when another program holds the
    ///   file longer.
    init(_ url: URL, lockLimit: Duration) throws {
        guard let resolved = realpath(url.path, nil) else { throw SystemError() }
        defer { free(resolved) }
        path = String(cString: resolved)
        (descriptor, status) = try Self.openLocked(path, limit: lockLimit)
    }

    /// Opens and locks a file. Opens it again when another writer has replaced it before it was locked.
    private static func openLocked(_ path: String, limit: Duration) throws -> (descriptor: Int32, status: stat) {
        while true {
            let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
            guard descriptor >= 0 else { throw SystemError() }
            do {
                let status = try lock(descriptor, path, limit: limit)
                var now = stat()
                if stat(path, &now) != 0 { throw SystemError() }
                if now.st_ino == status.st_ino, now.st_dev == status.st_dev { return (descriptor, status) }
            } catch {
                close(descriptor)
                throw error
            }
            close(descriptor)
        }
    }

    private static func lock(_ descriptor: Int32, _ path: String, limit: Duration) throws -> stat {
        var status = stat()
        if fstat(descriptor, &status) != 0 { throw SystemError() }
        if status.st_mode & S_IFMT == S_IFDIR { throw SystemError(EISDIR) }
        guard status.st_mode & S_IFMT == S_IFREG else {
            throw ContainerError.unsupported("no file, but a device or a pipe")
        }
        // Some network file systems have no such locks; there, a writer only notices that the file has changed. Writers of tags hold the
        // lock while they copy the file; a program that holds it longer has another purpose.
        let end = ContinuousClock.now + limit
        while flock(descriptor, LOCK_EX | LOCK_NB) != 0, errno == EWOULDBLOCK || errno == EINTR {
            guard ContinuousClock.now < end else {
                throw CoreError.ioError(
                    "\(path): another program holds a lock on the file; close it there, then try again")
            }
            // There is no wait for a lock with a time limit.
            usleep(2_000)
        }
        if fstat(descriptor, &status) != 0 { throw SystemError() }
        return status
    }

    deinit { if descriptor >= 0 { close(descriptor) } }

    /// Reads all bytes of a range.
    ///
    /// - Throws: `ContainerError.damaged` when the file ends before, `ContainerError.unsupported` above 256 MiB, `SystemError`.
    func bytes(_ range: Range<Int>) throws -> [UInt8] {
        guard range.lowerBound >= 0, range.upperBound <= byteCount else {
            throw ContainerError.damaged("bytes up to \(range.upperBound) are announced in a file of \(byteCount)")
        }
        let bytes = try bytes(at: Int64(range.lowerBound), count: range.count)
        guard bytes.count == range.count else { throw ContainerError.damaged("the file was cut off meanwhile") }
        return bytes
    }
}

extension SourceFile: RandomAccessBytes {
    /// More than ten pictures of the maximum size.
    private static let memoryLimit = 256 << 20

    var size: Int64 { Int64(byteCount) }

    /// Reads bytes up to ``size``.
    ///
    /// - Throws: `ContainerError.unsupported` above 256 MiB, `SystemError`.
    func bytes(at offset: Int64, count: Int) throws -> [UInt8] {
        guard offset >= 0, offset < size, count > 0 else { return [] }
        let wanted = min(count, Int(size - offset))
        guard wanted <= Self.memoryLimit else {
            throw ContainerError.unsupported("\(wanted) bytes of metadata; \(Self.memoryLimit) are handled")
        }
        var failure: Int32 = 0
        let bytes = [UInt8](unsafeUninitializedCapacity: wanted) { buffer, filled in
            while filled < wanted {
                let target = buffer.baseAddress.map { UnsafeMutableRawPointer($0 + filled) }
                let got = pread(descriptor, target, wanted - filled, off_t(offset) + off_t(filled))
                if got < 0, errno == EINTR { continue }
                if got < 0 { failure = errno }
                if got <= 0 { break }
                filled += got
            }
        }
        if failure != 0 { throw SystemError(failure) }
        return bytes
    }
}
