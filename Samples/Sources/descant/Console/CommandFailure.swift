internal import Descant
internal import PlayerIntegration

/// Ends a command with a message and an exit status.
struct CommandFailure: Error {
    let status: ExitStatus
    let message: String

    init(_ status: ExitStatus, _ message: String) {
        self.status = status
        self.message = message
    }

    /// Creates a failure with the exit status for an error of the library.
    init(_ error: any Error) {
        switch error {
        case let failure as CommandFailure: self = failure
        case let error as InputError: self.init(.noInput, error.description)
        case let error as ConfigurationError: self.init(.usage, error.description)
        case RenderFailure.usage(let message): self.init(.usage, message)
        case RenderFailure.incomplete(let message): self.init(.failure, message)
        case AudioPlayerError.fileNotFound, AudioPlayerError.invalidAudioFile: self.init(.noInput, "\(error)")
        case let error as CoreError: self.init(.failure, error.description)
        default: self.init(.failure, "\(error)")
        }
    }
}

/// How the program ends, as its help says.
enum ExitStatus: Int32 {
    case success = 0
    case failure = 1
    case usage = 2
    /// No input can be opened; EX_NOINPUT of sysexits.h.
    case noInput = 66
    /// The result cannot be written; EX_IOERR of sysexits.h.
    case output = 74
}
