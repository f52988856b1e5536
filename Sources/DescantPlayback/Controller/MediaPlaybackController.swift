public import DescantCore
internal import Foundation

/// Chooses among engines of different kinds, of which one plays at a time: sound, speech, players elsewhere.
///
/// The controller makes engines when they are needed, carries content, position and rate from one to the next, owns their part
/// of the audio session, and says what is going on: ``updates`` for views and remote controls, ``events`` for what happened, and a
/// structured log for whoever has to find out why. An engine that was not selected is never made, and its bundle never loaded.
///
/// Calls from any number of tasks are carried out one after the other in the order of their arrival; ``pause()``, ``stop()``,
/// ``stopAll()``, ``loadContent(_:sections:)`` and ``selectEngine(_:)`` end a start that is still being tried, which then throws
/// `CancellationError`.
public actor MediaPlaybackController: AudioSessionClient {
    let catalog: any EngineCatalog
    let session: AudioSessionCoordinator?
    let selection: any EngineSelection
    let configuration: AudioSessionConfiguration?
    let clock: any ClockPort
    let logger: any LoggerPort
    /// When engines are made.
    public nonisolated let policy: EngineInitializationPolicy
    /// Who this is for the audio session.
    public nonisolated let sessionClient = AudioSessionClientID()

    /// The engines that were made.
    var engines: [String: any MediaEngine] = [:]
    var watchers: [String: Task<Void, Never>] = [:]
    var readers: [Task<Void, Never>] = []
    /// The state that each engine last told.
    var toldStates: [String: EngineState] = [:]
    /// The engines that wait for their first sound.
    var awaited: Set<String> = []
    /// Which content each engine has loaded, by ``contentNumber``.
    var loaded: [String: UInt64] = [:]
    /// How far each engine was when it was left.
    var leftAt: [String: MediaProgress] = [:]

    /// The selected engine.
    var selected: String?
    var content: MediaContent?
    var contentNumber: UInt64 = 0
    var sections: [MediaSection] = []
    /// Where the content begins when it is next loaded or played.
    var pending: MediaPosition?
    var rate = 1.0
    var activity = MediaPlaybackState.Activity.idle
    var lastErrorMessage: String?
    var offeredEngine: String?

    /// How many commands of a person that end or change what is played wait for earlier ones.
    var waitingCommands = 0
    /// How many commands of a person that bear on playing were carried out. One that waits behind a pause of the session's is not,
    /// and has the last word then.
    var carriedOut: UInt64 = 0
    /// How often the state was looked at to be told, and which of these states was told last.
    var publications: UInt64 = 0
    private var lastPublished: UInt64 = 0
    /// How many starts were tried.
    var starts: UInt64 = 0
    /// The start that is being tried.
    var starting: Task<Void, any Error>?
    /// How far what is played was when the sound server went away, as long as the server is waited for.
    var lost: MediaPosition?
    var lossTimer: Task<Void, Never>?
    /// How loud the audio session lets the controller be, linear; 1 is as loud as engines are set.
    var sessionGain = 1.0
    /// The engine that ``sessionGain`` has made quieter.
    var quieter: String?

    nonisolated let stateHub = EventHub(
        initial: MediaPlaybackState(
            engine: nil, capabilities: [], activity: .idle, content: nil, sections: [], progress: .none, rate: 1,
            lastErrorMessage: nil, offeredEngine: nil, session: .inactive))
    nonisolated let eventHub = EventHub<MediaPlaybackEvent>()
    nonisolated let remoteHub = EventHub<RemoteChange>()
    private let commandQueue = AsyncSerialQueue()

    /// Creates a controller. Makes no engine and userCommandCount no device; ``launch()`` does the former if the policy says so.
    ///
    /// - Parameters:
    ///   - catalog: The engines to choose among.
    ///   - session: The audio session that engines play in which make sound here; `nil` for outputs without a device.
    ///   - selection: Where the selected engine is kept.
    ///   - policy: When engines are made.
    ///   - configuration: How the session presents itself; `nil` for speech with text and music with everything else.
    ///   - clock: The time by which starts are tried again.
    ///   - logger: Where the controller writes what it does.
    public init(
        catalog: any EngineCatalog, session: AudioSessionCoordinator?,
        selection: any EngineSelection = MemoryEngineSelection(),
        policy: EngineInitializationPolicy = .selectedAtLaunch,
        configuration: AudioSessionConfiguration? = nil, clock: any ClockPort = MonotonicClock(),
        logger: any LoggerPort = NoopLogger()
    ) {
        self.catalog = catalog
        self.session = session
        self.selection = selection
        self.policy = policy
        self.configuration = configuration
        self.clock = clock
        self.logger = logger
    }

    deinit {
        for watcher in Array(watchers.values) + readers { watcher.cancel() }
        lossTimer?.cancel()
        stateHub.finish()
        eventHub.finish()
        remoteHub.finish()
        let (session, client) = (session, sessionClient)
        Task { await session?.deactivate(for: client, reason: "released") }
    }

    // MARK: Observation

    /// The state from now on; begins with the present one. A slow reader gets the newest only, unless it asks for a buffer.
    public nonisolated var updates: EventStream<MediaPlaybackState> { stateHub.stream(buffer: .newest) }

    /// What happens from now on.
    public nonisolated var events: EventStream<MediaPlaybackEvent> { eventHub.stream(buffer: .bounded(64)) }

    /// The present state, with the progress of this moment.
    public var state: MediaPlaybackState {
        get async {
            await MediaPlaybackState(
                engine: selected, capabilities: selectedEngine?.capabilities ?? [], activity: activity,
                content: content,
                sections: sections, progress: progress, rate: rate, lastErrorMessage: lastErrorMessage,
                offeredEngine: offeredEngine, session: session?.state ?? .inactive)
        }
    }

    /// What last went wrong, for a person; `nil` after a success.
    public var errorMessage: String? { lastErrorMessage }

    /// The engines that can be selected, the preferred one first. Makes none.
    public nonisolated var availableEngines: [String] { catalog.engines }

    /// Whether an engine can be selected. Makes none.
    ///
    /// - Parameter identifier: The engine.
    public nonisolated func canUseEngine(_ identifier: String) -> Bool { catalog.refusal(of: identifier) == nil }

    /// The engines that were made, by name.
    public var madeEngines: [String] { engines.keys.sorted() }

    // MARK: One after the other

    /// Runs an operation when all earlier ones are done.
    func serially<Value, Failure: Error>(
        _ operation: () async throws(Failure) -> Value
    ) async throws(Failure) -> Value {
        try await commandQueue.run(operation)
    }

    /// Runs a person's command that bears on playing; a start that is being tried ends.
    func command<Value, Failure: Error>(
        _ operation: () async throws(Failure) -> Value
    ) async throws(Failure) -> Value {
        waitingCommands += 1
        starting?.cancel()
        return try await serially { () async throws(Failure) -> Value in
            waitingCommands -= 1
            carriedOut &+= 1
            return try await operation()
        }
    }

    // MARK: Telling

    func setActivity(_ new: MediaPlaybackState.Activity) async {
        activity = new
        await publish()
    }

    /// Tells everybody what the state is now.
    func publish() async {
        publications &+= 1
        let number = publications
        let state = await state
        // The engine may have taken its time: what came later is told already.
        guard number > lastPublished else { return }
        lastPublished = number
        stateHub.post(state)
        remoteHub.post(.updated)
    }

    func post(_ event: MediaPlaybackEvent) { eventHub.post(event) }
}
