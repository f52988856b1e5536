/// What is known of the desktop's sound at one moment.
public struct AudioSessionSnapshot: Sendable, Hashable, Codable {
    /// Whether there is a sound server.
    public var isServerAvailable: Bool
    /// Where sound goes to and comes from.
    public var route: AudioRoute
    /// The streams of other programs that are playing; paused ones are not among them.
    public var foreignStreams: [ForeignStream]
    /// How many streams of this process the server has, paused ones included.
    public var ownStreamCount: Int

    /// Creates a description.
    ///
    /// - Parameters:
    ///   - isServerAvailable: Whether there is a sound server.
    ///   - route: Where sound goes to and comes from.
    ///   - foreignStreams: The streams of other programs that are playing.
    ///   - ownStreamCount: How many streams of this process the server has.
    public init(
        isServerAvailable: Bool = false, route: AudioRoute = AudioRoute(), foreignStreams: [ForeignStream] = [],
        ownStreamCount: Int = 0
    ) {
        self.isServerAvailable = isServerAvailable
        self.route = route
        self.foreignStreams = foreignStreams
        self.ownStreamCount = ownStreamCount
    }

    /// Whether another program is playing.
    public var isOtherAudioPlaying: Bool { !foreignStreams.isEmpty }

    /// Whether sound of lesser importance, such as an ambience, should be silent: another program says that it plays music,
    /// a film or a conversation. Only a hint, as many programs do not say what they play.
    public var secondaryAudioShouldBeSilencedHint: Bool {
        foreignStreams.contains { [.music, .video, .phone].contains($0.role) }
    }

    /// The streams of conversations.
    public var phoneStreams: [ForeignStream] { foreignStreams.filter { $0.role == .phone } }
}
