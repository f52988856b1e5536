internal import DescantCore
internal import Foundation

/// The states that engines report, and the log of the calls to them.
extension MediaPlaybackController {
    /// Follows an engine's state. The subscriptions exist before the engine is used.
    func watch(_ made: MadeEngine) -> [Task<Void, Never>] {
        let identifier = made.identifier
        let states = made.states.buffered(.bounded(256)).numbered
        let watcher = Task { [weak self] in
            for await state in states { await self?.heard(state.event, from: identifier) }
        }
        var tasks = [watcher]
        if let sentences = made.sentences?.buffered(.newest).numbered {
            tasks.append(Task { [weak self] in for await _ in sentences { await self?.publish() } })
        }
        if let speech = made.engine as? SpeechEngine {
            let events = speech.events.numbered
            tasks.append(
                Task { [weak self] in for await event in events { await self?.heard(event.event, from: identifier) } })
        }
        return tasks
    }

    private func heard(_ state: EngineState, from identifier: String) async {
        await serially {
            // A later command can have changed the state already.
            guard let engine = engines[identifier], await self.state(of: engine) == state else { return }
            let isRepeated = engines.state(of: identifier) == state
            note(state, of: engine, as: identifier)
            guard identifier == engines.selected else { return }
            let told = publications.begun
            await follow(state, of: engine)
            // Told again: the track, its length or the volume of a remote player has changed.
            if isRepeated, told == publications.begun, engine is any EngineTrackReporting { await publish() }
        }
    }

    /// Logs what an engine has come to, once.
    private func note(_ state: EngineState, of engine: any MediaEngine, as identifier: String) {
        let before = engines.state(of: identifier)
        if let name = engines.note(state, of: identifier) { logCallback(name, engine, state, before: before) }
    }

    private func follow(_ state: EngineState, of engine: any MediaEngine) async {
        switch state {
        case .playing where activity == .buffering || engines.capabilities(of: engine.identifier).contains(.remote):
            guard activity != .playing else { return }
            post(.started)
            await setActivity(.playing)
        case .playing where activity == .paused && engine is AudioPlayerEngine:
            // The host has resumed the player beside this controller, whose session it needs.
            do {
                try await begin(reason: "resumed")
            } catch {
                // `updates` and the log say why it does not play.
                try? await call(engine, "pause", fields: [.reason: "refused"]) { await engine.pause() }
            }
        case .paused where activity == .playing || activity == .buffering:
            // A player pauses by itself when its output stays lost, at about the time at which this controller fails.
            if outage.position != nil, await (engine as? AudioPlayerEngine)?.player.isPausedForLostOutput == true {
                return
            }
            post(.paused(nil))
            await setActivity(.paused)
        case .buffering where activity == .playing: await setActivity(.buffering)
        case .finished where activity != .finished && activity != .idle:
            await engines.left(engine.identifier, at: progress)
            await session?.deactivate(for: sessionClient, reason: "finished")
            post(.finished)
            await setActivity(.finished)
        // A seek that came before the report of the end.
        case .ready where activity == .finished: await leaveEnd()
        case .idle where isUnderWay(in: engine):
            // It was stopped outside this controller.
            await session?.deactivate(for: sessionClient, reason: "stop")
            post(.stopped)
            await setActivity(.idle)
        case .failed(let error) where activity == .playing || activity == .buffering: await failed(error, engine)
        case .idle, .loading, .ready, .playing, .paused, .buffering, .finished, .failed: break
        }
    }

    /// Whether an engine plays, or is paused with the content. One that was left, or whose start was ended, has none: its report may come
    /// when the controller is paused again.
    private func isUnderWay(in engine: any MediaEngine) -> Bool {
        switch activity {
        case .playing, .buffering: true
        case .paused: engines.hasLoaded(media.number, engine.identifier)
        default: false
        }
    }

    /// An engine has failed while it played. When the sound server is to blame, which may become known a little later, playing
    /// goes on when it is back.
    private func failed(_ error: CoreError, _ engine: any MediaEngine) async {
        guard case .ioError = error, let session, !engines.capabilities(of: engine.identifier).contains(.remote) else {
            return await reportFailure(error, of: engine)
        }
        if outage.position == nil { await outage.begin(at: carriedPosition() ?? .time(0)) }
        await setActivity(.buffering)
        guard await session.state != .serverLost else { return }
        awaitServer(within: 1, reason: "\(error)")
    }

    /// Gives up when the sound server does not come back in time.
    func awaitServer(within seconds: TimeInterval, reason: String) {
        let deadline = clock.now() + UInt64(seconds * 1e9)
        outage.startTimer(
            Task { [weak self, clock] in
                do {
                    try await clock.sleep(until: deadline)
                } catch {
                    return  // The server is back, or playing has ended.
                }
                await self?.giveUpServer(reason)
            })
    }

    private func giveUpServer(_ reason: String) async {
        guard !Task.isCancelled else { return }
        await serially {
            // A loss of the server that came meanwhile has begun another waiting.
            guard !Task.isCancelled, let lost = outage.position, let engine = selectedEngine else { return }
            guard commands.waiting == 0 else {
                // They come first, and may end the waiting.
                outage.continueTimer(Task { [weak self] in await self?.giveUpServer(reason) })
                return
            }
            outage.forget()
            guard activity == .playing || activity == .buffering else { return }
            try? await call(engine, "stop", fields: [.reason: "outputLost"]) { await engine.stop() }
            media.pending = lost
            engines.forgetContent(of: engine.identifier)
            await reportFailure(.ioError(reason), of: engine)
        }
    }

    private func reportFailure(_ error: CoreError, of engine: any MediaEngine) async {
        log("engine.fail", level: .error, engine, LogRecord.fields(of: error))
        await fail(error, of: engine.identifier)
    }

    // MARK: Log

    private func logCallback(_ name: String, _ engine: any MediaEngine, _ state: EngineState, before: EngineState) {
        var fields: [LogField: LogValue] = [
            "engineStateBefore": .open(before.name), "engineStateAfter": .open(state.name),
        ]
        if case .failed(let error) = state { fields.merge(LogRecord.fields(of: error)) { _, new in new } }
        log(name, engine, fields)
    }

    /// Logs something about an engine.
    func log(_ name: String, level: LogLevel = .info, _ engine: any MediaEngine, _ fields: [LogField: LogValue]) {
        logger.record(
            LogRecord(name, level: level, fields: fields.merging([.engine: .open(engine.identifier)]) { old, _ in old })
        )
    }

    /// Logs a call to an engine with the engine's state before and after it.
    func logCall(
        _ action: String, _ engine: any MediaEngine, _ fields: [LogField: LogValue], before: EngineState,
        after: EngineState, level: LogLevel
    ) {
        let states: [LogField: LogValue] = [
            .action: .open(action), "engineStateBefore": .open(before.name), "engineStateAfter": .open(after.name),
        ]
        log("engine.\(action)", level: level, engine, states.merging(fields) { _, new in new })
        // An engine that has changed at once has called back at once; one that takes its time is heard later.
        note(after, of: engine, as: engine.identifier)
    }
}
