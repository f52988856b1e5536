public import DescantCore
internal import Synchronization

/// An audio session without a sound server: a test reports its events, and it records activations.
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

    /// The options that it supports.
    public let supportedOptions: AudioSessionOptions
    private let state: Mutex<State>
    private let hub = EventHub<AudioSessionEvent>()

    /// Creates a session with a sound server that has no streams.
    ///
    /// - Parameters:
    ///   - route: The initial devices.
    ///   - supportedOptions: The options that it supports.
    public init(
        route: AudioRoute = AudioRoute(outputs: [AudioDevice("speaker")], inputs: [AudioDevice("microphone")]),
        supportedOptions: AudioSessionOptions = [.mixWithOthers, .duckOthers]
    ) {
        self.supportedOptions = supportedOptions
        state = Mutex(State(situation: AudioSessionSnapshot(isServerAvailable: true, route: route)))
    }

    // MARK: Recorded calls

    /// The number of activations; changes of an active session do not count.
    public var activationCount: Int { state.withLock { $0.activations.count } }

    /// The number of deactivations of an active session.
    public var deactivationCount: Int { state.withLock { $0.deactivationCount } }

    /// The configuration of each activation, in order.
    public var activations: [AudioSessionConfiguration] { state.withLock { $0.activations } }

    /// The present configuration; `nil` while inactive.
    public var activeConfiguration: AudioSessionConfiguration? { state.withLock { $0.active } }

    // MARK: For tests

    /// Makes the next activations fail, one error each.
    ///
    /// - Parameter errors: The errors to throw, in order.
    public func refuse(_ errors: CoreError...) { state.withLock { $0.refusals += errors } }

    /// Adds the stream of another program.
    ///
    /// - Parameters:
    ///   - role: The role of the stream.
    ///   - application: The name of the program.
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

    /// Removes the stream of another program.
    ///
    /// - Parameter stream: The stream that ``beginStream(_:application:)`` returned.
    public func endStream(_ stream: ForeignStream) {
        change { state in
            state.situation.foreignStreams.removeAll { $0 == stream }
            return ((), .streamEnded(stream))
        }
    }

    /// Changes the output devices.
    ///
    /// - Parameters:
    ///   - outputs: The identifiers of the new output devices.
    ///   - reason: The reason to report.
    public func changeRoute(to outputs: [String], reason: AudioRoute.Change) {
        change { state in
            state.situation.route.outputs = outputs.map { AudioDevice($0) }
            return ((), .routeChanged(state.situation.route, reason: reason))
        }
    }

    /// Reports that the server began an interruption.
    ///
    /// - Parameter reason: The reason to report.
    public func beginInterruption(_ reason: String = "role-cork") { post(.interruptionBegan(reason: reason)) }

    /// Reports that the server ended the interruption.
    ///
    /// - Parameter shouldResume: Whether the player should resume.
    public func endInterruption(shouldResume: Bool = true) { post(.interruptionEnded(shouldResume: shouldResume)) }

    /// Reports that the connection to the server was lost.
    ///
    /// - Parameter reason: The reason to report.
    public func loseServer(_ reason: String = "Connection terminated") {
        change { state in
            state.situation.isServerAvailable = false
            state.situation.foreignStreams = []
            return ((), .serverLost(reason: reason))
        }
    }

    /// Reports that the server is available again.
    public func restoreServer() {
        change { state in
            state.situation.isServerAvailable = true
            return ((), .serverRestored)
        }
    }

    // MARK: The bench of the contract

    /// Adds the stream of another program.
    ///
    /// - Parameter role: The role of the stream.
    public func startOther(_ role: AudioRole) async throws { beginStream(role) }

    /// Removes every stream of other programs.
    public func stopOthers() async throws { for stream in situation.foreignStreams { endStream(stream) } }

    /// Makes another device the default.
    public func changeDefaultDevice() async throws { changeRoute(to: ["headphones"], reason: .defaultChanged) }

    /// Removes the current device.
    public func removeDevice() async throws { changeRoute(to: ["speaker"], reason: .oldDeviceUnavailable) }

    /// Ends the server.
    public func killServer() async throws { loseServer() }

    /// Starts the server again.
    public func restartServer() async throws { restoreServer() }

    // MARK: The port

    /// The current situation.
    public var situation: AudioSessionSnapshot { state.withLock { $0.situation } }

    /// The events while the session is active.
    public var sessionEvents: EventStream<AudioSessionEvent> { hub.stream(buffer: .bounded(256)) }

    /// Activates the session.
    ///
    /// - Parameter configuration: The configuration of the session.
    /// - Throws: The next error of ``refuse(_:)``; `CoreError.ioError` without a server.
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
        // Posting within the lock keeps events in the order of the changes.
        state.withLock { state in
            let (value, event) = body(&state)
            if state.active != nil { hub.post(event) }
            return value
        }
    }
}
