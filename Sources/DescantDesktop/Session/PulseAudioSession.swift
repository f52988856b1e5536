public import DescantCore
internal import CPulse
internal import Glibc
internal import Synchronization

/// The audio session of a Linux desktop: other programs, devices and calls, as a sound server reports them.
///
/// Uses the protocol of PulseAudio, which PipeWire supports as well. There is one connection while the session is active, and
/// none before and after. After the loss of the server the session tries to connect five times a second at first, then once a
/// second, until the server is back or the session is deactivated.
///
/// All methods may be called from any thread; none of them waits for the server longer than ``answerLimit``.
public final class PulseAudioSession: AudioSessionPort {
    private enum Phase {
        case idle
        /// An attempt is in progress; `isReturn` is set after a loss.
        case opening(PulseConnection, isReturn: Bool)
        case active(PulseConnection)
        /// The server is lost; the number identifies the loss.
        case lost(Int)

        var connection: PulseConnection? {
            switch self {
            case .opening(let connection, _), .active(let connection): connection
            case .idle, .lost: nil
            }
        }
    }

    private struct State {
        var phase = Phase.idle
        var lossCount = 0
        /// Whether our streams were muted for a call when the server was lost.
        var wasSilenced = false
    }

    /// The maximum time for an answer of the server, in seconds.
    public static let answerLimit = 1.5

    private let server: String?
    private let clock: any ClockPort
    private let process: ProcessName
    private let limit: Double
    private let hub = EventHub<AudioSessionEvent>()
    private let state = Mutex(State())

    /// Creates a session; it connects to the server in ``activate(_:)``.
    ///
    /// - Parameters:
    ///   - server: The address of the server as in `PULSE_SERVER`; `nil` for the user's default.
    ///   - clock: Measures the pauses between attempts to reach a lost server.
    public convenience init(server: String? = nil, clock: any ClockPort = MonotonicClock()) {
        self.init(server: server, clock: clock, process: ProcessName.own)
    }

    /// - Parameter limit: The maximum time for an answer of the server, in seconds.
    init(
        server: String?, clock: any ClockPort, process: ProcessName, limit: Double = PulseAudioSession.answerLimit
    ) {
        self.server = server
        self.clock = clock
        self.process = process
        self.limit = limit
    }

    deinit { state.withLock { $0.phase.connection }?.beginClose() }

    /// Only mixing: the server mixes all streams. A client could lower another one's volume only for good, because servers store
    /// it, so ``AudioSessionOptions/duckOthers`` is not supported.
    public var supportedOptions: AudioSessionOptions { [.mixWithOthers] }

    /// The events from now on, while the session is active; up to 256 unread events are kept.
    public var sessionEvents: EventStream<AudioSessionEvent> { hub.stream(buffer: .bounded(256)) }

    /// The present state; empty while the session is not active.
    public var situation: AudioSessionSnapshot {
        get async {
            let phase = state.withLock { $0.phase }
            guard case .active(let connection) = phase else { return AudioSessionSnapshot() }
            return connection.watch.sessionSnapshot
        }
    }

    // MARK: Activating

    /// Connects to the server and reads its streams and devices. Each stream announces its own role, which its engine has from the
    /// controller, so the configuration is not sent.
    ///
    /// - Parameter configuration: How the session presents itself.
    /// - Throws: ``CoreError/ioError(underlying:)`` naming the server, the reason and the remedy when it is not there,
    ///   refuses, or does not answer within ``answerLimit``; ``CoreError/invalidState(_:)`` when ``deactivate()`` came
    ///   before it had answered. A session whose server was lost goes on waiting for it, whatever is thrown.
    public func activate(_ configuration: AudioSessionConfiguration) async throws {
        let (attempt, isNew) = state.withLock { state -> (PulseConnection?, Bool) in
            switch state.phase {
            case .active: return (nil, false)
            case .opening(let present, _): return (present, false)
            case .idle, .lost: break
            }
            let isReturn = if case .lost = state.phase { true } else { false }
            return (beginAttempt(&state, isReturn: isReturn), true)
        }
        guard let attempt else { return }
        let outcome =
            isNew ? await attempt.open(limit: limit) : await attempt.outcome(within: limit)
        if let error = settle(attempt, outcome) { throw error }
    }

    /// Closes the connection; nothing of it is left at the server when this returns. Does nothing when not active.
    public func deactivate() async {
        let connection = state.withLock { state in
            defer {
                state.phase = .idle
                state.wasSilenced = false
            }
            let connection = state.phase.connection
            // Inside the lock: no event is posted after this has returned.
            connection?.watch.end()
            return connection
        }
        connection?.abandon(Self.deactivated)
        await connection?.close(limit: 1)
    }

    private func beginAttempt(_ state: inout State, isReturn: Bool) -> PulseConnection {
        let watch = ServerWatch(process: process, isSilenced: state.wasSilenced, hub: hub, clock: clock)
        let connection = PulseConnection(server: server, watch: watch) { [weak self] connection, error in
            self?.lose(connection, error)
        }
        state.phase = .opening(connection, isReturn: isReturn)
        return connection
    }

    /// Ends an attempt. With several callers that wait for it, the first call does so.
    ///
    /// - Parameters:
    ///   - attempt: The connection.
    ///   - outcome: The error, if the attempt failed. The session has ended then, unless it was the return of a lost server.
    /// - Returns: The error, also that of a connection that was lost since.
    @discardableResult
    private func settle(_ attempt: PulseConnection, _ outcome: CoreError?) -> CoreError? {
        let error: CoreError? = state.withLock { state in
            let error = outcome ?? attempt.failure
            switch state.phase {
            case .opening(let present, let isReturn) where present === attempt:
                if error == nil {
                    state.phase = .active(attempt)
                    state.wasSilenced = false
                    attempt.watch.begin(isReturn: isReturn)
                } else {
                    // A lost session stays one whose server may come back.
                    state.phase = isReturn ? .lost(state.lossCount) : .idle
                }
            case .active(let present) where present === attempt: return nil
            case .idle where error == nil: return Self.deactivated
            default: break
            }
            return error
        }
        if error != nil { attempt.beginClose() }
        return error
    }

    private static var deactivated: CoreError {
        .invalidState("the audio session was deactivated while it was being activated")
    }

    // MARK: Losing the server

    /// Called on libpulse's thread.
    private func lose(_ connection: PulseConnection, _ error: CoreError) {
        let loss: Int? = state.withLock { state in
            guard case .active(let present) = state.phase, present === connection else { return nil }
            state.wasSilenced = connection.watch.end()
            state.lossCount += 1
            state.phase = .lost(state.lossCount)
            hub.post(.serverLost(reason: error.message))
            return state.lossCount
        }
        connection.beginClose()
        guard let loss else { return }
        Task { [weak self, clock] in
            var delay: UInt64 = 200_000_000
            // Only a cancelled task wakes early, and this one is never cancelled.
            while (try? await clock.sleep(until: clock.now() + delay)) != nil, let self, await self.retry(loss) {
                delay = min(1_000_000_000, delay + delay / 2)
            }
        }
    }

    /// Tries to reach a lost server.
    ///
    /// - Returns: Whether another attempt must follow.
    private func retry(_ loss: Int) async -> Bool {
        let attempt: PulseConnection? = state.withLock { state -> PulseConnection? in
            guard case .lost(loss) = state.phase else { return nil }
            return beginAttempt(&state, isReturn: true)
        }
        guard let attempt else { return isAway(loss) }
        settle(attempt, await attempt.open(limit: limit))
        return isAway(loss)
    }

    /// Whether a server that was lost has not come back, be it that a caller tries to reach it at this moment.
    private func isAway(_ loss: Int) -> Bool {
        state.withLock { state in
            guard state.lossCount == loss else { return false }
            return switch state.phase {
            case .lost, .opening(_, isReturn: true): true
            case .idle, .active, .opening: false
            }
        }
    }
}

extension ProcessName {
    /// This process, as libpulse names it to servers.
    static var own: ProcessName {
        var buffer = [CChar](repeating: 0, count: 256)
        let host = pa_get_host_name(&buffer, buffer.count).map { String(cString: $0) }
        return ProcessName(identifier: getpid(), host: host)
    }
}
