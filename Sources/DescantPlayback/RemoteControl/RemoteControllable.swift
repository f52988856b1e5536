public import DescantCore
public import Foundation

/// A player that a remote control can show and command. ``RemoteControlBridge`` connects it to a `RemoteControlPort`.
///
/// Unlike a bare `RemoteCommandTarget` it needs not publish anything itself: the bridge does, before a command is answered.
public protocol RemoteControllable: RemoteCommandTarget {
    /// What is playing at this moment, and what can be done.
    func nowPlaying() async -> NowPlaying

    /// What happens from now on; several changes may come as one.
    var remoteChanges: EventStream<RemoteChange> { get }
}

/// A reason to tell remote controls something.
public enum RemoteChange: Sendable, Hashable {
    /// Something of what ``RemoteControllable/nowPlaying()`` says may have changed.
    case updated
    /// The current track goes on from another position, in seconds, other than by playing.
    case jumped(to: TimeInterval)
}

/// What a host adds to, or takes from, what remote controls can do.
public struct RemoteControlOptions: Sendable {
    /// Which commands are allowed at all.
    public var allowed: RemoteAbilities
    /// Ends the program; `nil` when remote controls must not.
    public var quit: (@Sendable () async -> Void)?
    /// Brings the program's window to the front; `nil` without a window.
    public var raise: (@Sendable () async -> Void)?
    /// Asked before each command: returns whether the player is to carry it out, `false` when the host has done so or refuses. What it
    /// throws is the error of the command.
    public var shouldPerform: (@Sendable (RemoteCommand) async throws -> Bool)?

    /// Creates options.
    ///
    /// - Parameters:
    ///   - allowed: Which commands are allowed at all.
    ///   - quit: Ends the program.
    ///   - raise: Brings the program's window to the front.
    ///   - shouldPerform: Asked before each command.
    public init(
        allowed: RemoteAbilities = .all, quit: (@Sendable () async -> Void)? = nil,
        raise: (@Sendable () async -> Void)? = nil,
        shouldPerform: (@Sendable (RemoteCommand) async throws -> Bool)? = nil
    ) {
        self.allowed = allowed
        self.quit = quit
        self.raise = raise
        self.shouldPerform = shouldPerform
    }
}
