public import DescantCore
internal import Synchronization

/// A desktop that does what a test says, and counts what it is asked for.
///
/// Callable from any thread.
public final class ScriptedAudioSession: AudioSessionPort, AudioSessionBench {
    private struct State {
        var situation: AudioSessionSnapshot
        var active: AudioSessionConfiguration?
        var activations: [AudioSessionConfiguration] = []
        var deactivationCount = 0
        var refusals: [CoreError] = []
        var lastStream: UInt32 = 0
    }

    /// The options that it carries out.
    public let supportedOptions: AudioSessionOptions
    private let state: Mutex<State>
    private let hub = EventHub<AudioSessionEvent>()

    /// Creates a desktop with a sound server on which nobody plays.
    ///
    /// - Parameters:
    ///   - route: Where sound goes to and comes from.
    ///   - supportedOptions: The options that it carries out.
    public init(
        route: AudioRoute = AudioRoute(outputs: [AudioDevice("speaker")], inputs: [AudioDevice("microphone")]),
        supportedOptions: AudioSessionOptions = [.mixWithOthers, .duckOthers]
    ) {
        self.supportedOptions = supportedOptions
        state = Mutex(State(situation: AudioSessionSnapshot(isServerAvailable: true, route: route)))
    }

    // MARK: What it was asked for

    /// How often the session was activated, changes of an active one not counted.
    public var activationCount: Int { state.withLock { $0.activations.count } }

    /// How often an active session was deactivated.
    public var deactivationCount: Int { state.withLock { $0.deactivationCount } }

    /// The configuration of each activation, in order.
    public var activations: [AudioSessionConfiguration] { state.withLock { $0.activations } }

    /// The present configuration; `nil` while inactive.
    public var activeConfiguration: AudioSessionConfiguration? { state.withLock { $0.active } }

    // MARK: What a test says

    /// Makes the next activations fail, one error each.
    ///
    /// - Parameter errors: What they throw.
    public func refuse(_ errors: CoreError...) { state.withLock { $0.refusals += errors } }

    /// Another program begins to play.
    ///
    /// - Parameters:
    ///   - role: What it plays.
    ///   - application: Its name.
    /// - Returns: The stream, for ``endStream(_:)``.
    @discardableResult
    public func beginStream(_ role: AudioRole, application: String = "other") -> ForeignStream {
        change { state in
            state.lastStream += 1
            let stream = ForeignStream(identifier: state.lastStream, application: application, role: role)
            state.situation.foreignStreams.append(stream)
            return (stream, .streamBegan(stream))
        }
    }

    /// Another program stops playing.
    ///
    /// - Parameter stream: What ``beginStream(_:application:)`` returned.
    public func endStream(_ stream: ForeignStream) {
        change { state in
            state.situation.foreignStreams.removeAll { $0 == stream }
            return ((), .streamEnded(stream))
        }
    }

    /// Sound goes another way.
    ///
    /// - Parameters:
    ///   - outputs: The devices that it goes to.
    ///   - reason: Why.
    public func changeRoute(to outputs: [String], reason: AudioRoute.Change) {
        change { state in
            state.situation.route.outputs = outputs.map { AudioDevice($0) }
            return ((), .routeChanged(state.situation.route, reason: reason))
        }
    }

    /// The server asks for silence.
    ///
    /// - Parameter reason: What it says.
    public func beginInterruption(_ reason: String = "role-cork") { post(.interruptionBegan(reason: reason)) }

    /// The server takes that back.
    ///
    /// - Parameter shouldResume: What it says.
    public func endInterruption(shouldResume: Bool = true) { post(.interruptionEnded(shouldResume: shouldResume)) }

    /// The server goes away.
    ///
    /// - Parameter reason: What it says.
    public func loseServer(_ reason: String = "Connection terminated") {
        change { state in
            state.situation.isServerAvailable = false
            state.situation.foreignStreams = []
            return ((), .serverLost(reason: reason))
        }
    }

    /// The server comes back.
    public func restoreServer() {
        change { state in
            state.situation.isServerAvailable = true
            return ((), .serverRestored)
        }
    }

    // MARK: The bench of the contract

    /// Begins a stream of another program.
    ///
    /// - Parameter role: What it plays.
    public func startOther(_ role: AudioRole) async throws { beginStream(role) }

    /// Ends every stream of other programs.
    public func stopOthers() async throws { for stream in situation.foreignStreams { endStream(stream) } }

    /// Moves sound to another device.
    public func changeDefaultDevice() async throws { changeRoute(to: ["headphones"], reason: .defaultChanged) }

    /// Takes the present device away.
    public func removeDevice() async throws { changeRoute(to: ["speaker"], reason: .oldDeviceUnavailable) }

    /// Ends the server.
    public func killServer() async throws { loseServer() }

    /// Begins the server again.
    public func restartServer() async throws { restoreServer() }

    // MARK: The port

    /// What the test has said.
    public var situation: AudioSessionSnapshot { state.withLock { $0.situation } }

    /// What happens while the session is active.
    public var sessionEvents: EventStream<AudioSessionEvent> { hub.stream(buffer: .bounded(256)) }

    /// Activates the session.
    ///
    /// - Parameter configuration: How it presents itself.
    /// - Throws: What ``refuse(_:)`` said; `CoreError.ioError` without a server.
    public func activate(_ configuration: AudioSessionConfiguration) async throws {
        try state.withLock { state in
            if !state.refusals.isEmpty { throw state.refusals.removeFirst() }
            guard state.situation.isServerAvailable else { throw CoreError.ioError("there is no sound server") }
            if state.active == nil { state.activations.append(configuration) }
            state.active = configuration
        }
    }

    /// Deactivates the session.
    public func deactivate() async {
        state.withLock { state in
            if state.active != nil { state.deactivationCount += 1 }
            state.active = nil
        }
    }

    private func post(_ event: AudioSessionEvent) { change { _ in ((), event) } }

    @discardableResult
    private func change<Value: Sendable>(_ body: (inout State) -> (Value, AudioSessionEvent)) -> Value {
        // Posting within the lock keeps events in the order of what they tell.
        state.withLock { state in
            let (value, event) = body(&state)
            if state.active != nil { hub.post(event) }
            return value
        }
    }
}
