internal import Descant
internal import Foundation
internal import Glibc

/// A file with random access.
final class DSDFile {
    /// The path, for errors.
    let path: String
    /// The length in bytes when it was opened.
    let length: Int
    private let descriptor: Int32

    /// Opens a file.
    ///
    /// - Throws: `CoreError` naming the file; directories, empty files and pipes are refused.
    init(_ url: URL) throws {
        path = url.path
        _ = try ProbeInput(file: url)
        descriptor = Glibc.open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { throw CoreError.opening(path, errno) }
        var status = stat()
        guard fstat(descriptor, &status) == 0 else {
            let code = errno
            close(descriptor)
            throw CoreError.opening(path, code)
        }
        length = Int(status.st_size)
    }

    deinit { close(descriptor) }

    /// Reads bytes.
    ///
    /// - Returns: Fewer than were asked for only where the file ends.
    /// - Throws: `CoreError.ioError` naming the file.
    func bytes(at offset: Int, count: Int) throws -> [UInt8] {
        guard offset >= 0, count > 0, offset < length else { return [] }
        let wanted = min(count, length - offset)
        var failure: Int32 = 0
        let bytes = [UInt8](unsafeUninitializedCapacity: wanted) { buffer, filled in
            while filled < wanted {
                let given = pread(
                    descriptor, buffer.baseAddress?.advanced(by: filled), wanted - filled, offset + filled)
                if given < 0, errno == EINTR { continue }
                if given < 0 { failure = errno }
                if given <= 0 { break }
                filled += given
            }
        }
        if failure != 0 { throw CoreError.opening(path, failure) }
        return bytes
    }
}
