internal import DescantCore
internal import Foundation

/// What the system answered when a file could not be used.
struct SystemError: Error {
    let code: Int32

    init(_ code: Int32 = errno) { self.code = code }

    /// The error of a port: `notFound` for what is not there, else `ioError` in the system's words.
    func error(_ path: String) -> CoreError {
        if code == ENOENT || code == ENOTDIR { return .notFound(path) }
        return .ioError("\(path): \(String(cString: strerror(code)))")
    }
}
