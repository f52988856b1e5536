public import DescantCore
public import DescantGStreamer
internal import DescantMixing
public import DescantPlayback
internal import Synchronization

/// Wires the library: which plugins there are, who logs, and which engine plays where.
///
/// A host takes ``shared`` or makes its own. Making an environment reads plugin manifests and nothing else: no device is
/// touched and no plugin is loaded until something needs it. All methods may be called from any thread.
public final class AudioEnvironment: Sendable {
    /// The environment of `AudioPlayerService()` and of hosts without wishes of their own.
    public static let shared = AudioEnvironment()

    /// The bundles and built-in providers.
    public let plugins: PluginRegistry
    /// Where the library logs.
    public let logger: any LoggerPort
    /// The clock that services run on.
    public let clock: any ClockPort
    /// The desktop's audio session, which everything shares that plays to the user's sound server.
    public let session: AudioSessionCoordinator
    /// Reads tags in a helper process, when everything is isolated.
    let isolatedTags: (any TagReaderPort & Sendable)?

    /// The policy of the sessions that the environment makes.
    let sessionPolicy: AudioSessionPolicy
    /// Whether the host has chosen the session.
    let isSessionGiven: Bool
    /// The sessions of sound servers that outputs name, by address.
    let otherSessions = Mutex<[String: AudioSessionCoordinator]>([:])

    /// What is sent to web servers, and how long they may take. A change counts for every source that is opened from
    /// then on, by the built-in engines of this environment.
    public var network: NetworkAccess {
        get { networkAccess.withLock { $0 } }
        set { networkAccess.withLock { $0 = newValue } }
    }

    let networkAccess = SharedNetworkAccess()

    /// Creates an environment and reads the manifests of the installed bundles.
    ///
    /// - Parameters:
    ///   - plugins: The registry; by default one over the standard search path.
    ///   - logger: Where the library and its plugins log. A registry that is given has its own.
    ///   - clock: The clock that services run on.
    ///   - session: The audio session of all that plays to a sound server; by default one over ``PulseAudioSession``, and over
    ///     ``MPRISOtherPlayers`` where there is a session bus.
    ///   - sessionPolicy: The policy of sessions that the environment makes; a session that the host gave has its own.
    public init(
        plugins: PluginRegistry? = nil, logger: any LoggerPort = NoopLogger(), clock: any ClockPort = MonotonicClock(),
        session: AudioSessionCoordinator? = nil, sessionPolicy: AudioSessionPolicy = AudioSessionPolicy()
    ) {
        self.plugins = plugins ?? PluginRegistry(logger: logger, clock: clock)
        isolatedTags = Self.registerBuiltIn(in: self.plugins)
        self.logger = logger
        self.clock = clock
        self.sessionPolicy = sessionPolicy
        self.session =
            session ?? Self.makeSession(server: nil, policy: sessionPolicy, clock: clock, logger: logger)
        isSessionGiven = session != nil
        // This project's own bundles have no constructors that could hang, and need not wait for what they do not use.
        self.plugins.prepareLoading { manifest in
            if !manifest.id.hasPrefix("org.descant.") { GStreamerDecks.loadElements() }
        }
        self.plugins.scan()
    }

    /// Makes an engine on GStreamer.
    ///
    /// - Parameters:
    ///   - output: Where the mix goes. A sound device is acquired by the first play, a file is created at once.
    ///   - format: The shape of the mix: 8,000…768,000 Hz, 1…8 channels.
    ///   - blockDuration: How much is rendered at a time, in seconds, 0.001…1. Long blocks cost fewer wake-ups, and a command
    ///     is heard later: by up to three blocks on a device, by up to one without. `nil` takes a quarter of a device's queue,
    ///     5 to 125 ms, 40 ms for closures and outputs in real time, and 400 ms offline.
    ///   - idleRelease: Seconds of silence after which the sound device is released.
    ///   - role: What the stream on a sound server is for, until a controller sets another one: see ``StreamRoleEngine``. An
    ///     engine for speech alone takes ``AudioRole/speech``.
    /// - Throws: ``CoreError/invalidArgument(_:)`` for an impossible format, ``CoreError/unsupported(_:)`` when a GStreamer
    ///   element is missing (with the package to install), ``CoreError/ioError(underlying:)`` when a file cannot be made.
    public func makeEngine(
        output: OutputDestination = .pulse(), format: PCMFormat = PCMFormat(sampleRate: 48_000, channels: 2),
        blockDuration: Double? = nil, idleRelease: Double = 5, role: AudioRole = .music
    ) throws -> any MixingEngine {
        guard (8_000...768_000).contains(format.sampleRate), (1...8).contains(format.channels) else {
            throw CoreError.invalidArgument(
                "a mix of \(format.channels) channels at \(format.sampleRate) Hz; 1 to 8 channels at 8 to 768 kHz are possible"
            )
        }
        if let blockDuration, !(0.001...1).contains(blockDuration) {
            throw CoreError.invalidArgument("blocks of \(blockDuration) s; 0.001 to 1 are possible")
        }
        return try engine(
            output: output, format: format, blockDuration: blockDuration, idleRelease: idleRelease, role: role)
    }

    private func engine(
        output: OutputDestination, format: PCMFormat, blockDuration: Double?, idleRelease: Double,
        role: AudioRole = .music
    ) throws -> Mixer {
        let gstreamer = GStreamerDecks { [networkAccess] in networkAccess.withLock { $0 } }
        let converters = GstSampleConverterFactory()
        let isIsolated = isolatedTags != nil
        let tags = makeTagReader()
        let describer: any TrackDescriber =
            isIsolated ? IsolatedDescriber(tags) : FileDescriber(tags: tags, other: gstreamer)
        let tempo = GstTempoChangerFactory()
        let decks = DeckProviderChain(
            plugins: plugins, fallback: isIsolated ? nil : gstreamer, describer: describer, converters: converters,
            tempo: tempo)
        let sink = try GStreamerMixOutput(
            format: format, destination: output, blockFrames: blockDuration.map { Int(format.frames(in: $0)) },
            role: role)
        return Mixer(
            decks: decks, output: sink, converters: converters, tempo: tempo, identifier: "gstreamer", clock: clock,
            idleRelease: idleRelease)
    }

    /// The engine of `AudioPlayerService()`.
    func makeDesktopEngine() -> any MixingEngine {
        // An output refuses impossible formats only, and 48 kHz stereo is a possible one.
        // swift-format-ignore: NeverUseForceTry
        try! engine(
            output: .pulse(), format: PCMFormat(sampleRate: 48_000, channels: 2), blockDuration: nil, idleRelease: 5)
    }

    /// Makes a player with an engine of its own. What plays to a sound server takes part in its audio session, and what plays to a
    /// sound device or an output of a bundle is on the desktop's media controls from its first command on, unless the host has connected a remote control
    /// before.
    ///
    /// - Parameters:
    ///   - output: Where it plays.
    ///   - role: What it plays: ``AudioRole/speech`` for audio books, for instance.
    ///   - remoteControl: How the program presents itself on the desktop's media controls; `nil` keeps it off them.
    /// - Throws: What ``makeEngine(output:format:blockDuration:idleRelease:role:)`` throws.
    public func makePlayer(
        output: OutputDestination = .pulse(), role: AudioRole = .music, remoteControl: RemoteIdentity? = .program
    ) throws -> AudioPlayerService {
        AudioPlayerService(
            engine: try makeEngine(output: output, role: role), clock: clock, logger: logger,
            session: session(for: output), role: role,
            remoteControl: output.isHeard ? remoteControl.map(remoteControlMaker) : nil)
    }

    /// Makes the desktop's media controls when they are needed.
    func remoteControlMaker(_ identity: RemoteIdentity) -> @Sendable () -> any RemoteControlPort {
        { self.makeRemoteControl(identity) }
    }
}

/// Network settings that an environment and its engines share.
final class SharedNetworkAccess: Sendable {
    private let access = Mutex(NetworkAccess())

    func withLock<Result: Sendable>(_ body: (inout NetworkAccess) -> Result) -> Result {
        access.withLock { body(&$0) }
    }
}
