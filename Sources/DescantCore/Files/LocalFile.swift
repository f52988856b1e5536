package import Foundation
internal import Glibc

/// A file of this machine that is open for reading, and closed with the object.
package final class LocalFile: Sendable {
    package let path: String
    let descriptor: Int32

    /// Opens what is at a path.
    ///
    /// - Throws: ``CoreError/notFound(_:)``; ``CoreError/ioError(underlying:)`` without permission.
    package init(path: String) throws {
        self.path = path
        // Non-blocking: opening a named pipe would otherwise wait for a writer.
        descriptor = Glibc.open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
        guard descriptor >= 0 else { throw CoreError.opening(path, errno) }
    }

    deinit { if descriptor >= 0 { close(descriptor) } }

    /// Refuses everything but a file.
    ///
    /// - Returns: The file's length in bytes.
    /// - Throws: ``CoreError/ioError(underlying:)``.
    @discardableResult
    func examine() throws -> Int64 {
        var status = stat()
        guard fstat(descriptor, &status) == 0 else { throw CoreError.opening(path, errno) }
        switch status.st_mode & S_IFMT {
        case S_IFREG: return Int64(status.st_size)
        case S_IFDIR: throw CoreError.ioError("\(path) is a directory; give a file inside it")
        default: throw CoreError.ioError("\(path) is neither a file nor a directory; copy the sound into a file")
        }
    }

    /// Refuses everything but a file with content, and reads its beginning.
    ///
    /// - Parameter length: The maximum number of bytes.
    /// - Throws: ``CoreError/ioError(underlying:)``, also when the device does not give the bytes; ``CoreError/decodeError(_:)`` for an
    ///   empty file.
    @discardableResult
    package func readBeginning(_ length: Int = 1) throws -> Data {
        guard try examine() > 0 else {
            throw CoreError.decodeError("\(path) is empty (0 bytes); copy or download it again")
        }
        return try bytes(length, at: 0)
    }

    /// Reads bytes at a position.
    ///
    /// - Parameter length: The maximum number of bytes.
    /// - Returns: The bytes; none at the end.
    /// - Throws: ``CoreError/ioError(underlying:)``.
    func bytes(_ length: Int, at position: Int64) throws -> Data {
        var bytes = [UInt8](repeating: 0, count: length)
        let count = try read(into: &bytes, count: length, at: position)
        return Data(bytes.prefix(count))
    }

    /// Reads bytes at a position.
    ///
    /// - Returns: How many; 0 at the end.
    func read(into buffer: UnsafeMutableRawPointer, count: Int, at position: Int64) throws -> Int {
        let count = pread(descriptor, buffer, count, off_t(position))
        guard count >= 0 else { throw CoreError.opening(path, errno) }
        return count
    }

    /// Where this process can open the same file again, with a position of its own.
    var reopeningPath: String { "/proc/self/fd/\(descriptor)" }
}
