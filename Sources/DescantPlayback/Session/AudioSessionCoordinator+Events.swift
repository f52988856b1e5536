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
            if !shouldResume { keepPaused() }
            await release { $0.serverReleases() }
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
        case .pauseAndResume, .pause: await pauseMembers()
        case .duck(let gain):
            let lasting = lastingPauses
            await callMembers { await self.duck($0, to: min(1, max(0, gain)), lasting) }
        }
    }

    /// Makes a member quieter, or pauses one that cannot be.
    private func duck(_ member: Member, to gain: Double, _ lasting: UInt64) async {
        // A client that has left meanwhile has its full volume when it comes back.
        guard interruption != nil, let client = session.client(member.id) else { return }
        // Noted first: the client can leave during the call.
        interruption?.duck(member.id)
        guard await !client.setSessionGain(gain) else { return }
        _ = interruption?.removeDucked(member.id)
        await pause(member, lasting)
    }

    /// Restores the volume of a member that leaves. The member can be waiting for this coordinator, so the call comes later.
    func giveBackGain(of member: Member) {
        guard interruption?.removeDucked(member.id) == true, let client = member.client else { return }
        giveBackGain(of: client)
    }

    @discardableResult
    private func giveBackGain(of client: any AudioSessionClient) -> Task<Void, Never> {
        call(client.sessionClient) { _ = await client.setSessionGain(1) }
    }

    /// The server has muted the streams of this process.
    private func silenced(_ reason: String) async {
        let isKnown = interruption != nil
        await interrupt(reason) { $0.serverSilences() }
        // A client that began during a conversation would play on unheard.
        guard isKnown, policy.interruption != .ignore else { return }
        await pauseMembers()
    }

    private func pauseMembers() async {
        let lasting = lastingPauses
        await callMembers { await self.pause($0, lasting) }
    }

    /// Pauses a member.
    ///
    /// - Parameter lasting: ``lastingPauses`` when the pause was decided.
    private func pause(_ member: Member, _ lasting: UInt64) async {
        guard let token = await member.client?.pauseForSession(.interruption) else { return }
        // A device that went meanwhile lets nobody resume.
        guard lasting == lastingPauses else { return }
        if interruption == nil, policy.interruption != .pause {
            // It took so long that the interruption is over.
            await member.client?.resumeForSession(token)
        } else {
            interruption?.pause(member.id, token)
        }
    }

    /// Lets nobody resume who is paused, or is about to be.
    private func keepPaused() {
        interruption?.resumeNobody()
        lastingPauses &+= 1
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
        let louder = ended.ducked.compactMap(session.client).map { giveBackGain(of: $0) }
        let resumed = resumes.map { paused in
            call(paused.client) { await self.session.client(paused.client)?.resumeForSession(paused.token) }
        }
        await wait(for: louder + resumed)
    }

    // MARK: Calls

    /// How long the next event waits for calls to clients, in seconds. A client that hangs gets its later calls when it can.
    private static let patience = 2.0

    /// Calls all members at the same time, each behind the earlier calls to it, and waits for them for a while.
    private func callMembers(_ body: @escaping @Sendable (Member) async -> Void) async {
        await wait(for: session.members.map { member in call(member.id) { await body(member) } })
    }

    /// Calls a client behind the earlier calls to it.
    private func call(
        _ client: AudioSessionClientID, _ body: @escaping @Sendable () async -> Void
    ) -> Task<Void, Never> {
        let task = calls.add(to: client, body)
        Task {
            await task.value
            calls.ended(task, at: client)
        }
        return task
    }

    private func wait(for tasks: [Task<Void, Never>]) async {
        _ = try? await withTimeout(Self.patience) { for task in tasks { await task.value } }
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
        keepPaused()
        await callMembers { _ = await $0.client?.pauseForSession(.oldDeviceUnavailable) }
    }

    // MARK: The server

    private func serverLost(_ reason: String) async {
        guard desktop.loseServer() else { return }
        tasks.route?.cancel()
        logChange("session.serverLost", [.reason: .open(reason)])
        await callMembers { await $0.client?.sessionServerLost(reason) }
    }

    private func serverRestored() async {
        guard desktop.restoreServer() else { return }
        let situation = await port.situation
        desktop.update(situation)
        desktop.begin()
        logChange("session.serverRestored", [:])
        // Conversations have new numbers, or are gone with the server. What waits for the server is paused for them first.
        let calls = phoneCalls
        if !calls.isEmpty { await interrupt(Self.phoneReason) { $0.update(calls: calls) } }
        await callMembers { await $0.client?.sessionServerRestored() }
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
