internal import Foundation

/// A client of the audio session, which pauses it, resumes it and lowers its volume.
///
/// The coordinator calls the methods of a client one at a time, and never while it waits for the sound server; a client may call the
/// coordinator from within its own commands. Several clients are called at the same time. What happens next on the desktop waits up to
/// 2 s for their answers; a client that takes longer delays only its own later calls.
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

    /// Resumes, unless the client has carried out a user command since it was paused.
    ///
    /// - Parameter token: What ``pauseForSession(_:)`` returned.
    func resumeForSession(_ token: InterruptionToken) async

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

/// Who uses a session; every player and controller has one.
public struct AudioSessionClientID: Sendable, Hashable {
    private let value: UUID

    /// Creates a unique identity.
    public init() { value = UUID() }
}

/// Why a session makes its clients pause.
public enum AudioSessionCause: Sendable, Hashable, CustomStringConvertible {
    /// Something with precedence sounds: a conversation.
    case interruption
    /// The device that was played to is gone.
    case oldDeviceUnavailable

    /// The name that logs use.
    public var description: String {
        switch self {
        case .interruption: "interruption"
        case .oldDeviceUnavailable: "oldDeviceUnavailable"
        }
    }
}

/// The state of a client when a session paused it. The client compares it later to detect user commands since then.
public struct InterruptionToken: Sendable, Hashable {
    /// How many commands of a person the client had carried out.
    public let commands: UInt64
    /// What of a player was paused; what was paused before stays so.
    var paused = PausedParts()

    /// Creates a token; clients do this.
    ///
    /// - Parameter commands: How many commands of a person the client has carried out so far.
    public init(commands: UInt64) { self.commands = commands }
}

/// What a pause of everything has paused.
struct PausedParts: Sendable, Hashable {
    var main = false
    /// Overlays, those included whose clip is being opened.
    var overlays: Set<OverlayID> = []
    /// The number of the pause, by ``SoundEffectCache/pauses``, which effects and included engines keep.
    var pause: UInt64 = 0
}
