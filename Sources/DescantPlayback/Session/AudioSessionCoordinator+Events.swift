internal import DescantCore
internal import Foundation

/// What happens on the desktop, and what is done about it.
extension AudioSessionCoordinator {
    /// The name under which conversations stand in the log.
    static let phoneReason = "phone"

    func receive(_ event: AudioSessionEvent) async {
        guard !members.isEmpty else { return }
        switch event {
        case .streamBegan(let stream): await streamBegan(stream)
        case .streamEnded(let stream): await streamEnded(stream)
        case .interruptionBegan(let reason): await silenced(reason)
        case .interruptionEnded(let shouldResume):
            await release {
                $0.isWantedByServer = false
                if !shouldResume { $0.paused = [] }
            }
        case .routeChanged(let route, let change): routeReported(route, change)
        case .serverLost(let reason): await serverLost(reason)
        case .serverRestored: await serverRestored()
        }
    }

    /// Events were lost: what is there tells what they were.
    func resynchronise() async {
        logger.warn("session: events of the sound server were lost; looking at its state instead")
        situation = await port.situation
        let calls = phoneCalls
        if !calls.isEmpty { await interrupt(Self.phoneReason) { $0.calls = calls } }
        await release { $0.calls = calls }
        tell()
    }

    // MARK: Other programs

    private var phoneCalls: Set<UInt32> {
        policy.phoneStreamsInterrupt ? Set(situation.phoneStreams.map(\.identifier)) : []
    }

    private func streamBegan(_ stream: ForeignStream) async {
        guard !situation.foreignStreams.contains(stream) else { return }
        changeSituation { $0.foreignStreams.append(stream) }
        if phoneCalls.contains(stream.identifier) {
            await interrupt(Self.phoneReason) { $0.calls.insert(stream.identifier) }
        }
    }

    private func streamEnded(_ stream: ForeignStream) async {
        guard situation.foreignStreams.contains(where: { $0.identifier == stream.identifier }) else { return }
        changeSituation { $0.foreignStreams.removeAll { $0.identifier == stream.identifier } }
        guard interruption?.calls.contains(stream.identifier) == true else { return }
        await release {
            $0.calls.remove(stream.identifier)
            // The server silenced us for the conversation; when that is over, its word may come later, or never to a stream
            // that was released meanwhile.
            if $0.calls.isEmpty { $0.isWantedByServer = false }
        }
    }

    /// Takes over what is known of other programs, and logs it when it makes a difference.
    private func changeSituation(_ change: (inout AudioSessionSnapshot) -> Void) {
        let before = situation
        change(&situation)
        tell()
        guard
            before.isOtherAudioPlaying != situation.isOtherAudioPlaying
                || before.secondaryAudioShouldBeSilencedHint != situation.secondaryAudioShouldBeSilencedHint
        else { return }
        log(
            "session.otherAudio",
            [
                "isOtherAudioPlayingBefore": .open("\(before.isOtherAudioPlaying)"),
                "secondaryAudioShouldBeSilencedHintBefore": .open("\(before.secondaryAudioShouldBeSilencedHint)"),
            ])
    }

    // MARK: Interruptions

    private func interrupt(_ reason: String, _ note: (inout SessionInterruption) -> Void) async {
        if let present = interruption {
            interruption.modify(note)
            // Who began during a conversation, and is now silenced by the server, would play unheard.
            let isSilencedNow = !present.isWantedByServer && interruption?.isWantedByServer == true
            return isSilencedNow ? await makeWay() : ()
        }
        var began = SessionInterruption(reason: reason)
        note(&began)
        interruption = began
        logChange("session.interruptionBegan", [.reason: .open(reason)])
        await makeWay()
    }

    /// Does with everybody who plays what the policy says.
    private func makeWay() async {
        switch policy.interruption {
        case .ignore: break
        case .pauseAndResume, .pause: for member in members { await pause(member) }
        case .duck(let gain):
            for member in members { await duck(member, to: min(1, max(0, gain))) }
        }
    }

    /// Makes a member quieter, or pauses one that cannot be.
    private func duck(_ member: Member, to gain: Double) async {
        // A client that has left meanwhile has its full volume when it comes back.
        guard interruption != nil, members.contains(where: { $0.id == member.id }), let client = member.client else {
            return
        }
        // Noted first: the client can leave during the call.
        interruption?.ducked.append(member.id)
        guard await !send(gain, to: client).value else { return }
        interruption?.ducked.removeAll { $0 == member.id }
        await pause(member)
    }

    /// Restores the volume of a member that leaves. The member can be waiting for this coordinator, so the call comes later.
    func giveBackGain(of member: Member) {
        guard interruption?.ducked.contains(member.id) == true else { return }
        interruption?.ducked.removeAll { $0 == member.id }
        if let client = member.client { send(1, to: client) }
    }

    /// Sends a gain to a client, after the earlier ones.
    @discardableResult
    private func send(_ gain: Double, to client: any AudioSessionClient) -> Task<Bool, Never> {
        let (id, earlier) = (client.sessionClient, gains[client.sessionClient])
        let task = Task {
            _ = await earlier?.value
            return await client.setSessionGain(gain)
        }
        gains[id] = task
        Task {
            _ = await task.value
            if gains[id] == task { gains[id] = nil }
        }
        return task
    }

    /// The server has muted us.
    private func silenced(_ reason: String) async {
        let isKnown = interruption != nil
        await interrupt(reason) { $0.isWantedByServer = true }
        // What was started in the middle of a conversation would play on unheard.
        guard isKnown, policy.interruption != .ignore else { return }
        for member in members { await pause(member) }
    }

    private func pause(_ member: Member) async {
        guard let token = await member.client?.pauseForSession(.interruption) else { return }
        interruption?.paused.append(SessionInterruption.PausedClient(client: member.id, token: token))
    }

    private func release(_ note: (inout SessionInterruption) -> Void) async {
        interruption.modify(note)
        guard let ended = interruption, ended.isOver else { return }
        interruption = nil
        let resumes = policy.interruption == .pause ? [] : ended.paused
        logChange(
            "session.interruptionEnded",
            [.reason: .open(ended.reason), "shouldResume": .open("\(!resumes.isEmpty)")])
        // A client that leaves meanwhile is called too.
        for client in ended.ducked.compactMap(client) { _ = await send(1, to: client).value }
        for paused in resumes { await client(paused.client)?.resumeForSession(paused.token) }
    }

    private func client(_ id: AudioSessionClientID) -> (any AudioSessionClient)? {
        members.first { $0.id == id }?.client
    }

    // MARK: Routes

    private func routeReported(_ route: AudioRoute, _ change: AudioRoute.Change) {
        situation.route = route
        reportedChanges.append(change)
        routeTask?.cancel()
        let clock = clock
        let deadline = clock.now() + UInt64(max(0, policy.routeDebounce) * 1e9)
        routeTask = Task { [weak self] in
            do {
                try await clock.sleep(until: deadline)
            } catch {
                return  // Another report came, or the session has ended.
            }
            await self?.routeSettled()
        }
    }

    private func routeSettled() async {
        guard !Task.isCancelled, !members.isEmpty, lossReason == nil else { return }
        let (before, changes) = (settledRoute, reportedChanges)
        reportedChanges = []
        settledRoute = situation.route
        let lost = before.outputs.filter { device in
            !settledRoute.outputs.contains { $0.identifier == device.identifier }
        }
        let isGone = changes.contains(.oldDeviceUnavailable) && (before.outputs.isEmpty || !lost.isEmpty)
        // A device that went and came back within the time was a phantom.
        guard isGone || before != settledRoute, let last = changes.last else { return }
        let reason = isGone ? .oldDeviceUnavailable : last
        logChange(
            "session.routeChange",
            [
                .reason: .open(reason.rawValue), "routeOutputsBefore": .open(Self.names(before.outputs)),
                "routeInputsBefore": .open(Self.names(before.inputs)),
            ])
        guard isGone, policy.lostDevice == .pause else { return }
        // What was paused for a conversation must not go on through a loudspeaker either.
        interruption?.paused = []
        for member in members { _ = await member.client?.pauseForSession(.oldDeviceUnavailable) }
    }

    // MARK: The server

    private func serverLost(_ reason: String) async {
        guard lossReason == nil else { return }
        lossReason = reason
        situation.isServerAvailable = false
        routeTask?.cancel()
        reportedChanges = []
        logChange("session.serverLost", [.reason: .open(reason)])
        for member in members { await member.client?.sessionServerLost(reason) }
    }

    private func serverRestored() async {
        guard lossReason != nil else { return }
        lossReason = nil
        situation = await port.situation
        settledRoute = situation.route
        logChange("session.serverRestored", [:])
        for member in members { await member.client?.sessionServerRestored() }
        // Conversations have new numbers, or are gone with the server.
        let calls = phoneCalls
        if !calls.isEmpty { await interrupt(Self.phoneReason) { $0.calls = calls } }
        await release {
            $0.calls = calls
            if calls.isEmpty { $0.isWantedByServer = false }
        }
    }
}

extension Optional {
    /// Changes a value that is there.
    fileprivate mutating func modify(_ change: (inout Wrapped) -> Void) {
        guard var value = self else { return }
        change(&value)
        self = value
    }
}

/// A sound that has precedence, and the clients that it has paused.
struct SessionInterruption {
    /// A client that was playing when it began.
    struct PausedClient {
        let client: AudioSessionClientID
        let token: InterruptionToken
    }

    /// What it is, for the log.
    let reason: String
    /// The conversations that go on.
    var calls: Set<UInt32> = []
    /// Whether the server wants our streams to be silent.
    var isWantedByServer = false
    /// Who goes on afterwards.
    var paused: [PausedClient] = []
    /// Who has become quieter.
    var ducked: [AudioSessionClientID] = []

    /// Whether nothing has precedence any more.
    var isOver: Bool { calls.isEmpty && !isWantedByServer }
}
