public import DescantCore
internal import Foundation

/// The single entry to the desktop's audio session: everything in a process that makes sound shares one.
///
/// It activates the session when somebody is about to play and deactivates it when the last one has stopped, and it
/// decides what interruptions, routes and a vanishing server mean, by its ``AudioSessionPolicy``. Every change is logged with
/// the state before and after; ``updates`` tells it to programs.
public actor AudioSessionCoordinator {
    typealias Member = ActiveSession.Member

    nonisolated let ports: SessionPorts
    /// What the coordinator does about what happens on the desktop.
    public nonisolated let policy: AudioSessionPolicy

    var session = ActiveSession()
    var desktop = DesktopSound()
    /// What has precedence at the moment.
    var interruption: SessionInterruption?
    /// Counts what lets nobody resume who was paused before: lost devices, and servers that say so.
    var lastingPauses: UInt64 = 0
    /// Why the server has silenced streams of ours that are older than the session, until the first client has joined.
    var earlyInterruption: String?
    var calls = ClientCalls()
    var tasks = SessionTasks()

    nonisolated let statusHub = EventHub(
        initial: AudioSessionStatus(
            state: .inactive, configuration: nil, situation: AudioSessionSnapshot(), clients: []))
    private let commandQueue = AsyncSerialQueue()

    /// Creates a coordinator; the desktop is not touched before somebody plays.
    ///
    /// - Parameters:
    ///   - port: The desktop's session.
    ///   - others: The other players of the desktop, for ``AudioSessionPolicy/pausesOtherPlayers``.
    ///   - policy: What to do about what happens.
    ///   - clock: The time by which routes settle.
    ///   - logger: Where every change is logged.
    public init(
        port: any AudioSessionPort, others: (any OtherPlayersPort)? = nil,
        policy: AudioSessionPolicy = AudioSessionPolicy(), clock: any ClockPort = MonotonicClock(),
        logger: any LoggerPort = NoopLogger()
    ) {
        ports = SessionPorts(session: port, others: others, clock: clock, logger: logger)
        self.policy = policy
    }

    deinit {
        tasks.cancel()
        statusHub.finish()
    }

    nonisolated var port: any AudioSessionPort { ports.session }
    nonisolated var clock: any ClockPort { ports.clock }
    nonisolated var logger: any LoggerPort { ports.logger }

    /// What the session is doing.
    public var state: AudioSessionState {
        if session.isEmpty { return .inactive }
        if desktop.isServerLost { return .serverLost }
        return interruption == nil ? .active : .interrupted
    }

    /// The session from now on; begins with the present moment. A slow reader gets the newest only, unless it asks for a
    /// buffer.
    public nonisolated var updates: EventStream<AudioSessionStatus> { statusHub.stream(buffer: .newest) }

    // MARK: Activation

    /// Lets a client play. The session is activated for the first one; for later ones it has the options of the first.
    ///
    /// A session without ``AudioSessionOptions/mixWithOthers`` asks the other players of the desktop to pause; that goes on while
    /// the client begins to play. Options that the desktop's session does not support are left out, with a warning in the log.
    ///
    /// - Parameters:
    ///   - client: Who is about to play; kept weakly.
    ///   - wanted: How the session is to present itself.
    ///   - reason: Why, for the log.
    ///   - attempt: Ties together the attempts of one start, for the log.
    /// - Throws: ``CoreError/ioError(underlying:)`` when there is no sound server or it does not answer,
    ///   ``CoreError/invalidState(_:)`` when the policy lets nobody start during an interruption or the host has not activated
    ///   an external session. The client does not play then.
    public func activate(
        for client: any AudioSessionClient, as wanted: AudioSessionConfiguration = AudioSessionConfiguration(),
        reason: String = "play", attempt: String? = nil
    ) async throws {
        let name = await client.sessionName
        let wanted = supported(wanted)
        try await commandQueue.run {
            session.removeReleased()
            let member = Member(id: client.sessionClient, name: name, client: client)
            if session.isEmpty {
                try await begin(with: member, as: wanted, reason: reason, attempt: attempt)
            } else {
                try await join(member, as: wanted, reason: reason, attempt: attempt)
            }
        }
    }

    /// The configuration without options that the port does not carry out.
    private func supported(_ wanted: AudioSessionConfiguration) -> AudioSessionConfiguration {
        let missing = wanted.options.subtracting(port.supportedOptions)
        guard wanted.mode == .managed, !missing.isEmpty else { return wanted }
        log("session.optionsUnsupported", level: .warning, ["unsupportedOptions": .open(missing.description)])
        var possible = wanted
        possible.options.formIntersection(port.supportedOptions)
        return possible
    }

    private func begin(
        with member: Member, as wanted: AudioSessionConfiguration, reason: String, attempt: String?
    ) async throws {
        listen()
        earlyInterruption = nil
        session.configuration = wanted
        do {
            try await acquire(wanted)
        } catch {
            logActivation(member, reason: reason, attempt: attempt, error: error)
            session.configuration = nil
            throw error
        }
        _ = session.add(member)
        desktop.begin()
        let calls = phoneCalls
        if !calls.isEmpty { interruption = SessionInterruption(reason: Self.phoneReason, calls: calls) }
        logActivation(member, reason: reason, attempt: attempt, error: nil)
        tell()
        // Behind this call, for which the client waits.
        if earlyInterruption != nil { tasks.earlyInterruption = Task { await carryOutEarlyInterruption() } }
        pauseOtherPlayers()
    }

    private func acquire(_ wanted: AudioSessionConfiguration) async throws {
        switch wanted.mode {
        case .managed: try await port.activate(wanted)
        case .external:
            guard await port.situation.isServerAvailable else {
                throw CoreError.invalidState(
                    "the host owns the audio session and has not activated it; activate it before playing")
            }
        }
        let situation = await port.situation
        desktop.update(situation)
        guard policy.startsDuringInterruption || phoneCalls.isEmpty else {
            if wanted.mode == .managed { await port.deactivate() }
            throw refusal
        }
    }

    /// Why nobody may start now.
    private var refusal: CoreError {
        let caller = desktop.situation.phoneStreams.first?.application ?? ""
        return .invalidState("a conversation is going on (\(caller)); play when it is over")
    }

    /// Whether a conversation keeps a client from starting. One that plays beside it changes how it plays, and does not start.
    private func isRefused(_ client: AudioSessionClientID) -> Bool {
        guard !policy.startsDuringInterruption, !phoneCalls.isEmpty else { return false }
        return switch policy.interruption {
        case .pauseAndResume, .pause: true
        case .duck, .ignore: session.client(client) == nil
        }
    }

    private func join(
        _ member: Member, as wanted: AudioSessionConfiguration, reason: String, attempt: String?
    ) async throws {
        guard !isRefused(member.id) else {
            logActivation(member, reason: reason, attempt: attempt, error: refusal)
            throw refusal
        }
        if wanted != session.configuration, session.hasOnly(member.id), wanted.mode == .managed {
            let previous = session.configuration
            session.configuration = wanted
            do {
                try await port.activate(wanted)
                logActivation(member, reason: reason, attempt: attempt, error: nil)
                if wanted.options.contains(.mixWithOthers) { await resumeOtherPlayers() } else { pauseOtherPlayers() }
            } catch {
                logActivation(member, reason: reason, attempt: attempt, error: error)
                session.configuration = previous
                throw error
            }
        } else if wanted != session.configuration {
            logIgnoredOptions(of: member, wanted)
        }
        if let previous = session.add(member), previous != member.name {
            logHandover(from: previous, to: member, reason: reason, attempt: attempt)
        }
        tell()
    }

    /// Ends a client's part of the session; the last one deactivates it. Harmless for a client that has none.
    ///
    /// - Parameters:
    ///   - client: Who has stopped.
    ///   - reason: Why, for the log.
    public func deactivate(for client: AudioSessionClientID, reason: String = "stop") async {
        await commandQueue.run {
            session.removeReleased()
            guard let member = session.remove(client) else { return await endIfEmpty(nil, reason) }
            interruption?.removePaused(client)
            giveBackGain(of: member)
            await endIfEmpty(member, reason)
        }
    }

    /// Tells that a person has paused a client.
    ///
    /// - Parameter client: Who has paused.
    public func paused(_ client: AudioSessionClientID) async {
        if policy.deactivatesOnPause { await deactivate(for: client, reason: "pause") }
    }

    private func endIfEmpty(_ member: Member?, _ reason: String) async {
        guard session.isEmpty, let ended = session.configuration else { return tell() }
        tasks.route?.cancel()
        tasks.route = nil
        desktop.end()
        interruption = nil
        if ended.mode == .managed { await port.deactivate() }
        logDeactivation(member, reason: reason)
        session.configuration = nil
        tell()
        await resumeOtherPlayers()
    }

    // MARK: Other players

    /// Asks other players to pause, without waiting for them: one that hangs must not delay the client's start.
    private func pauseOtherPlayers() {
        guard let others = ports.others, policy.pausesOtherPlayers, tasks.others == nil,
            session.configuration?.options.contains(.mixWithOthers) == false
        else { return }
        tasks.others = Task { [weak self] in
            let players = await others.pauseOthers()
            if !players.isEmpty { await self?.logOthersPaused(players) }
            return players
        }
    }

    private func logOthersPaused(_ players: [String]) {
        log("session.othersPaused", ["players": .open(players.joined(separator: ","))])
    }

    /// Lets the other players that were paused go on. Returns when they were asked: the program may end after that.
    private func resumeOtherPlayers() async {
        guard let others = ports.others, let pausing = tasks.others else { return }
        tasks.others = nil
        let players = await pausing.value
        guard !players.isEmpty else { return }
        await others.resume(players)
        logger.record(
            LogRecord("session.othersResumed", fields: ["players": .open(players.joined(separator: ","))]))
    }

    // MARK: Events

    /// Begins to read the port's events; the subscription exists before the session is activated.
    private func listen() {
        guard tasks.listener == nil else { return }
        let events = port.sessionEvents.buffered(.bounded(1024)).numbered
        tasks.listener = Task { [weak self] in
            var last: UInt64?
            for await event in events {
                guard let self else { return }
                if let last, event.number > last + 1 { await self.resynchronise() }
                last = event.number
                await self.receive(event.event)
            }
        }
    }

    /// Publishes the present state of the session.
    func tell() {
        statusHub.post(
            AudioSessionStatus(
                state: state, configuration: session.configuration, situation: desktop.situation,
                clients: session.names))
    }
}

/// The ports that a coordinator uses.
struct SessionPorts: Sendable {
    let session: any AudioSessionPort
    /// The other players of the desktop; `nil` when they are left alone.
    let others: (any OtherPlayersPort)?
    let clock: any ClockPort
    let logger: any LoggerPort
}

/// The tasks that follow the desktop's sound.
struct SessionTasks {
    /// Reads the events of the sound server.
    var listener: Task<Void, Never>?
    /// Carries out an interruption that began before the first client had joined; events wait for it.
    var earlyInterruption: Task<Void, Never>?
    /// Waits until a reported route has settled.
    var route: Task<Void, Never>?
    /// Asks other players to pause; the result are the names of those that did. `nil` while nobody is asked to.
    var others: Task<[String], Never>?

    func cancel() {
        listener?.cancel()
        route?.cancel()
    }
}
