public import Foundation

/// What a coordinator does about what happens on the desktop.
public struct AudioSessionPolicy: Sendable, Hashable {
    /// What happens while something with precedence sounds.
    public enum Interruption: Sendable, Hashable {
        /// What was playing is paused and resumes afterwards, unless a user command came meanwhile.
        case pauseAndResume
        /// What was playing is paused and stays so.
        case pause
        /// What is playing becomes quieter: to this linear gain, 0…1. What cannot is paused and goes on afterwards.
        case duck(to: Double)
        /// Nothing.
        case ignore
    }

    /// What happens when the device that is played to goes away.
    public enum LostDevice: Sendable, Hashable {
        /// Playing pauses, so that music from headphones does not come out of a loudspeaker; it never resumes by itself.
        case pause
        /// Playing goes on wherever the server sends it.
        case keepPlaying
    }

    /// What happens while something with precedence sounds.
    public var interruption: Interruption
    /// Whether streams with the role of a conversation interrupt, also on servers that do nothing about them.
    public var phoneStreamsInterrupt: Bool
    /// Whether a person may start playing during an interruption. If not, activation is refused.
    public var startsDuringInterruption: Bool
    /// What happens when the device that is played to goes away.
    public var lostDevice: LostDevice
    /// How long a route has to stay the same before it counts, in seconds, 0…60. A stream that moves shows phantoms for some
    /// milliseconds: a device that is unknown, or gone and back.
    public var routeDebounce: TimeInterval
    /// Whether a person's pause deactivates the session.
    public var deactivatesOnPause: Bool
    /// Whether other players are asked to pause when a session without ``AudioSessionOptions/mixWithOthers`` begins, and to go on
    /// at its end. `false` leaves other players alone, whatever the options are.
    public var pausesOtherPlayers: Bool

    /// Creates a policy.
    ///
    /// - Parameters:
    ///   - interruption: What happens while something with precedence sounds.
    ///   - phoneStreamsInterrupt: Whether conversations interrupt on every server.
    ///   - startsDuringInterruption: Whether a person may start playing during an interruption.
    ///   - lostDevice: What happens when the device that is played to goes away.
    ///   - routeDebounce: How long a route has to stay the same before it counts, in seconds, 0…60.
    ///   - deactivatesOnPause: Whether a person's pause deactivates the session.
    ///   - pausesOtherPlayers: Whether other players are asked to pause for a session that does not mix with them.
    public init(
        interruption: Interruption = .pauseAndResume, phoneStreamsInterrupt: Bool = true,
        startsDuringInterruption: Bool = true, lostDevice: LostDevice = .pause, routeDebounce: TimeInterval = 0.05,
        deactivatesOnPause: Bool = false, pausesOtherPlayers: Bool = true
    ) {
        self.interruption = interruption
        self.phoneStreamsInterrupt = phoneStreamsInterrupt
        self.startsDuringInterruption = startsDuringInterruption
        self.lostDevice = lostDevice
        self.routeDebounce = routeDebounce
        self.deactivatesOnPause = deactivatesOnPause
        self.pausesOtherPlayers = pausesOtherPlayers
    }
}
