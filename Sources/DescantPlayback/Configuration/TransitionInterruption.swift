/// What happens when a person asks for another track, or another position, while a crossfade is running.
public enum TransitionInterruption: String, Sendable, Hashable, Codable, CaseIterable {
    /// The call throws and the crossfade goes on.
    case reject
    /// The running crossfade ends within 0.3 s, then the call is carried out.
    case fastForward
}
