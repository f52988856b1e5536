internal import DescantCore
internal import Foundation

/// How playing begins, and what happens when it does not.
extension MediaPlaybackController {
    /// How long to wait before a start is tried again, in nanoseconds.
    private static var retryDelays: [UInt64] { [100_000_000, 300_000_000] }

    /// Plays, unless it does.
    ///
    /// - Parameters:
    ///   - reason: Why, for the log.
    ///   - fallsBack: Whether the next engine starts when the selected one hangs.
    func begin(reason: String, fallsBack: Bool = true) async throws {
        guard activity != .playing, activity != .buffering else { return }
        guard content != nil else { throw MediaPlaybackError.noContent }
        // A new start owes nothing to an earlier loss.
        outage.end()
        let before = activity
        if before != .paused { await setActivity(.preparing) }
        do {
            try await startUnlessOvertaken(reason, fallsBack)
        } catch is CancellationError {
            if commands.waiting > 0, !Task.isCancelled { commands.endedStart() }
            if before != .paused { await session?.deactivate(for: sessionClient, reason: "cancelled") }
            await setActivity(before)
            throw CancellationError()
        } catch {
            await fail(error, of: engines.selected ?? "none")
            throw error
        }
    }

    /// Starts, so that a later command can end it.
    private func startUnlessOvertaken(_ reason: String, _ fallsBack: Bool) async throws {
        // The new task may run before it is told.
        try Task.checkCancellation()
        let task = Task { try await start(reason: reason, fallsBack: fallsBack) }
        commands.startBegan(task)
        defer { commands.startEnded() }
        try await Self.value(of: task)
    }

    /// Opens the content in an engine as ``load(_:)`` does, so that a later command can end it.
    func loadUnlessOvertaken(_ engine: any MediaEngine) async throws {
        try Task.checkCancellation()
        let task = Task {
            try Task.checkCancellation()
            try await load(engine)
        }
        commands.loadingBegan(task)
        defer { commands.loadingEnded() }
        try await Self.value(of: task)
    }

    /// Waits for a task, which is cancelled with the present one.
    ///
    /// - Throws: `CancellationError` when the task was cancelled and failed, whatever the engine calls that; what the task throws
    ///   otherwise.
    private static func value(of task: Task<Void, any Error>) async throws {
        do {
            try await withTaskCancellationHandler {
                try await task.value
            } onCancel: {
                task.cancel()
            }
        } catch let error as CoreError {
            throw task.isCancelled ? CancellationError() : error
        }
    }

    /// Starts the selected engine. While it hangs, and is given up, the next one that can be used.
    private func start(reason: String, fallsBack: Bool) async throws {
        while true {
            try Task.checkCancellation()
            let engine = try await resolve()
            do {
                return try await start(engine, reason: reason)
            } catch let error where fallsBack && isGivenUp(engine.identifier) && !(error is CancellationError) {
                // The next one may play elsewhere, and need no session.
                await session?.deactivate(for: sessionClient, reason: "fallback")
            }
        }
    }

    private func start(_ engine: any MediaEngine, reason: String) async throws {
        try await load(engine)
        // Before the start, so that nothing from before the position is heard.
        await seekAsWanted(engine)
        commands.countStart()
        var attempt = 1
        while true {
            let identity = "\(commands.starts).\(attempt)"
            let isLast = attempt > Self.retryDelays.count
            do {
                try await tryStart(engine, reason: reason, attempt: identity, isLast: isLast)
                break
            } catch CoreError.ioError(let underlying) {
                guard !isLast else {
                    throw MediaPlaybackError.startFailed(engine: engine.identifier, reason: "\(underlying)")
                }
                try await waitForRetry(engine, after: attempt)
                attempt += 1
            }
        }
        await seekAsWanted(engine)
        status.clearFailure()
        // An engine that has yet to get its sound says when it has it.
        let state = try await ask(engine, "engineState", .read) { await engine.engineState }
        guard state != .buffering else { return await setActivity(.buffering) }
        post(.started)
        await setActivity(.playing)
    }

    private func tryStart(_ engine: any MediaEngine, reason: String, attempt: String, isLast: Bool) async throws {
        try Task.checkCancellation()
        if let engine = engine as? any StreamRoleEngine {
            let role = sessionConfiguration.role
            try await ask(engine, "setStreamRole", .command) { await engine.setStreamRole(role) }
        }
        if let session, !engines.capabilities(of: engine.identifier).contains(.remote) {
            try await session.activate(
                for: ports.sessionMember, as: sessionConfiguration, reason: reason, attempt: attempt)
        }
        try await call(
            engine, "play", .opening, fields: [.reason: .open(reason), .attemptId: .open(attempt)],
            failure: isLast ? .error : .warning
        ) { try await engine.play() }
    }

    private func waitForRetry(_ engine: any MediaEngine, after attempt: Int) async throws {
        let delay = Self.retryDelays[attempt - 1]
        log(
            "engine.retry", engine,
            [
                .action: "play", .attemptId: .open("\(commands.starts).\(attempt + 1)"),
                "delay": .open("\(delay / 1_000_000) ms"),
            ])
        try await clock.sleep(until: clock.now() + delay)
    }

    private var sessionConfiguration: AudioSessionConfiguration {
        if let configuration = ports.configuration { return configuration }
        if case .text = content { return AudioSessionConfiguration(role: .speech) }
        return AudioSessionConfiguration(role: .music)
    }

    // MARK: Content

    /// Opens the content in an engine, unless it has it, with speed and position as they are wanted.
    func load(_ engine: any MediaEngine) async throws {
        guard let content, !engines.hasLoaded(media.number, engine.identifier) else { return }
        engines.forgetContent(of: engine.identifier)
        try await call(engine, "load", .opening, fields: Self.fields(of: content), failure: .error) {
            try await engine.loadContent(content)
        }
        engines.loaded(media.number, engine.identifier)
        if rate != engines.rate(of: engine.identifier) { try await carryRate(to: engine) }
        await seekAsWanted(engine)
        // Speed and position are wanted, and only a hang ends an opening because of them.
        if isGivenUp(engine.identifier) { throw unavailable(engine.identifier) }
    }

    private static func fields(of content: MediaContent) -> [LogField: LogValue] {
        switch content {
        case .url(let url): ["content": .personal(url.withoutPassword)]
        case .text(let text, let language):
            ["characters": .open("\(text.count)"), "language": .open(language ?? "")]
        }
    }

    func setRate(_ rate: Double, of engine: any MediaEngine) async throws {
        try await call(engine, "setRate", fields: ["rate": .open("\(rate)")]) { try await engine.setRate(rate) }
        engines.note(rate: rate, of: engine.identifier)
    }

    /// An engine that cannot go at the speed that the last one had goes at its normal one.
    ///
    /// - Throws: `CancellationError`; the next start opens the content again, and sets the speed.
    private func carryRate(to engine: any MediaEngine) async throws {
        do {
            try await setRate(rate, of: engine)
        } catch let error as CancellationError {
            engines.forgetContent(of: engine.identifier)
            throw error
        } catch {
            if !isGivenUp(engine.identifier) { media.rate = engines.rate(of: engine.identifier) }
        }
    }

    /// Moves to where the content is to begin. Engines that can move only what plays get there with the start.
    func seekAsWanted(_ engine: any MediaEngine) async {
        guard let wanted = media.pending else { return }
        var last: CoreError?
        for position in equivalents(of: wanted) {
            do {
                try await call(engine, "seek", fields: ["position": .open(Self.text(position))], failure: .debug) {
                    try await engine.seek(to: position)
                }
                media.pending = nil
                return
            } catch is CancellationError {
                // The position is for the next start.
                return
            } catch let error as CoreError {
                last = error
                if case .invalidState = error { return }
            } catch {
                // After a hang the position is for another engine.
                if isGivenUp(engine.identifier) { return }
                break
            }
        }
        media.pending = nil
        if let last { logger.info("controller: \(engine.identifier) begins at the beginning: \(last)") }
    }

    /// The same place in other words, the most exact first.
    private func equivalents(of position: MediaPosition) -> [MediaPosition] {
        guard case .text(let text, _) = content, case .characterOffset(let offset) = position, !text.isEmpty else {
            return [position]
        }
        return [position, .fraction(Double(offset) / Double(text.count))]
    }

    // MARK: Failure

    /// Publishes an error and an engine that could play instead.
    func fail(_ error: any Error, of engine: String) async {
        status.message = "\(error)"
        await session?.deactivate(for: sessionClient, reason: "failed")
        post(.failed("\(error)"))
        if case .text = content {
            hubs.speech.post(
                SpeechEvent(frame: nil, kind: .failed(error as? CoreError ?? .ioError(underlying: error))))
        }
        status.offeredEngine = usableEngine(insteadOf: engine)
        if let offered = status.offeredEngine {
            post(.engineOffered(offered, insteadOf: engine, reason: "\(error)"))
            logger.record(
                LogRecord(
                    "controller.offer",
                    fields: [.engine: .open(offered), "insteadOf": .open(engine), .reason: .open("\(error)")]))
        }
        await setActivity(.failed)
    }

    private func usableEngine(insteadOf failed: String) -> String? {
        availableEngines.first { $0 != failed && canUseEngine($0) }
    }
}

extension URL {
    /// The address as anybody may see it.
    var withoutPassword: String { isFileURL ? absoluteString : AudioSource.url(self).name }
}

extension MediaContent {
    /// What an engine must be able to do to play it.
    var neededCapability: EngineCapabilities {
        switch self {
        case .url: .playsURLs
        case .text: .speaksText
        }
    }
}
