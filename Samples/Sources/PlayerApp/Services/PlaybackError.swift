internal import DescantCore
public import Foundation

/// Why something could not be played, in the terms of the app. Texts are for people, and name the file and the remedy.
public enum PlaybackError: Error, Sendable, Equatable {
    /// There is no such file.
    case fileNotFound(URL)
    /// Nothing here plays the format, or the person's product does not include it.
    case unsupportedFormat(String)
    /// The file cannot be read, such as one without permission.
    case failedToOpenFile(String)
    /// The file is damaged.
    case failedToDecode(String)
    /// The sound device or server does not take the sound.
    case outputError(String)
    /// The player is not in a state for the command.
    case invalidState(String)
    /// The command's value is out of range.
    case invalidArgument(String)
    /// Any other error.
    case coreError(String)

    /// What the app was about when an error occurred.
    enum Step {
        /// Opening a file or reading its tags.
        case opening
        /// Everything after it.
        case playing
    }

    /// Translates an error of the library.
    ///
    /// - Parameters:
    ///   - error: The error.
    ///   - url: The file that it concerns.
    ///   - step: What the app was about.
    init(_ error: any Error, of url: URL, while step: Step) {
        guard let error = error as? CoreError else {
            self = error as? PlaybackError ?? .coreError(error.localizedDescription)
            return
        }
        switch error {
        case .notFound: self = .fileNotFound(url)
        case .unsupported(let text): self = .unsupportedFormat(text)
        case .decodeError(let text): self = .failedToDecode(text)
        case .invalidState(let text): self = .invalidState(text)
        case .invalidArgument(let text): self = .invalidArgument(text)
        case .ioError: self = step == .opening ? .failedToOpenFile(error.message) : .outputError(error.message)
        }
    }
}

extension PlaybackError: CustomStringConvertible, LocalizedError {
    /// One line for a person.
    public var description: String {
        switch self {
        case .fileNotFound(let url): "\(url.path): there is no such file"
        case .unsupportedFormat(let text), .failedToOpenFile(let text), .failedToDecode(let text),
            .outputError(let text), .invalidState(let text), .invalidArgument(let text), .coreError(let text):
            text
        }
    }

    /// The same text as ``description``.
    public var errorDescription: String? { description }
}
