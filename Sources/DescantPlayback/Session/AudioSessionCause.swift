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
