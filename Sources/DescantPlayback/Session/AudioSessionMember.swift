internal import DescantCore
internal import Synchronization

/// A player that the audio session pauses, resumes and makes quieter. The methods are those of ``AudioSessionClient``.
protocol AudioSessionPlayer: Actor {
    var sessionName: String { get }
    func pauseForSession(_ cause: AudioSessionCause) async -> InterruptionToken?
    func resumeForSession(_ token: InterruptionToken) async
    func setSessionGain(_ gain: Double) async -> Bool
    func sessionServerLost(_ reason: String) async
    func sessionServerRestored() async
}

/// Makes a player a client of the audio session, without the session's calls in the player's public interface.
///
/// The player keeps its member, and the member does not keep the player.
final class AudioSessionMember: AudioSessionClient {
    private struct Player {
        weak var player: (any AudioSessionPlayer)?
    }

    let sessionClient = AudioSessionClientID()
    private let state = Mutex(Player())

    /// Connects the player; called once, when the player is created.
    func connect(_ player: any AudioSessionPlayer) { state.withLock { $0.player = player } }

    private var player: (any AudioSessionPlayer)? { state.withLock { $0.player } }

    var sessionName: String { get async { await player?.sessionName ?? "none" } }

    func pauseForSession(_ cause: AudioSessionCause) async -> InterruptionToken? {
        await player?.pauseForSession(cause)
    }

    func resumeForSession(_ token: InterruptionToken) async { await player?.resumeForSession(token) }

    func setSessionGain(_ gain: Double) async -> Bool { await player?.setSessionGain(gain) ?? true }

    func sessionServerLost(_ reason: String) async { await player?.sessionServerLost(reason) }

    func sessionServerRestored() async { await player?.sessionServerRestored() }
}
