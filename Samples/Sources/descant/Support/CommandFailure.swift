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

    /// What an error of the library means for the exit status.
    init(_ error: any Error) {
        switch error {
        case let failure as CommandFailure: self = failure
        case let error as InputError: self.init(.noInput, error.description)
        case let error as ConfigurationError: self.init(.usage, error.description)
        case AudioPlayerError.fileNotFound, AudioPlayerError.invalidAudioFile: self.init(.noInput, "\(error)")
        case let error as CoreError: self.init(.failure, error.description)
        default: self.init(.failure, "\(error)")
        }
    }
}
