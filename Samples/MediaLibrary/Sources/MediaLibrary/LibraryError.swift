/// Why a library cannot do what it was asked for.
public enum LibraryError: Error, Sendable, Hashable, CustomStringConvertible {
    /// A folder cannot be read: its path and the reason.
    case folder(String, reason: String)
    /// A folder lies within another one of the library, or is not in it: the path and what to do.
    case misplaced(String, reason: String)
    /// The library's file was damaged. It was set aside, and an empty library was begun: the path and the message.
    case damaged(String, reason: String)
    /// The library's file was written by a newer version of the program: its path.
    case newer(String)
    /// The library's file cannot be read or written: its path and the reason.
    case file(String, reason: String)

    /// The path, what is wrong with it and the remedy.
    public var description: String { "\(problem.path): \(problem.reason)" }

    /// The path, and what is wrong with it.
    var problem: LibraryProblem {
        switch self {
        case .folder(let path, let reason), .misplaced(let path, let reason), .file(let path, let reason),
            .damaged(let path, let reason):
            LibraryProblem(path: path, reason: reason)
        case .newer(let path):
            LibraryProblem(
                path: path,
                reason: "a newer version of the program has written this library; use that version, or another file")
        }
    }
}
