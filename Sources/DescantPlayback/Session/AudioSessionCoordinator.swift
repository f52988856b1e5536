public import DescantCore
internal import Foundation

/// The single entry to the desktop's audio session: everything in a process that makes sound shares one.
///
/// It activates the session when somebody is about to play and deactivates it when the last one has stopped, and it
/// decides what interruptions, routes and a vanishing server mean, by its ``AudioSessionPolicy``. Every change is logged with
/// the state before and after; ``updates`` tells it to programs.
public actor AudioSessionCoordinator {
    /// Someone who plays or has paused. Weak: a client that is dropped ends its part of the session.
    struct Member {
        let id: AudioSessionClientID
        let name: String
        weak var client: (any AudioSessionClient)?
    }

    let port: any AudioSessionPort
    let others: (any OtherPlayersPort)?
    let clock: any ClockPort
    let logger: any LoggerPort
    /// What the coordinator does about what happens on the desktop.
    public nonisolated let policy: AudioSessionPolicy

    /// Who plays or has paused, in the order of arrival.
    var members: [Member] = []
    /// How the active session presents itself.
    var configuration: AudioSessionConfiguration?
    /// What is known of the desktop's sound, kept up by events.
    var situation = AudioSessionSnapshot()
    /// What has precedence at the moment.
    var interruption: SessionInterruption?
    /// The last gain on its way to each client: the next one comes behind it.
    var gains: [AudioSessionClientID: Task<Bool, Never>] = [:]
    /// The route that counts, until another one has stayed for a while.
    var settledRoute = AudioRoute()
    /// What was reported while a route settles.
    var reportedChanges: [AudioRoute.Change] = []
    var routeTask: Task<Void, Never>?
    /// Why the server is away.
    var lossReason: String?
    /// Other players that were asked to pause.
    var pausedPlayers: [String] = []
    /// The state that was published last.
    var toldState = AudioSessionState.inactive

    nonisolated let statusHub = EventHub(
        initial: AudioSessionStatus(
            state: .inactive, configuration: nil, situation: AudioSessionSnapshot(), clients: []))
    private let commandQueue = AsyncSerialQueue()
    private var listener: Task<Void, Never>?

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
        self.port = port
        self.others = others
        self.policy = policy
        self.clock = clock
        self.logger = logger
    }

    deinit {
        listener?.cancel()
        routeTask?.cancel()
        statusHub.finish()
    }

    /// What the session is doing.
    public var state: AudioSessionState {
        if members.isEmpty { return .inactive }
        if lossReason != nil { return .serverLost }
        return interruption == nil ? .active : .interrupted
    }

    /// The session from now on; begins with the present moment. A slow reader gets the newest only, unless it asks for a
    /// buffer.
    public nonisolated var updates: EventStream<AudioSessionStatus> { statusHub.stream(buffer: .newest) }

    // MARK: Activation

    /// Lets a client play. The session is activated for the first one; for later ones it has the options of the first.
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
        try await commandQueue.run {
            prune()
            let member = Member(id: client.sessionClient, name: name, client: client)
            if members.isEmpty {
                try await begin(with: member, as: wanted, reason: reason, attempt: attempt)
            } else {
                try await join(member, as: wanted, reason: reason, attempt: attempt)
            }
        }
    }

    private func begin(
        with member: Member, as wanted: AudioSessionConfiguration, reason: String, attempt: String?
    ) async throws {
        listen()
        configuration = wanted
        do {
            try await acquire(wanted)
        } catch {
            logActivation(member, reason: reason, attempt: attempt, error: error)
            configuration = nil
            throw error
        }
        members = [member]
        settledRoute = situation.route
        if !situation.phoneStreams.isEmpty, policy.phoneStreamsInterrupt {
            interruption = SessionInterruption(
                reason: Self.phoneReason, calls: Set(situation.phoneStreams.map(\.identifier)))
        }
        logActivation(member, reason: reason, attempt: attempt, error: nil)
        tell()
        await pauseOtherPlayers()
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
        situation = await port.situation
        guard policy.startsDuringInterruption || !policy.phoneStreamsInterrupt || situation.phoneStreams.isEmpty else {
            if wanted.mode == .managed { await port.deactivate() }
            let caller = situation.phoneStreams.first?.application ?? ""
            throw CoreError.invalidState("a conversation is going on (\(caller)); play when it is over")
        }
    }

    private func join(
        _ member: Member, as wanted: AudioSessionConfiguration, reason: String, attempt: String?
    ) async throws {
        let isAlone = members.allSatisfy { $0.id == member.id }
        if wanted != configuration, isAlone, wanted.mode == .managed {
            let previous = configuration
            configuration = wanted
            do {
                try await port.activate(wanted)
                logActivation(member, reason: reason, attempt: attempt, error: nil)
            } catch {
                logActivation(member, reason: reason, attempt: attempt, error: error)
                configuration = previous
                throw error
            }
        } else if wanted != configuration {
            logIgnoredOptions(of: member, wanted)
        }
        if let index = members.firstIndex(where: { $0.id == member.id }) {
            let previous = members[index].name
            members[index] = member
            if previous != member.name { logHandover(from: previous, to: member, reason: reason, attempt: attempt) }
        } else {
            members.append(member)
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
            prune()
            guard let index = members.firstIndex(where: { $0.id == client }) else {
                return await endIfEmpty(nil, reason)
            }
            let member = members.remove(at: index)
            interruption?.paused.removeAll { $0.client == client }
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

    /// Forgets clients that do not exist any more.
    private func prune() { members.removeAll { $0.client == nil } }

    private func endIfEmpty(_ member: Member?, _ reason: String) async {
        guard members.isEmpty, let ended = configuration else { return tell() }
        routeTask?.cancel()
        routeTask = nil
        reportedChanges = []
        interruption = nil
        lossReason = nil
        if ended.mode == .managed { await port.deactivate() }
        logDeactivation(member, reason: reason)
        configuration = nil
        tell()
        await resumeOtherPlayers()
    }

    // MARK: Other players

    private func pauseOtherPlayers() async {
        guard let others, policy.pausesOtherPlayers, let configuration else { return }
        guard !configuration.options.contains(.mixWithOthers) else { return }
        pausedPlayers = await others.pauseOthers()
        if !pausedPlayers.isEmpty {
            log("session.othersPaused", ["players": .open(pausedPlayers.joined(separator: ","))])
        }
    }

    private func resumeOtherPlayers() async {
        guard let others, !pausedPlayers.isEmpty else { return }
        let players = pausedPlayers
        pausedPlayers = []
        await others.resume(players)
        logger.record(
            LogRecord("session.othersResumed", fields: ["players": .open(players.joined(separator: ","))]))
    }

    // MARK: Events

    /// Begins to read the port's events; the subscription exists before the session is activated.
    private func listen() {
        guard listener == nil else { return }
        let events = port.sessionEvents.buffered(.bounded(1024)).numbered
        listener = Task { [weak self] in
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
        toldState = state
        statusHub.post(
            AudioSessionStatus(
                state: state, configuration: configuration, situation: situation, clients: members.map(\.name)))
    }
}
