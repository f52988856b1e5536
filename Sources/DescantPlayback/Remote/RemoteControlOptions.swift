public import DescantCore

/// What a host adds to, or takes from, what remote controls can do.
public struct RemoteControlOptions: Sendable {
    /// Which commands are allowed at all.
    public var allowed: RemoteAbilities
    /// Ends the program; `nil` when remote controls must not.
    public var quit: (@Sendable () async -> Void)?
    /// Brings the program's window to the front; `nil` without a window.
    public var raise: (@Sendable () async -> Void)?
    /// Asked before each command: returns whether the player is to carry it out, `false` when the host has done so or refuses. What it
    /// throws reaches whoever asked.
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
