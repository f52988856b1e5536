internal import DescantCore
internal import Foundation

/// What happens on the desktop, and what is done about it.
extension AudioSessionCoordinator {
    /// The reason that the log gives for an interruption by a conversation.
    static let phoneReason = "phone"

    func receive(_ event: AudioSessionEvent) async {
        if case .interruptionEnded = event { earlyInterruption = nil }
        // The clients that an earlier interruption pauses are known before its end is dealt with.
        await tasks.earlyInterruption?.value
        guard !session.isEmpty else {
            // The stream of a client that does not wait for the session can be there before the client has joined.
            if case .interruptionBegan(let reason) = event { earlyInterruption = reason }
            return
        }
        switch event {
        case .streamBegan(let stream): await streamBegan(stream)
        case .streamEnded(let stream): await streamEnded(stream)
        case .interruptionBegan(let reason): await silenced(reason)
        case .interruptionEnded(let shouldResume):
            await release { $0.serverReleases(resumes: shouldResume) }
        case .routeChanged(let route, let change): routeReported(route, change)
        case .serverLost(let reason): await serverLost(reason)
        case .serverRestored: await serverRestored()
        }
    }

    /// Carries out an interruption that began before the first client had joined.
    func carryOutEarlyInterruption() async {
        guard let reason = earlyInterruption, !session.isEmpty else { return }
        earlyInterruption = nil
        await silenced(reason)
    }

    /// Takes over the present state of the sound server after events were lost.
    func resynchronise() async {
        logger.warn("session: events of the sound server were lost; looking at its state instead")
        let situation = await port.situation
        desktop.update(situation)
        let calls = phoneCalls
        if !calls.isEmpty { await interrupt(Self.phoneReason) { $0.update(calls: calls) } }
        await release { $0.update(calls: calls) }
        tell()
    }

    // MARK: Other programs

    /// The streams of conversations that interrupt.
    var phoneCalls: Set<UInt32> { policy.phoneStreamsInterrupt ? desktop.calls : [] }

    private func streamBegan(_ stream: ForeignStream) async {
        let before = desktop.situation
        guard desktop.add(stream) else { return }
        tellOtherAudio(before)
        if phoneCalls.contains(stream.identifier) {
            await interrupt(Self.phoneReason) { $0.add(call: stream.identifier) }
        }
    }

    private func streamEnded(_ stream: ForeignStream) async {
        let before = desktop.situation
        guard desktop.remove(stream) else { return }
        tellOtherAudio(before)
        guard interruption?.calls.contains(stream.identifier) == true else { return }
        await release { $0.end(call: stream.identifier) }
    }

    /// Publishes what other programs play, and logs a change of what that means for the session.
    private func tellOtherAudio(_ before: AudioSessionSnapshot) {
        tell()
        guard
            before.isOtherAudioPlaying != desktop.situation.isOtherAudioPlaying
                || before.secondaryAudioShouldBeSilencedHint != desktop.situation.secondaryAudioShouldBeSilencedHint
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
            // A client that began during a conversation, and that the server silences now, would play unheard.
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
        case .pauseAndResume, .pause: for member in session.members { await pause(member) }
        case .duck(let gain):
            for member in session.members { await duck(member, to: min(1, max(0, gain))) }
        }
    }

    /// Makes a member quieter, or pauses one that cannot be.
    private func duck(_ member: Member, to gain: Double) async {
        // A client that has left meanwhile has its full volume when it comes back.
        guard interruption != nil, let client = session.client(member.id) else { return }
        // Noted first: the client can leave during the call.
        interruption?.duck(member.id)
        guard await !send(gain, to: client).value else { return }
        _ = interruption?.removeDucked(member.id)
        await pause(member)
    }

    /// Restores the volume of a member that leaves. The member can be waiting for this coordinator, so the call comes later.
    func giveBackGain(of member: Member) {
        guard interruption?.removeDucked(member.id) == true, let client = member.client else { return }
        send(1, to: client)
    }

    /// Sends a gain to a client, after the earlier ones.
    @discardableResult
    private func send(_ gain: Double, to client: any AudioSessionClient) -> Task<Bool, Never> {
        let task = gains.send(gain, to: client)
        Task {
            _ = await task.value
            gains.arrived(task, at: client.sessionClient)
        }
        return task
    }

    /// The server has muted the streams of this process.
    private func silenced(_ reason: String) async {
        let isKnown = interruption != nil
        await interrupt(reason) { $0.serverSilences() }
        // A client that began during a conversation would play on unheard.
        guard isKnown, policy.interruption != .ignore else { return }
        for member in session.members { await pause(member) }
    }

    private func pause(_ member: Member) async {
        let devices = lostDevices
        guard let token = await member.client?.pauseForSession(.interruption) else { return }
        // A device that went meanwhile lets nobody resume.
        guard devices == lostDevices else { return }
        interruption?.pause(member.id, token)
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
        for client in ended.ducked.compactMap(session.client) { _ = await send(1, to: client).value }
        for paused in resumes { await session.client(paused.client)?.resumeForSession(paused.token) }
    }

    // MARK: Routes

    private func routeReported(_ route: AudioRoute, _ change: AudioRoute.Change) {
        desktop.report(route, change)
        tasks.route?.cancel()
        let clock = clock
        let deadline = clock.now() + UInt64(min(max(0, policy.routeDebounce), 60) * 1e9)
        tasks.route = Task { [weak self] in
            do {
                try await clock.sleep(until: deadline)
            } catch {
                return  // Another report came, or the session has ended.
            }
            await self?.routeSettled()
        }
    }

    private func routeSettled() async {
        guard !Task.isCancelled, !session.isEmpty, !desktop.isServerLost else { return }
        guard let change = desktop.settleRoute() else { return }
        logChange(
            "session.routeChange",
            [
                .reason: .open(change.reason.rawValue),
                "routeOutputsBefore": .open(Self.names(change.previous.outputs)),
                "routeInputsBefore": .open(Self.names(change.previous.inputs)),
            ])
        guard change.isDeviceGone, policy.lostDevice == .pause else { return }
        // A client that was paused for a conversation must not resume through a loudspeaker either.
        interruption?.resumeNobody()
        lostDevices &+= 1
        for member in session.members { _ = await member.client?.pauseForSession(.oldDeviceUnavailable) }
    }

    // MARK: The server

    private func serverLost(_ reason: String) async {
        guard desktop.loseServer() else { return }
        tasks.route?.cancel()
        logChange("session.serverLost", [.reason: .open(reason)])
        for member in session.members { await member.client?.sessionServerLost(reason) }
    }

    private func serverRestored() async {
        guard desktop.restoreServer() else { return }
        let situation = await port.situation
        desktop.update(situation)
        desktop.begin()
        logChange("session.serverRestored", [:])
        for member in session.members { await member.client?.sessionServerRestored() }
        // Conversations have new numbers, or are gone with the server.
        let calls = phoneCalls
        if !calls.isEmpty { await interrupt(Self.phoneReason) { $0.update(calls: calls) } }
        await release { $0.restart(calls: calls) }
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
