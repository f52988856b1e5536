internal import Glibc

/// An error of a token file.
public enum TokenFileError: Error, Sendable, Hashable, CustomStringConvertible {
    /// Users other than the owner can read the file at the path.
    case readableByOthers(String)
    /// The file at the path does not contain tokens.
    case unreadable(String)
    /// The file at the path could not be written; the number is the system's `errno`.
    case notWritten(String, Int32)

    /// The problem and its remedy.
    public var description: String {
        switch self {
        case .readableByOthers(let path): "\(path) can be read by others; run: chmod 600 '\(path)'"
        case .unreadable(let path): "\(path) does not contain tokens; remove it and log in again"
        case .notWritten(let path, let number): "\(path) could not be written: \(String(cString: strerror(number)))"
        }
    }
}
