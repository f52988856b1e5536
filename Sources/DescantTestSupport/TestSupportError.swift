/// The reason why a server or tool for tests cannot be used.
public enum TestSupportError: Error, Sendable, Hashable, CustomStringConvertible {
    /// A program is not installed; the text names the package to install.
    case notInstalled(String)
    /// A program or a system call failed; the text is its message.
    case failed(String)

    /// The text.
    public var description: String {
        switch self {
        case .notInstalled(let text), .failed(let text): text
        }
    }
}
