/// Why the settings for a Music Assistant server cannot be used.
public enum RemoteSettingsError: Error, Sendable, Hashable, CustomStringConvertible {
    /// No server is known.
    case noServer
    /// A text is not the address of a server.
    case noAddress(String)
    /// The file at a path holds something else.
    case unreadable(String)
    /// The file at a path cannot be written.
    case notWritten(String)

    /// What is wrong and what to do about it.
    public var description: String {
        switch self {
        case .noServer: "no Music Assistant server is known; run: descant ma connect ws://HOST:8095"
        case .noAddress(let text): "\"\(text)\" is no address of a server; use one like ws://HOST:8095"
        case .unreadable(let path): "\(path) is damaged; remove it and run: descant ma connect ws://HOST:8095"
        case .notWritten(let path): "\(path) cannot be written; check its folder and the space on the disk"
        }
    }
}
