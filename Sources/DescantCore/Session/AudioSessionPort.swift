/// The desktop's audio session: who may sound, and where to.
///
/// Implemented by an adapter for the sound server. An adapter reports and obeys; every decision (what pauses, what
/// resumes) is the coordinator's.
///
/// Rules that every adapter keeps, checked by the contract suite in `DescantTesting`:
/// - nothing is asked of the server before the first ``activate(_:)``;
/// - no call takes longer than 2 s, whatever the server does;
/// - ``situation`` already includes an event when the event is delivered, and is valid when ``activate(_:)`` returns;
/// - streams of this process are never foreign ones;
/// - events come while the session is active; a server that goes away and comes back while it is active is one
///   ``AudioSessionEvent/serverLost(reason:)`` and one ``AudioSessionEvent/serverRestored``, and the session stays active.
public protocol AudioSessionPort: Sendable {
    /// Announces that playback is about to begin; while active already, changes the configuration.
    ///
    /// - Parameter configuration: How the session presents itself. Options that are not in ``supportedOptions`` are
    ///   ignored.
    /// - Throws: ``CoreError/ioError(underlying:)`` when there is no server to play to or it does not answer; the session is
    ///   not active then.
    func activate(_ configuration: AudioSessionConfiguration) async throws

    /// Announces that playback has ended; harmless when not active.
    func deactivate() async

    /// The options that this adapter can carry out.
    var supportedOptions: AudioSessionOptions { get }

    /// What is known at this moment; read from memory, the server is not asked.
    var situation: AudioSessionSnapshot { get async }

    /// What happens from now on, while the session is active.
    var sessionEvents: EventStream<AudioSessionEvent> { get }
}

/// How a session presents itself to the desktop.
public struct AudioSessionConfiguration: Sendable, Hashable, Codable {
    /// Who owns the desktop's session.
    public enum Mode: String, Sendable, Hashable, Codable {
        /// The coordinator activates and deactivates.
        case managed
        /// The host does; the coordinator only listens.
        case external
    }

    /// What our streams are for: a controller gives its engine's stream this role before each start (``StreamRoleEngine``).
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

/// What other programs may do beside us while a session is active.
public struct AudioSessionOptions: OptionSet, Sendable, Hashable, Codable, CustomStringConvertible {
    /// The options as bits.
    public let rawValue: UInt8

    /// Creates a set from bits.
    ///
    /// - Parameter rawValue: The options as bits.
    public init(rawValue: UInt8) { self.rawValue = rawValue }

    /// Others go on playing. Servers on Linux mix in any case; without this option a coordinator asks the other players of the
    /// desktop to pause (``OtherPlayersPort``), unless its policy is to leave them alone, and lets them go on at the end.
    public static let mixWithOthers = AudioSessionOptions(rawValue: 1 << 0)
    /// Others are made quieter while the session is active, and return to their volume at its end.
    ///
    /// Only for adapters that have it among their ``AudioSessionPort/supportedOptions``. `PulseAudioSession` has not: on PulseAudio
    /// and PipeWire a client cannot lower other streams for a time, because the servers store each volume that is set. A PulseAudio
    /// server with module-role-ducking lowers streams by the role of ours.
    public static let duckOthers = AudioSessionOptions(rawValue: 1 << 1)

    /// "mixWithOthers,duckOthers"; empty for none.
    public var description: String {
        [(Self.mixWithOthers, "mixWithOthers"), (.duckOthers, "duckOthers")]
            .filter { contains($0.0) }.map(\.1).joined(separator: ",")
    }
}

/// What a stream is for, in the words of Linux desktops (`media.role`).
///
/// Sound servers decide by it what makes way for what: a server with role-cork mutes music while somebody is on the phone.
public struct AudioRole: Sendable, Hashable, Codable, RawRepresentable, ExpressibleByStringLiteral,
    CustomStringConvertible
{
    /// The role as the server knows it.
    public let rawValue: String

    /// Creates a role.
    ///
    /// - Parameter rawValue: The role as the server knows it; empty for a stream that says nothing.
    public init(rawValue: String) { self.rawValue = rawValue }

    /// Creates a role.
    ///
    /// - Parameter value: The role as the server knows it.
    public init(stringLiteral value: String) { rawValue = value }

    /// The role as the server knows it.
    public var description: String { rawValue }

    /// Music and everything that is listened to like it.
    public static let music: AudioRole = "music"
    /// Sound of a film.
    public static let video: AudioRole = "video"
    /// Text that is read aloud.
    public static let speech: AudioRole = "a11y"
    /// A short notification sound.
    public static let event: AudioRole = "event"
    /// A conversation; everything else makes way for it.
    public static let phone: AudioRole = "phone"
    /// Sound of a game.
    public static let game: AudioRole = "game"
}

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
    /// The sound server is available again, and the situation has been updated.
    case serverRestored
}

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
