/// What happens around our sound on the desktop: other programs, routes, interruptions, the server's life.
public enum AudioSessionEvent: Sendable, Hashable {
    /// Something with precedence (a call) began; playback should pause.
    case interruptionBegan(reason: String)
    /// The interruption is over.
    case interruptionEnded(shouldResume: Bool)
    /// The sound now goes to another device.
    case routeChanged(outputs: [String], reason: String)
    /// Whether another program is playing changed.
    case otherAudioChanged(isPlaying: Bool)
    /// The sound server went away.
    case serverLost(reason: String)
    /// The sound server is there again.
    case serverRestored
}

/// The desktop's audio session: who may sound, and where to.
public protocol AudioSessionPort: Sendable {
    /// Announces that playback is about to begin.
    ///
    /// - Parameter role: The stream's purpose in the desktop's words: "music", "a11y", "event".
    /// - Throws: ``CoreError/ioError(underlying:)`` when there is no server to play to.
    func activate(role: String) async throws

    /// Announces that playback has ended; harmless when not active.
    func deactivate() async

    /// The names of the devices that sound goes to.
    var outputRoute: [String] { get async }

    /// Whether another program is playing at this moment.
    var isOtherAudioPlaying: Bool { get async }

    /// What happens from now on.
    var sessionEvents: EventStream<AudioSessionEvent> { get }
}
