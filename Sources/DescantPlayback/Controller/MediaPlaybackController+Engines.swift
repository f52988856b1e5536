internal import DescantCore
internal import Foundation
internal import Synchronization

/// Choosing and making engines.
extension MediaPlaybackController {
    /// Does what the policy wants at launch: makes the selected engine, or nothing. A failure is in ``updates``, and the engine is tried
    /// again by the first play.
    public func launch() async {
        await serially {
            if engines.selected == nil { engines.selected = wantedEngine }
            guard policy == .selectedAtLaunch else { return await publish() }
            do {
                _ = try await resolve()
                await publish()
            } catch {
                await fail(error, of: engines.selected ?? "none")
            }
        }
    }

    /// Makes the selected engine for a view that shows its settings.
    ///
    /// - Returns: The engine's identifier.
    /// - Throws: ``MediaPlaybackError/noEngine(reason:)``.
    @discardableResult
    public func prepareSettings() async throws -> String {
        try await serially {
            let engine = try await resolve()
            await publish()
            return engine.identifier
        }
    }

    /// Selects another engine, which takes over content, speed and position, and plays if the last one did.
    ///
    /// What plays is stopped first. When the new engine cannot be made, or cannot play the content, or the calling task is cancelled, the
    /// last one is selected again as it was.
    ///
    /// - Parameter identifier: The engine, one of ``availableEngines``.
    /// - Throws: ``MediaPlaybackError/engineUnavailable(_:reason:)``, or what went wrong in the new engine; `CancellationError` when the task
    ///   was cancelled, or a later command has ended the start, which leaves the new engine selected.
    public func selectEngine(_ identifier: String) async throws {
        if let reason = refusal(of: identifier) {
            throw MediaPlaybackError.engineUnavailable(identifier, reason: reason)
        }
        try Task.checkCancellation()
        try await command {
            guard identifier != engines.selected || engines[identifier] == nil else {
                isEngineChosen = true
                keep(identifier)
                // This call has ended its start.
                if commands.endsStart, content != nil { try await begin(reason: "select") }
                return
            }
            try await switchEngine(to: identifier)
        }
    }

    private func switchEngine(to identifier: String) async throws {
        let previous = engines.selected
        let (wasActivity, place) = (activity, await carriedPosition())
        // Who has just pressed play wants the new engine to play.
        let plays = wasActivity == .playing || wasActivity == .buffering || commands.endsStart
        logger.record(
            LogRecord(
                "controller.select",
                fields: [
                    .engine: .open(identifier), .action: "select", "previous": .open(previous ?? "none"),
                    "activity": .open(wasActivity.rawValue),
                ]))
        // A target that starts at once takes the session over; one that makes no sound here does not need it.
        await endPlaying(reason: "switch", keepsSession: plays)
        do {
            let rateBefore = rate
            do {
                try await take(identifier, place, plays: plays, pauses: wasActivity == .paused)
            } catch {
                media.rate = rateBefore
                throw error
            }
        } catch let error as CancellationError
            where commands.waiting > 0 && engines.selected == identifier && engines.hasLoaded(media.number, identifier)
        {
            // A later command has ended the start. The new engine has the content, and the command is for it.
            await selected(identifier, previous: previous)
            throw error
        } catch {
            // Also when the task was cancelled, which would end this start, too.
            await Task {
                await goBack(to: previous, place, plays: plays, pauses: wasActivity == .paused, after: error)
            }.value
            throw error
        }
        await selected(identifier, previous: previous)
    }

    private func selected(_ identifier: String, previous: String?) async {
        isEngineChosen = true
        keep(identifier)
        post(.engineSelected(identifier, previous: previous))
        await publish()
    }

    private func take(_ identifier: String, _ place: MediaPosition?, plays: Bool, pauses: Bool) async throws {
        let engine = try await make(identifier)
        if let content, !engines.capabilities(of: identifier).contains(content.neededCapability) {
            throw MediaPlaybackError.engineUnavailable(
                identifier, reason: "it does not play what is loaded; load other content for it first")
        }
        if engines.capabilities(of: identifier).contains(.remote) {
            await session?.deactivate(for: sessionClient, reason: "switch")
        }
        engines.selected = identifier
        await applySessionGain()
        engines.forgetContent(of: identifier)
        media.pending = place
        guard content != nil else { return await session?.deactivate(for: sessionClient, reason: "switch") ?? () }
        try await load(engine)
        if plays {
            try await begin(reason: "switch", fallsBack: false)
        } else {
            await setActivity(pauses ? .paused : .idle)
        }
    }

    private func goBack(
        to previous: String?, _ place: MediaPosition?, plays: Bool, pauses: Bool, after error: any Error
    ) async {
        engines.selected = previous
        await applySessionGain()
        media.pending = place
        if let previous { engines.forgetContent(of: previous) }
        status.activity = pauses ? .paused : .idle
        if plays, previous != nil {
            // `begin` publishes the result.
            try? await begin(reason: "switchFailed")
        } else {
            await session?.deactivate(for: sessionClient, reason: "switchFailed")
        }
        if !(error is CancellationError) {
            status.message = "\(error)"
            post(.failed("\(error)"))
        }
        await publish()
    }

    /// Keeps the selection for the next run.
    private func keep(_ identifier: String) {
        do {
            try ports.selection.save(identifier)
        } catch {
            logger.warn("controller: the selected engine is forgotten at the end: \(error)")
        }
    }

    /// Releases an engine: what it plays is stopped, and the models and processes of a synthesizer are released.
    ///
    /// A selected engine stays selected; the next play makes it anew and begins at the same place. Harmless for an engine that was
    /// not made. The mixer that engines share stays.
    ///
    /// - Parameter identifier: The engine, one of ``madeEngines``.
    public func unloadEngine(_ identifier: String) async {
        // Another engine than the selected one is released beside what is under way.
        guard identifier == engines.selected else { return await serially { await unload(identifier) } }
        await command { await unload(identifier) }
    }

    private func unload(_ identifier: String) async {
        guard let engine = engines[identifier] else { return }
        if identifier == engines.selected {
            let place = await carriedPosition()
            await endPlaying(reason: "unload")
            media.pending = place
        }
        // One that hangs has been given up by now.
        try? await call(engine, "unload") {
            await engine.stop()
            await (engine as? SpeechEngine)?.shutdown()
        }
        guard !isGivenUp(identifier) else { return await publish() }
        engines.remove(identifier)
        fitness.withLock { $0.made[identifier] = nil }
        post(.engineUnloaded(identifier))
        await publish()
    }

    // MARK: Making

    /// The preferred engine that plays what is loaded.
    var firstUsableEngine: String? { availableEngines.first(where: canUseEngine) }

    /// The engine that was selected in an earlier run, or else the preferred one that plays what is loaded.
    private var wantedEngine: String? {
        do {
            if let stored = try ports.selection.load() {
                isEngineChosen = true
                return stored
            }
        } catch {
            logger.warn("controller: \(error)")
        }
        return firstUsableEngine ?? availableEngines.first
    }

    /// The selected engine, made if need be; when it cannot be used, the next one that can.
    func resolve() async throws -> any MediaEngine {
        if let engine = selectedEngine { return engine }
        guard let wanted = engines.selected ?? wantedEngine else {
            throw MediaPlaybackError.noEngine(reason: "no plugin provides one, and the host has registered none")
        }
        var reasons: [String] = []
        for candidate in [wanted] + availableEngines.filter({ $0 != wanted }) {
            do {
                let engine = try await makeUsable(candidate)
                engines.selected = candidate
                if candidate != wanted { fellBack(from: wanted, to: candidate, reason: reasons.first ?? "") }
                return engine
            } catch is CancellationError {
                throw CancellationError()
            } catch {
                reasons.append("\(error)")
            }
        }
        engines.selected = wanted
        throw MediaPlaybackError.noEngine(reason: reasons.joined(separator: "; "))
    }

    private func makeUsable(_ identifier: String) async throws -> any MediaEngine {
        if let reason = refusal(of: identifier) {
            throw MediaPlaybackError.engineUnavailable(identifier, reason: reason)
        }
        let engine = try await make(identifier)
        let able = engines.capabilities(of: identifier)
        guard content.map({ able.contains($0.neededCapability) }) ?? true else {
            throw MediaPlaybackError.engineUnavailable(identifier, reason: "it does not play what is loaded")
        }
        return engine
    }

    private func fellBack(from wanted: String, to identifier: String, reason: String) {
        post(.engineFellBack(from: wanted, to: identifier, reason: reason))
        logger.record(
            LogRecord(
                "controller.fallback", level: .warning,
                fields: [.engine: .open(identifier), "insteadOf": .open(wanted), .reason: .open(reason)]))
    }

    func make(_ identifier: String) async throws -> any MediaEngine {
        if let engine = engines[identifier] { return engine }
        do {
            let made = try await makeWithinLimit(identifier)
            guard made.identifier == identifier else {
                throw MediaPlaybackError.engineUnavailable(
                    identifier, reason: "what its plugin made calls itself \(made.identifier)")
            }
            logCreation(identifier, error: nil)
            engines.add(made, tasks: watch(made))
            if let speech = made.engine as? SpeechEngine {
                engines.note(rate: await speech.settings.rate, of: identifier)
            }
            fitness.withLock { $0.made[identifier] = made.capabilities }
            post(.engineCreated(identifier))
            return made.engine
        } catch {
            logCreation(identifier, error: error)
            throw error
        }
    }

    private func logCreation(_ identifier: String, error: (any Error)?) {
        var fields: [LogField: LogValue] = [
            .engine: .open(identifier), .action: "create", .result: error == nil ? "success" : "failure",
        ]
        if let error { fields.merge(LogRecord.fields(of: error)) { _, new in new } }
        logger.record(LogRecord("engine.create", level: error == nil ? .info : .warning, fields: fields))
    }
}
