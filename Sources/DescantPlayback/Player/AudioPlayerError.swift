internal import DescantCore
public import Foundation

/// What can go wrong in an ``AudioPlayerService``.
public enum AudioPlayerError: Error, Sendable, Hashable {
    /// The call is not legal in the present state; nothing was changed.
    case invalidState(current: String, attempted: String)
    /// There is no file at this URL.
    case fileNotFound(URL)
    /// The file is there and cannot be played: not audio, damaged, unreadable, or of a codec that is not installed. The reason
    /// does not repeat the file's name.
    case invalidAudioFile(URL, reason: String)
    /// The engine failed.
    case engineError(String)
    /// There is no device or sound server to play to, or it went away.
    case sessionError(String)
    /// A configuration was refused.
    case invalidConfiguration(ConfigurationError)
    /// There are no tracks.
    case emptyPlaylist
    /// There is no track with this index in a playlist of `count` tracks.
    case invalidPlaylistIndex(index: Int, count: Int)
    /// Nothing is being played that could be replaced.
    case noActiveTrack
    /// The call has to wait until the running crossfade is over.
    case crossfadeInProgress

    /// Another name of ``sessionError(_:)``, to be caught as `catch AudioPlayerError.audioSessionError`.
    ///
    /// - Parameter message: What failed.
    public static func audioSessionError(_ message: String) -> AudioPlayerError { .sessionError(message) }

    /// The case without its payload, for reports.
    public var code: String {
        switch self {
        case .invalidState: "invalidState"
        case .fileNotFound: "fileNotFound"
        case .invalidAudioFile: "invalidAudioFile"
        case .engineError: "engineError"
        case .sessionError: "sessionError"
        case .invalidConfiguration: "invalidConfiguration"
        case .emptyPlaylist: "emptyPlaylist"
        case .invalidPlaylistIndex: "invalidPlaylistIndex"
        case .noActiveTrack: "noActiveTrack"
        case .crossfadeInProgress: "crossfadeInProgress"
        }
    }
}

/// Whether an error is the one that a function of ``AudioPlayerError`` makes: lets `catch AudioPlayerError.audioSessionError` match.
///
/// - Parameters:
///   - make: A case with a text, or ``AudioPlayerError/audioSessionError(_:)``.
///   - error: Any error.
public func ~= (make: (String) -> AudioPlayerError, error: any Error) -> Bool {
    (error as? AudioPlayerError)?.code == make("").code
}

extension AudioPlayerError: CustomStringConvertible, LocalizedError {
    /// The error in words, with the file or state concerned.
    public var description: String {
        switch self {
        case .invalidState(let current, let attempted): "\(attempted) is not possible while the player is \(current)"
        case .fileNotFound(let url): "file not found: \(AudioSource.url(url).name)"
        case .invalidAudioFile(let url, let reason): "cannot play \(AudioSource.url(url).name): \(reason)"
        case .engineError(let message): "audio engine: \(message)"
        case .sessionError(let message): "audio output: \(message)"
        case .invalidConfiguration(let error): "invalid configuration: \(error)"
        case .emptyPlaylist: "the playlist is empty"
        case .invalidPlaylistIndex(let index, let count): "no track at index \(index) in a playlist of \(count)"
        case .noActiveTrack: "no track is being played"
        case .crossfadeInProgress: "a crossfade is in progress"
        }
    }

    /// The same text as ``description``.
    public var errorDescription: String? { description }
}

extension AudioPlayerError {
    /// Makes the player's error from an error of the engine during the opening of a file.
    ///
    /// - Parameters:
    ///   - error: What the engine threw.
    ///   - url: The file.
    init(_ error: any Error, playing url: URL) {
        switch error {
        case let error as AudioPlayerError: self = error
        case CoreError.notFound: self = .fileNotFound(url)
        case let error as CoreError:
            self = .invalidAudioFile(url, reason: error.reason(about: AudioSource.url(url).name))
        default: self = .engineError("\(AudioSource.url(url).name): \(error)")
        }
    }

    /// Makes the player's error for a file that has begun to play and cannot be read on.
    ///
    /// - Parameters:
    ///   - error: How the deck ended.
    ///   - url: The file.
    ///   - position: Where, in seconds.
    init(reading error: CoreError, of url: URL, at position: TimeInterval) {
        let reason = error.reason(about: AudioSource.url(url).name)
        // Most decks say where they have stopped.
        let place = reason.hasPrefix("at ") ? "" : "at \((position * 1000).rounded() / 1000) s: "
        self = .invalidAudioFile(url, reason: "reading ended \(place)\(reason)")
    }

    /// Makes the player's error from an error of the engine at the start of sound.
    ///
    /// - Parameter error: What the engine threw.
    init(sounding error: any Error) {
        switch error {
        case let error as AudioPlayerError: self = error
        case CoreError.ioError(let underlying): self = .sessionError("\(underlying)")
        default: self = .engineError("\(error)")
        }
    }
}
