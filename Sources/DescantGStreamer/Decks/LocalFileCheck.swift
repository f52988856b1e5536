internal import DescantCore
internal import Glibc

/// Looks at a local file before GStreamer does, because GStreamer words every one of these cases as "could not open".
enum LocalFileCheck {
    /// Throws when a path cannot hold sound.
    ///
    /// - Throws: `CoreError.notFound`, `.ioError` for a directory, without permission or on a failing device,
    ///   `.decodeError` for an empty file.
    static func check(path: String) throws {
        // Non-blocking: opening a named pipe would otherwise wait for a writer.
        let descriptor = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC)
        guard descriptor >= 0 else { throw openError(errno, path: path) }
        defer { _ = close(descriptor) }
        var status = stat()
        guard fstat(descriptor, &status) == 0 else {
            throw CoreError.ioError("\(path) cannot be examined: \(text(of: errno))")
        }
        switch status.st_mode & S_IFMT {
        case S_IFREG: break
        case S_IFDIR: throw CoreError.ioError("\(path) is a directory; give a file inside it")
        default: throw CoreError.ioError("\(path) is neither a file nor a directory; copy the sound into a file")
        }
        guard status.st_size > 0 else {
            throw CoreError.decodeError("\(path) is empty (0 bytes); copy or download it again")
        }
        var byte: UInt8 = 0
        guard read(descriptor, &byte, 1) == 1 else {
            throw CoreError.ioError("\(path) cannot be read: \(text(of: errno))")
        }
    }

    private static func openError(_ code: Int32, path: String) -> CoreError {
        switch code {
        case ENOENT, ENOTDIR: .notFound("\(path) does not exist")
        case EACCES, EPERM: .ioError("\(path) cannot be read: \(text(of: code)); check its permissions")
        default: .ioError("\(path) cannot be opened: \(text(of: code))")
        }
    }

    private static func text(of code: Int32) -> String { String(cString: strerror(code)) }
}
