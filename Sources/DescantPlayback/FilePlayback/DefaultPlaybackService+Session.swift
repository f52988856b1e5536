internal import DescantCore
internal import Synchronization

/// The service's part in the audio session. The service tells it its states, and does not wait: the session hears of them in order.
final class PlaybackSessionMember: AudioSessionClient {
    /// What a state means for the session.
    enum Activity { case silent, paused, sounding }

    private struct State {
        weak var service: DefaultPlaybackService?
        var activity = Activity.silent
        /// The last call of the session.
        var last: Task<Void, Never>?
    }

    let sessionClient = AudioSessionClientID()
    let sessionName = "playback"
    private let session: AudioSessionCoordinator
    private let logger: any LoggerPort
    private let state = Mutex(State())

    init(session: AudioSessionCoordinator, logger: any LoggerPort) {
        self.session = session
        self.logger = logger
    }

    /// Connects the service; called once, when it is created.
    func connect(_ service: DefaultPlaybackService) { state.withLock { $0.service = service } }

    // MARK: States of the service

    /// Tells the session a state of the service.
    func follow(_ state: PlaybackState) {
        switch state {
        case .playing, .buffering: follow(.sounding, reason: "play")
        case .paused: follow(.paused, reason: "pause")
        case .stopped: follow(.silent, reason: "stop")
        case .error: follow(.silent, reason: "failed")
        }
    }

    func follow(_ activity: Activity, reason: String) {
        state.withLock { state in
            guard state.activity != activity else { return }
            state.activity = activity
            let earlier = state.last
            state.last = Task {
                await earlier?.value
                switch activity {
                case .sounding: await activate(reason)
                case .paused: await session.paused(sessionClient)
                case .silent: await session.deactivate(for: sessionClient, reason: reason)
                }
            }
        }
    }

    private func activate(_ reason: String) async {
        do {
            try await session.activate(for: self, reason: reason)
        } catch {
            let error = CoreError(describing: error)
            await onQueue { $0.sessionRefused(error) }
        }
    }

    // MARK: Calls of the session

    func pauseForSession(_ cause: AudioSessionCause) async -> InterruptionToken? {
        await onQueue { [self] service in
            service.pauseForSession {
                // Only a person's pause may end the session.
                state.withLock { $0.activity = .paused }
                logger.record(
                    LogRecord(
                        "engine.pause",
                        fields: [.engine: .open(sessionName), .action: "pause", .reason: .open(cause.description)]))
            }
        } ?? nil
    }

    func resumeForSession(_ token: InterruptionToken) async {
        await onQueue { [self] service in
            service.resumeForSession(token) {
                logger.record(
                    LogRecord(
                        "engine.play",
                        fields: [.engine: .open(sessionName), .action: "play", .reason: "interruptionEnded"]))
            }
        }
    }

    func setSessionGain(_ gain: Double) async -> Bool {
        await onQueue { $0.setSessionGain(Float(gain)) }
        return true
    }

    /// Nothing: the service waits for its output by itself.
    func sessionServerLost(_ reason: String) async {}

    func sessionServerRestored() async {}

    /// Calls the service on a thread of its own, because its output may block.
    @discardableResult
    private func onQueue<Result: Sendable>(
        _ body: @escaping @Sendable (DefaultPlaybackService) -> Result
    ) async -> Result? {
        guard let service = state.withLock({ $0.service }) else { return nil }
        let answer = Promise<Result>()
        DedicatedQueue.run("descant.playback.session") { answer.resolve(body(service)) }
        return await answer.value
    }
}

extension DefaultPlaybackService {
    /// Pauses what sounds, as a person's pause does, and what is to sound when the output has started.
    ///
    /// - Parameter note: Called before the state changes, when something sounds or is about to.
    /// - Returns: `nil` when nothing does.
    func pauseForSession(_ note: () -> Void) -> InterruptionToken? {
        control.withLock { control in
            // While a file is being opened, the state is that of the last one.
            guard control.isSounding || control.isStarting, control.track != nil else { return nil }
            control.pendingStart = nil
            note()
            hold(&control)
            set(.paused, &control)
            return InterruptionToken(commands: control.userCommandCount)
        }
    }

    /// Goes on, unless there was a command of a person since the pause. Waits for a seek that is under way.
    ///
    /// - Parameter note: Called before the state changes, when it goes on.
    func resumeForSession(_ token: InterruptionToken, _ note: () -> Void) {
        commands.withLock { _ in
            do throws(CoreError) {
                try start { control in
                    guard control.userCommandCount == token.commands, control.state == .paused else { return false }
                    note()
                    return true
                }
            } catch {
                control.withLock { control in
                    if control.userCommandCount == token.commands { resumeFailed(&control, error) }
                }
            }
        }
    }

    /// A device that is away is waited for; whatever else fails leaves the service paused.
    private func resumeFailed(_ control: inout PlaybackControl, _ error: CoreError) {
        guard case .ioError = error, output.port.pacing == .output else { return logger.error("\(error)") }
        waitForOutput(&control, error)
    }

    func setSessionGain(_ gain: Float) {
        control.withLock { control in
            control.sessionGain = gain
            applyVolume(&control)
        }
    }

    /// Ends playing: the session did not let the service play.
    func sessionRefused(_ error: CoreError) {
        control.withLock { control in
            guard control.isSounding else { return }
            logger.error("\(error)")
            silence(&control)
            set(.error(error), &control)
        }
    }
}
