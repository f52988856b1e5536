/// Why a WAVE file cannot be read or written.
public enum WaveFileError: Error, Sendable, Hashable, CustomStringConvertible {
    /// The file cannot be opened, read or written; the message is the system's.
    case inputOutput(path: String, message: String)
    /// The file is no WAVE file, or one that this reader does not know.
    case format(path: String, message: String)

    /// The path and what is wrong.
    public var description: String {
        switch self {
        case .inputOutput(let path, let message): "\(path): \(message)"
        case .format(let path, let message): "\(path) is not a readable WAVE file: \(message)"
        }
    }
}
