/// What happens around our sound on the desktop: other programs, routes, interruptions, the server's life.
///
/// Adapters report what they see as it comes, phantoms of a moving stream included; the coordinator decides what it means.
public enum AudioSessionEvent: Sendable, Hashable {
    /// The server asks our streams to be silent, because something with precedence began.
    case interruptionBegan(reason: String)
    /// The server takes that back.
    case interruptionEnded(shouldResume: Bool)
    /// Sound goes to or comes from other devices than before. With ``AudioRoute/Change/oldDeviceUnavailable`` the device
    /// that was played to is gone; the route is the one that the server chose in its place, empty when there is none.
    case routeChanged(AudioRoute, reason: AudioRoute.Change)
    /// Another program began to play or went on.
    case streamBegan(ForeignStream)
    /// Another program's stream ended or was paused.
    case streamEnded(ForeignStream)
    /// The sound server went away.
    case serverLost(reason: String)
    /// The sound server is there again, and the situation was read anew.
    case serverRestored
}
