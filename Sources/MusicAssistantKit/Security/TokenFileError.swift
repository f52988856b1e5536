internal import Glibc

/// Why a file of tokens could not be used.
public enum TokenFileError: Error, Sendable, Hashable, CustomStringConvertible {
    /// Others than the owner may read the file at the path.
    case readableByOthers(String)
    /// The file at the path holds something else.
    case unreadable(String)
    /// The file at the path could not be written; the number is the system's.
    case notWritten(String, Int32)

    /// What is wrong and what to do about it.
    public var description: String {
        switch self {
        case .readableByOthers(let path): "\(path) can be read by others; run: chmod 600 '\(path)'"
        case .unreadable(let path): "\(path) holds no tokens; remove it and log in again"
        case .notWritten(let path, let number): "\(path) could not be written: \(String(cString: strerror(number)))"
        }
    }
}
