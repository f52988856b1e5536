/// Something that plays within a session and makes way when the session says so.
///
/// The coordinator calls these methods one at a time, and never while it waits for the sound server; a client may call the
/// coordinator from within its own commands. Only a client that leaves while it is quieter is made as loud as before on the side.
public protocol AudioSessionClient: AnyObject, Sendable {
    /// Who this is.
    var sessionClient: AudioSessionClientID { get }

    /// The name that logs use: an engine's identifier.
    var sessionName: String { get async }

    /// Pauses what sounds.
    ///
    /// - Parameter cause: Why.
    /// - Returns: What ``resumeForSession(_:)`` takes; `nil` when nothing was being played, so that nothing resumes.
    func pauseForSession(_ cause: AudioSessionCause) async -> InterruptionToken?

    /// Goes on, unless somebody has touched the client since it was paused.
    ///
    /// - Parameter mark: What ``pauseForSession(_:)`` returned.
    func resumeForSession(_ mark: InterruptionToken) async

    /// Plays more quietly, or as loud as before.
    ///
    /// - Parameter gain: Linear, 0…1; 1 is as before.
    /// - Returns: Whether the client can do that; if not, it is paused instead.
    func setSessionGain(_ gain: Double) async -> Bool

    /// The sound server went away; what was played stands still.
    ///
    /// - Parameter reason: What the server or the system said.
    func sessionServerLost(_ reason: String) async

    /// The sound server is there again: what was played goes on where it was lost.
    func sessionServerRestored() async
}
