public import DescantCore
internal import Foundation

/// Engines of the host that count as parts of the player.
extension AudioPlayerService {
    /// Counts an engine as a part of this player, such as a ``SpeechEngine`` on the player's mixer: ``pauseAll()``, ``resumeAll()``,
    /// ``stopAll(fadeDuration:)``, ``reset()``, remote controls and the audio session act on it as on an overlay. The session is active while
    /// it plays, and pauses it for calls.
    ///
    /// The host goes on to load, play and shut down the engine. One that the session refuses is paused as soon as it begins, and the
    /// error is an event. The engine is kept weakly, and counts until ``exclude(_:)`` or its shutdown. A call waits for an engine that
    /// does not answer for a second at most.
    ///
    /// - Parameter engine: An engine that plays something of its own. Harmless when it is included already.
    public func include(_ engine: any MediaEngine) {
        guard !included.contains(engine) else { return }
        listen()
        // The stream of events alone: a stream of the hub would keep it from ending with its engine.
        let states = engine.stateUpdates.buffered(.newest).numbered
        let number = included.add(engine)
        let watcher = Task { [weak self] in
            for await _ in states { await self?.followEngine(number) }
            if !Task.isCancelled { await self?.engineLeft(number) }
        }
        included.change(number) { $0.watcher = watcher }
    }

    /// Counts an engine as a part of this player no more; it goes on as it is. Harmless when it is none.
    ///
    /// - Parameter engine: What ``include(_:)`` took.
    public func exclude(_ engine: any MediaEngine) async {
        if let number = included.number(of: engine) { await engineLeft(number) }
    }

    private func engineLeft(_ number: UInt64) async {
        included.remove(number)
        hubs.remote.post(.updated)
        await deactivateSilentSession("engine ended")
    }

    // MARK: Commands

    /// Pauses the engines that play or buffer.
    ///
    /// - Parameter pause: The number of the pause.
    func pauseEngines(by pause: UInt64) async {
        await callEngines { player, number, engine in
            guard await engine.engineState.isSounding else { return }
            await player?.changeEngine(number) { $0.hold = IncludedEngines.Hold(pause: pause) }
            await engine.pause()
        }
    }

    /// Resumes engines that are still paused.
    ///
    /// - Parameter pause: Those that one pause has paused; `nil` for all that a pause of everything has.
    func resumeEngines(pausedBy pause: UInt64?) async {
        await callEngines { player, number, engine in
            guard let held = await player?.engineHold(number), pause == nil || held.pause == pause,
                await engine.engineState == .paused
            else { return }
            await player?.resumeEngine(engine, number, held)
        }
    }

    private func resumeEngine(_ engine: any MediaEngine, _ number: UInt64, _ hold: IncludedEngines.Hold) async {
        included.change(number) { $0.hold = nil }
        do {
            // A pause may have ended the player's part of it.
            try await activateSession(reason: "resume")
            try await engine.play()
        } catch {
            included.change(number) { $0.hold = hold }
            report(AudioPlayerError(sounding: error))
        }
    }

    /// Stops the engines that play, buffer or are paused.
    func stopEngines() async {
        await callEngines { player, number, engine in
            await player?.changeEngine(number) { $0.hold = nil }
            if await engine.engineState.isActive { await engine.stop() }
        }
    }

    /// Whether an engine sounds, also when it has begun at this moment.
    func enginesSound() async -> Bool {
        await callEngines { _, _, _ in }
        return included.isSounding
    }

    /// Calls all engines, each behind the earlier calls for it, and waits for them; for one that hangs a second at most.
    private func callEngines(
        _ call: @escaping @Sendable (AudioPlayerService?, UInt64, any MediaEngine) async -> Void
    ) async {
        let calls = included.members.compactMap { member in
            member.engine.map { engine in
                Task { [weak self] in
                    await member.calls.run { await call(self, member.number, engine) }
                    await self?.followEngine(member.number)
                }
            }
        }
        guard !calls.isEmpty else { return }
        do {
            try await withTimeout(1) { for call in calls { await call.value } }
        } catch {
            logger.warn("player: an included engine does not answer")
        }
    }

    private func changeEngine(_ number: UInt64, _ body: (inout IncludedEngines.Member) -> Void) {
        included.change(number, body)
    }

    private func engineHold(_ number: UInt64) -> IncludedEngines.Hold? { included[number]?.hold }

    // MARK: State

    /// Reads the present state of an engine, and tells the session of a change.
    private func followEngine(_ number: UInt64) async {
        guard let member = included[number], let engine = member.engine else { return }
        // Calls for the engine would make a state obsolete that was read before them.
        let before = await member.calls.run {
            let state = await engine.engineState
            return included.note(state, of: number)
        }
        guard let before, let present = included[number] else { return }
        hubs.remote.post(.updated)
        switch present.state {
        case .playing, .buffering:
            if !before.isSounding { await activateSession(for: engine, member.calls) }
        case .paused: if present.hold == nil { await pauseSession() }
        case .idle, .loading, .ready, .finished, .failed:
            if before.isActive { await deactivateSilentSession("engine ended") }
        }
    }

    private func activateSession(for engine: any MediaEngine, _ calls: AsyncSerialQueue) async {
        do {
            try await activateSession(reason: "engine")
        } catch {
            report(AudioPlayerError(sounding: error))
            await calls.run { await engine.pause() }
        }
    }
}

/// The engines that a player counts as parts of itself.
struct IncludedEngines {
    /// A pause of everything that has paused an engine.
    struct Hold {
        /// Its number, by ``SoundEffectCache/pauses``.
        let pause: UInt64
        /// Whether the engine has been seen paused since: it has been resumed when it is seen otherwise.
        var isSeen = false
    }

    struct Member {
        let number: UInt64
        weak var engine: (any MediaEngine)?
        /// The calls of the player. An engine that hangs holds up its own alone.
        let calls = AsyncSerialQueue()
        /// Follows the engine's state.
        var watcher: Task<Void, Never>?
        /// The state that was seen last.
        var state = EngineState.idle
        var hold: Hold?
    }

    private(set) var members: [Member] = []
    private var lastNumber: UInt64 = 0

    subscript(number: UInt64) -> Member? { members.first { $0.number == number } }

    var isSounding: Bool { members.contains { $0.state.isSounding } }

    /// Whether an engine sounds or is paused.
    var isActive: Bool { members.contains { $0.state.isActive } }

    func contains(_ engine: any MediaEngine) -> Bool { number(of: engine) != nil }

    func number(of engine: any MediaEngine) -> UInt64? { members.first { $0.engine === engine }?.number }

    mutating func add(_ engine: any MediaEngine) -> UInt64 {
        lastNumber &+= 1
        members.append(Member(number: lastNumber, engine: engine))
        return lastNumber
    }

    mutating func change(_ number: UInt64, _ body: (inout Member) -> Void) {
        if let index = members.firstIndex(where: { $0.number == number }) { body(&members[index]) }
    }

    mutating func remove(_ number: UInt64) {
        self[number]?.watcher?.cancel()
        members.removeAll { $0.number == number }
    }

    /// Notes the state of an engine.
    ///
    /// - Returns: The state before; `nil` when nothing has changed.
    mutating func note(_ state: EngineState, of number: UInt64) -> EngineState? {
        var before: EngineState?
        change(number) { member in
            if state == .paused { member.hold?.isSeen = true } else if member.hold?.isSeen == true { member.hold = nil }
            if member.state != state { before = member.state }
            member.state = state
        }
        return before
    }

    func cancel() { for member in members { member.watcher?.cancel() } }
}

extension EngineState {
    /// Whether sound comes out, or will without a further call.
    fileprivate var isSounding: Bool { self == .playing || self == .buffering }

    /// Whether it sounds or is paused.
    fileprivate var isActive: Bool { isSounding || self == .paused }
}
