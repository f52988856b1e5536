internal import DescantCore
internal import Foundation

/// The file whose tags are to change, open for reading.
final class SourceFile {
    /// Where it is, links resolved: the file is replaced, never a link to it.
    let path: String
    let descriptor: Int32
    let status: stat

    var size: Int { Int(status.st_size) }

    /// Opens a file.
    ///
    /// - Throws: `SystemError`, `EditError` for what is no file.
    init(_ url: URL) throws {
        guard let resolved = realpath(url.path, nil) else { throw SystemError() }
        defer { free(resolved) }
        path = String(cString: resolved)
        descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
        guard descriptor >= 0 else { throw SystemError() }
        var status = stat()
        let answer = fstat(descriptor, &status)
        let code = errno
        self.status = status
        guard answer == 0 else { throw SystemError(code) }
        if status.st_mode & S_IFMT == S_IFDIR { throw SystemError(EISDIR) }
        guard status.st_mode & S_IFMT == S_IFREG else { throw EditError.unsupported("no file, but a device or a pipe") }
    }

    deinit { if descriptor >= 0 { close(descriptor) } }

    /// The bytes of a range.
    ///
    /// - Throws: `EditError.damaged` when the file ends before, `SystemError`.
    func bytes(_ range: Range<Int>) throws -> [UInt8] {
        guard range.lowerBound >= 0, range.upperBound <= size else {
            throw EditError.damaged("bytes up to \(range.upperBound) are announced in a file of \(size)")
        }
        guard range.count <= Self.memoryLimit else {
            throw EditError.unsupported("\(range.count) bytes of metadata; \(Self.memoryLimit) are handled")
        }
        var failure: Int32 = 0
        let bytes = [UInt8](unsafeUninitializedCapacity: range.count) { buffer, count in
            while count < range.count {
                let target = buffer.baseAddress.map { UnsafeMutableRawPointer($0 + count) }
                let got = pread(descriptor, target, range.count - count, off_t(range.lowerBound + count))
                if got < 0, errno == EINTR { continue }
                if got < 0 { failure = errno }
                if got <= 0 { break }
                count += got
            }
        }
        if failure != 0 { throw SystemError(failure) }
        guard bytes.count == range.count else { throw EditError.damaged("the file was cut off meanwhile") }
        return bytes
    }

    /// The bytes of a range, as many of them as the file has.
    func bytesIfThere(_ range: Range<Int>) throws -> [UInt8] { try bytes(range.clamped(to: 0..<size)) }

    /// The most metadata that are held in memory: more than ten of the maximum pictures.
    private static let memoryLimit = 256 << 20
}
