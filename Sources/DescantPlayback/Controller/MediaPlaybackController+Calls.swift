internal import DescantCore
internal import Foundation
internal import Synchronization

/// Calls to engines, which may hang: those of bundles run in this process.
extension MediaPlaybackController {
    /// A call to an engine. It runs on the engine's own threads, or on the controller for an engine that is called directly.
    typealias EngineCall<Value> = nonisolated(nonsending) @Sendable () async throws -> Value

    /// Calls an engine and waits for its answer up to a limit of real time. An engine that exceeds it is given up.
    ///
    /// - Parameters:
    ///   - engine: An engine that was made.
    ///   - action: What it is asked for, for a person.
    ///   - kind: Decides the limit.
    ///   - body: The call. Reads that belong together share one, as each costs two changes of threads.
    /// - Throws: ``MediaPlaybackError/engineUnavailable(_:reason:)`` for an engine that was given up, now or before; or what the call
    ///   throws.
    func ask<Value: Sendable>(
        _ engine: any MediaEngine, _ action: String, _ kind: EngineLimits.Kind, _ body: @escaping EngineCall<Value>
    ) async throws -> Value {
        let identifier = engine.identifier
        guard engines[identifier] === engine else { throw unavailable(identifier) }
        // The mixer, players and voices of the host have limits of their own, and are asked often.
        guard let threads = engines.threads(of: identifier) else { return try await body() }
        let commands = engines.commands(of: identifier)
        if kind != .read { engines.commandBegan(identifier) }
        defer { if kind != .read { engines.commandEnded(identifier) } }
        let limit = limits.seconds(for: kind, of: engines.capabilities(of: identifier))
        let answer: Result<Value, any Error>
        do {
            answer = try await withTimeout(limit, on: kind == .read ? threads.reads : threads.commands) {
                do { return .success(try await body()) } catch { return .failure(error) }
            }
        } catch {
            // A command that takes its time can delay a read. Its own limit decides then.
            let isBusy = kind == .read && (commands.isRunning || commands != engines.commands(of: identifier))
            if !isBusy { giveUp(identifier, action, after: limit) }
            throw isBusy ? error : unavailable(identifier)
        }
        return try answer.get()
    }

    /// The state of an engine; `nil` for one that does not answer.
    func state(of engine: any MediaEngine) async -> EngineState? {
        try? await ask(engine, "engineState", .read) { await engine.engineState }
    }

    /// Gives an engine a command, and logs it with the engine's state before and after.
    ///
    /// - Throws: As ``ask(_:_:_:_:)``.
    func call(
        _ engine: any MediaEngine, _ action: String, _ kind: EngineLimits.Kind = .command,
        fields: [LogField: LogValue] = [:], failure level: LogLevel = .warning, _ body: @escaping EngineCall<Void>
    ) async throws {
        let outcome = try await ask(engine, action, kind) {
            let before = await engine.engineState
            var failure: (any Error)?
            do { try await body() } catch { failure = error }
            return CommandOutcome(before: before, after: await engine.engineState, failure: failure)
        }
        let failure = outcome.failure
        var all = failure.map(LogRecord.fields) ?? [:]
        all.merge(fields) { _, new in new }
        if failure != nil { all[.result] = "failure" } else if all[.result] == nil { all[.result] = "success" }
        logCall(
            action, engine, all, before: outcome.before, after: outcome.after, level: failure == nil ? .info : level)
        if let failure { throw failure }
    }

    /// What a command has led to. No tuple: Swift 6.3 crashes in optimised builds when an ``EngineCall`` returns one.
    private struct CommandOutcome: Sendable {
        /// The engine's states before and after it.
        let before: EngineState
        let after: EngineState
        let failure: (any Error)?
    }

    // MARK: Giving up

    /// Makes an engine within the limit for openings.
    func makeWithinLimit(_ identifier: String) async throws -> MadeEngine {
        let limit = limits.opening
        let answer: Result<MadeEngine, any Error>
        do {
            answer = try await withTimeout(limit, on: DedicatedExecutor("descant.engine.making")) { [catalog] in
                do { return .success(MadeEngine(try await catalog.makeEngine(identifier))) } catch {
                    return .failure(error)
                }
            }
        } catch {
            giveUp(identifier, "make", after: limit)
            throw unavailable(identifier)
        }
        return try answer.get()
    }

    /// Uses an engine no more that has exceeded a limit. Its calls may go on, and keep it.
    private func giveUp(_ identifier: String, _ action: String, after seconds: Double) {
        guard !isGivenUp(identifier) else { return }
        let reason = "it has not answered `\(action)` within \(seconds) s; restart the program to use it again"
        // What was heard to its end begins again.
        if identifier == engines.selected, media.pending == nil, engines.hasLoaded(media.number, identifier),
            let last = media.lastProgress, last.fraction < 1
        {
            media.pending = media.place(at: last)
        }
        engines.remove(identifier)
        fitness.withLock { fitness in
            fitness.made[identifier] = nil
            fitness.givenUp[identifier] = reason
        }
        logger.record(
            LogRecord(
                "engine.hang", level: .error,
                fields: [.engine: .open(identifier), .action: .open(action), .reason: .open(reason)]))
        // A command reports it when it ends. Nobody else does for a read outside of commands.
        Task { [weak self] in await self?.serially {} }
    }

    /// Reports that the engine which plays, or is paused, was given up.
    func reportGivenUp() async {
        guard let selected = engines.selected, engines[selected] == nil, isGivenUp(selected) else { return }
        guard activity == .playing || activity == .paused || activity == .buffering else { return }
        outage.end()
        await fail(unavailable(selected), of: selected)
    }

    /// Whether an engine has exceeded a limit.
    func isGivenUp(_ identifier: String) -> Bool { fitness.withLock { $0.givenUp[identifier] } != nil }

    /// Why an engine cannot be used; `nil` when it can. Makes none.
    nonisolated func refusal(of identifier: String) -> String? {
        fitness.withLock { $0.givenUp[identifier] } ?? catalog.refusal(of: identifier)
    }

    /// The error of a call to an engine that cannot be used.
    func unavailable(_ identifier: String) -> MediaPlaybackError {
        .engineUnavailable(identifier, reason: refusal(of: identifier) ?? "it was unloaded")
    }
}
