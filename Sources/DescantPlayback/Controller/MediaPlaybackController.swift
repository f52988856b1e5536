public import DescantCore
internal import Foundation
internal import Synchronization

/// Chooses among engines of different kinds, of which one plays at a time: sound, speech, players elsewhere.
///
/// The controller makes engines when they are needed, carries content, position and rate from one to the next, owns their part
/// of the audio session, and says what is going on: ``updates`` for views and remote controls, ``events`` for what happened, and a
/// structured log for diagnosis. An engine that was not selected is never made, and its bundle never loaded.
///
/// An engine of a bundle may hang. One that does not answer a read within 10 s, a command within 30 s, an opening, a start or its making
/// within 120 s, or any call but a read within 240 s if it controls a remote player, is given up until the program is started again:
/// ``MediaPlaybackError/engineUnavailable(_:reason:)`` names it and the call. A start goes on with the next engine that can be used
/// (``MediaPlaybackEvent/engineFellBack(from:to:reason:)``). Otherwise the controller fails, offers another engine, and the next
/// ``play()`` goes on with that at the last known position; ``stop()`` and ``stopAll()`` succeed. The mixer, ``AudioPlayerEngine`` and
/// ``SpeechEngine`` have limits of their own.
///
/// Calls from any number of tasks are carried out one after the other in the order of their arrival; ``pause()``, ``stop()``,
/// ``stopAll()``, ``loadContent(_:sections:description:)`` and ``selectEngine(_:)`` end a start that is still being tried, which then throws
/// `CancellationError`.
public actor MediaPlaybackController {
    let ports: ControllerPorts
    nonisolated let hubs = ControllerHubs()

    var engines = EngineSet()
    var media = LoadedMedia()
    var status = ControllerStatus()
    var commands = ControllerCommands()
    var publications = PublicationOrder()
    var outage = ServerOutage()
    /// The gain that the audio session allows.
    var gain = SessionGain()
    /// Whether a person, now or in an earlier run, has chosen the engine.
    var isEngineChosen = false
    /// How long engines may take.
    var limits = EngineLimits()
    nonisolated let fitness = Mutex(EngineFitness())

    /// Creates a controller. Makes no engine and touches no device; ``launch()`` does the former if the policy says so.
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
        ports = ControllerPorts(
            catalog: catalog, session: session, selection: selection, policy: policy, configuration: configuration,
            clock: clock, logger: logger)
        ports.sessionMember.connect(self)
    }

    deinit {
        engines.cancel()
        outage.cancel()
        hubs.finish()
        let (session, client) = (session, sessionClient)
        Task { await session?.deactivate(for: client, reason: "released") }
    }

    nonisolated var catalog: any EngineCatalog { ports.catalog }
    nonisolated var session: AudioSessionCoordinator? { ports.session }
    nonisolated var clock: any ClockPort { ports.clock }
    nonisolated var logger: any LoggerPort { ports.logger }

    /// When engines are made.
    public nonisolated var policy: EngineInitializationPolicy { ports.policy }

    /// The controller's identity for the audio session.
    public nonisolated var sessionClient: AudioSessionClientID { ports.sessionMember.sessionClient }

    var content: MediaContent? { media.content }
    var rate: Double { media.rate }
    var activity: MediaPlaybackState.Activity { status.activity }
    var selectedEngine: (any MediaEngine)? { engines.selectedEngine }

    // MARK: Observation

    /// The state from now on; begins with the present one. A slow reader gets the newest only, unless it asks for a buffer.
    public nonisolated var updates: EventStream<MediaPlaybackState> { hubs.state.stream(buffer: .newest) }

    /// What happens from now on.
    public nonisolated var events: EventStream<MediaPlaybackEvent> { hubs.events.stream(buffer: .bounded(64)) }

    /// Words, sentences, warnings and the end of a text, as they are heard, and what becomes of the voice; from the engine that is
    /// selected when they happen. Ranges are UTF-8 bytes of the loaded text.
    public nonisolated var speechEvents: EventStream<SpeechEvent> { hubs.speech.stream(buffer: .bounded(1_024)) }

    /// The present state, with the progress of this moment.
    public var state: MediaPlaybackState {
        get async {
            await MediaPlaybackState(
                engine: engines.selected, capabilities: engines.capabilities(of: engines.selected), activity: activity,
                content: content, sections: media.sections, progress: progress, rate: rate,
                lastErrorMessage: status.message, offeredEngine: status.offeredEngine,
                session: session?.state ?? .inactive)
        }
    }

    /// What last went wrong, for a person; `nil` after a success.
    public var errorMessage: String? { status.message }

    /// The engines that can be selected, the preferred one first. Makes none.
    public nonisolated var availableEngines: [String] {
        catalog.engines.filter { identifier in fitness.withLock { $0.givenUp[identifier] } == nil }
    }

    /// Whether an engine can be selected, and plays what is loaded, as far as that is known without making it. Makes none.
    ///
    /// - Parameter identifier: The engine.
    public nonisolated func canUseEngine(_ identifier: String) -> Bool {
        guard refusal(of: identifier) == nil else { return false }
        let (needed, made) = fitness.withLock { ($0.needed, $0.made[identifier]) }
        guard let needed, let able = made ?? catalog.capabilities(of: identifier) else { return true }
        return able.contains(needed)
    }

    /// The engines that were made, by name.
    public var madeEngines: [String] { engines.identifiers }

    // MARK: One after the other

    /// Runs an operation when all earlier ones are done.
    func serially<Value, Failure: Error>(
        _ operation: () async throws(Failure) -> Value
    ) async throws(Failure) -> Value {
        try await commands.queue.run { () async throws(Failure) -> Value in
            do throws(Failure) {
                let value = try await operation()
                await reportGivenUp()
                return value
            } catch {
                await reportGivenUp()
                throw error
            }
        }
    }

    /// Runs a person's command that bears on playing; a start that is being tried ends.
    func command<Value, Failure: Error>(
        _ operation: () async throws(Failure) -> Value
    ) async throws(Failure) -> Value {
        commands.wait()
        return try await serially { () async throws(Failure) -> Value in
            commands.run()
            return try await operation()
        }
    }

    // MARK: Telling

    func setActivity(_ new: MediaPlaybackState.Activity) async {
        let before = status.publishedActivity
        (status.activity, status.publishedActivity) = (new, new)
        await publish()
        await tellJump(from: before, to: new)
    }

    /// Reports to remote controls that the position is 0 after a stop, a start at another position than the beginning, and the position
    /// where sound begins: they show a preparation as playing, and count its seconds.
    private func tellJump(from before: MediaPlaybackState.Activity, to new: MediaPlaybackState.Activity) async {
        if before.isShown, !new.isShown { hubs.remote.post(.jumped(to: 0)) }
        let begins = new == .playing && (before == .preparing || before == .buffering)
        guard begins || (before == .preparing && new.isShown) else { return }
        let position = await remotePosition
        if begins || position > 0 { hubs.remote.post(.jumped(to: position)) }
    }

    /// Publishes the present state.
    func publish() async {
        let number = publications.begin()
        let state = await state
        // A slow engine can delay this state until a newer one has been published.
        guard publications.publish(number) else { return }
        hubs.state.post(state)
        hubs.remote.post(.updated)
    }

    func post(_ event: MediaPlaybackEvent) { hubs.events.post(event) }
}
