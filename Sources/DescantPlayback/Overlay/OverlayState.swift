/// What an overlay is doing.
public enum OverlayState: String, Sendable, Hashable, Codable, CaseIterable {
    /// No overlay.
    case idle
    /// The overlay sounds, or the delay between two passes runs.
    case playing
    /// Frozen at a position, or within a delay.
    case paused
    /// Fading out towards ``idle``.
    case stopping
    /// One overlay fades into another.
    case crossfading

    /// Whether the overlay sounds.
    public var isPlaying: Bool { self == .playing }
    /// Whether the overlay is frozen.
    public var isPaused: Bool { self == .paused }
    /// Whether there is no overlay.
    public var isIdle: Bool { self == .idle }
}
