public import Foundation
internal import Glibc

extension ProbeInput {
    /// How many bytes of a file are read for probing.
    public static let headerLength = 4096

    /// Reads the beginning of a file.
    ///
    /// - Parameters:
    ///   - url: A file URL.
    ///   - mimeType: The MIME type, if somebody declared one.
    /// - Throws: ``CoreError/notFound(_:)``; ``CoreError/ioError(underlying:)`` for a directory or without permission;
    ///   ``CoreError/decodeError(_:)`` for an empty file.
    public init(file url: URL, mimeType: String? = nil) throws {
        let path = url.path
        let descriptor = Glibc.open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
        guard descriptor >= 0 else { throw CoreError.opening(path, errno) }
        defer { close(descriptor) }
        var status = stat()
        guard fstat(descriptor, &status) == 0 else { throw CoreError.opening(path, errno) }
        switch status.st_mode & S_IFMT {
        case S_IFREG: break
        case S_IFDIR: throw CoreError.ioError("\(path) is a directory; give a file inside it")
        default: throw CoreError.ioError("\(path) is neither a file nor a directory; copy the sound into a file")
        }
        guard status.st_size > 0 else {
            throw CoreError.decodeError("\(path) is empty (0 bytes); copy or download it again")
        }
        var bytes = [UInt8](repeating: 0, count: Self.headerLength)
        let count = pread(descriptor, &bytes, bytes.count, 0)
        guard count >= 0 else { throw CoreError.opening(path, errno) }
        self.init(
            header: Data(bytes.prefix(count)), fileExtension: url.pathExtension.lowercased(), mimeType: mimeType)
    }

    /// The offset just behind an ID3v2 tag at the beginning; 0 without one.
    ///
    /// May lie beyond the header.
    public var endOfLeadingID3v2Tag: Int {
        let head = [UInt8](header.prefix(10))
        guard head.count == 10, head.starts(with: Array("ID3".utf8)), head[6...].allSatisfy({ $0 < 0x80 }) else {
            return 0
        }
        let size = head[6...].reduce(0) { $0 << 7 | Int($1) }
        let footer = head[5] & 0x10 == 0 ? 0 : 10
        return 10 + size + footer
    }
}

extension CoreError {
    /// The error for a file that the system would not open or read.
    ///
    /// - Parameters:
    ///   - path: The file.
    ///   - code: The system's `errno`.
    public static func opening(_ path: String, _ code: Int32) -> CoreError {
        let reason = String(cString: strerror(code))
        switch code {
        case ENOENT, ENOTDIR: return .notFound("\(path): \(reason)")
        case EACCES, EPERM:
            return .ioError("\(path): \(reason); check who may read it with 'ls -l'")
        default: return .ioError("\(path): \(reason) (error \(code))")
        }
    }
}
