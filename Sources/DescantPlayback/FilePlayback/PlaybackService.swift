public import DescantCore
public import Foundation

/// Plays one file through one decoder and one output.
///
/// The service is synchronous: a call returns when its effect holds. What each call does in which state:
///
/// | from | `load` | `play` | `pause` | `stop` | `seek` |
/// |---|---|---|---|---|---|
/// | stopped | paused | invalidState | – | – | invalidState |
/// | stopped, at the natural end | paused | playing, from the start | – | – | invalidState |
/// | paused | paused | playing | – | stopped | paused |
/// | playing, buffering | paused | – | paused | stopped | playing; buffering without its device |
/// | error | paused | invalidState | – | stopped | invalidState |
///
/// Volume, playback range and equaliser were added to the first form of the protocol. They have defaults here, so that
/// a service without them is complete.
public protocol PlaybackService: AnyObject {
    /// Opens a file; what was loaded before is closed. Afterwards the state is paused at 0, without a playback range.
    ///
    /// - Parameter url: A file URL, or whatever the decoder opens.
    /// - Throws: `CoreError` of the decoder, the output or the file access; the state is then an error with the same.
    func load(url: URL) throws

    /// Starts or goes on; after the natural end, from the start of the same file.
    ///
    /// - Throws: `CoreError.invalidState` when nothing is loaded or after an error, and what the output's start throws; in that
    ///   case the state stays and the call may be repeated.
    func play() throws

    /// Freezes position and sound; harmless when nothing plays.
    func pause()

    /// Ends playing and closes the file.
    func stop()

    /// Moves to a position, exact to the frame.
    ///
    /// - Parameter seconds: 0…duration in seconds, or within the playback range; the duration itself is legal.
    /// - Throws: `CoreError.invalidArgument` outside that range, `CoreError.invalidState` when nothing is loaded or after an
    ///   error, and what the decoder throws.
    func seek(to seconds: Double) throws

    /// The position that is heard, in seconds; 0 when stopped or after an error.
    func currentTime() -> Double

    /// The file's length in seconds; 0 when nothing is loaded, infinite for an endless stream.
    func duration() -> Double

    /// What the service is doing.
    var state: PlaybackState { get }

    /// Sets the gain of everything that is played from now on; legal in every state.
    ///
    /// - Parameter volume: Linear, clamped to 0…1.
    func setVolume(_ volume: Float)

    /// Restricts playing to a part of the file. When its end is reached, the state is paused at its start.
    ///
    /// A position outside moves to the start of the range. ``duration()`` stays that of the file.
    ///
    /// - Parameters:
    ///   - start: In seconds, 0 or more.
    ///   - end: In seconds, greater than `start`, at most the duration.
    /// - Throws: `CoreError.invalidState` when nothing is loaded and at the natural end, `CoreError.invalidArgument` for an impossible
    ///   range.
    func setPlaybackRange(start: Double, end: Double) throws

    /// Plays the whole file again; the position stays.
    func clearPlaybackRange()

    /// Switches the output's equaliser, when it has one.
    ///
    /// - Parameter isEnabled: Whether it works; without it sound passes bit by bit.
    func setEQEnabled(_ isEnabled: Bool)

    /// Sets the equaliser's gain before its bands.
    ///
    /// - Parameter decibels: Clamped to -12…12.
    func setEQPreamp(_ decibels: Float)

    /// Sets the gains of the equaliser's bands, from the lowest up.
    ///
    /// - Parameter decibels: Clamped to -12…12; of another number than ten the beginning is used.
    func setEQBandGains(_ decibels: [Float])
}

/// Defaults of the requirements that were added later.
extension PlaybackService {
    /// Does nothing: the service plays as it is.
    public func setVolume(_ volume: Float) {}

    /// Refuses.
    ///
    /// - Throws: `CoreError.unsupported`.
    public func setPlaybackRange(start: Double, end: Double) throws {
        throw CoreError.unsupported("\(Self.self) plays whole files only")
    }

    /// Does nothing: there is no range.
    public func clearPlaybackRange() {}

    /// Does nothing: there is no equaliser.
    public func setEQEnabled(_ isEnabled: Bool) {}

    /// Does nothing: there is no equaliser.
    public func setEQPreamp(_ decibels: Float) {}

    /// Does nothing: there is no equaliser.
    public func setEQBandGains(_ decibels: [Float]) {}
}
