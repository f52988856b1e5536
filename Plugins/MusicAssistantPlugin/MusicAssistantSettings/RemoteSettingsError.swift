/// Why the settings for a Music Assistant server cannot be used.
public enum RemoteSettingsError: Error, Sendable, Hashable, CustomStringConvertible {
    /// No server is known.
    case noServer
    /// A text is not the address of a server.
    case noAddress(String)
    /// The file at a path is not a settings file.
    case unreadable(String)
    /// The file at a path cannot be written.
    case notWritten(String)
    /// The file at a path contains no certificates.
    case noCertificates(String)
    /// A text is not a valid time to wait.
    case noTime(String)

    /// The problem and its remedy.
    public var description: String {
        switch self {
        case .noServer:
            "no Music Assistant server is known; find one with: descant ma discover, then run: descant ma connect ws://HOST:8095"
        case .noAddress(let text): "\"\(text)\" is not the address of a server; use one like ws://HOST:8095"
        case .unreadable(let path): "\(path) is damaged; remove it and run: descant ma connect ws://HOST:8095"
        case .notWritten(let path): "\(path) cannot be written; check its folder and the space on the disk"
        case .noCertificates(let path):
            "\(path) contains no valid certificates; --ca, DESCANT_MA_CA and SSL_CERT_FILE take a file in PEM format"
        case .noTime(let text): "DESCANT_MA_WAIT=\(text): use 0 to 86400 seconds"
        }
    }
}
