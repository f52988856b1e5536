/// How a session presents itself to the desktop.
public struct AudioSessionConfiguration: Sendable, Hashable, Codable {
    /// Who owns the desktop's session.
    public enum Mode: String, Sendable, Hashable, Codable {
        /// The coordinator activates and deactivates.
        case managed
        /// The host does; the coordinator only listens.
        case external
    }

    /// What our streams are for.
    public var role: AudioRole
    /// Who owns the desktop's session.
    public var mode: Mode
    /// What others may do beside us.
    public var options: AudioSessionOptions

    /// Creates a configuration.
    ///
    /// - Parameters:
    ///   - role: What our streams are for.
    ///   - mode: Who owns the desktop's session.
    ///   - options: What others may do beside us.
    public init(role: AudioRole = .music, mode: Mode = .managed, options: AudioSessionOptions = []) {
        self.role = role
        self.mode = mode
        self.options = options
    }
}
