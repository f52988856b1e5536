public import DescantCore
public import Foundation
internal import Synchronization

/// Playing.
extension MediaPlaybackController {
    /// Loads content; what was played before is stopped.
    ///
    /// An engine that was made opens the content now, otherwise the first play does. Text may be long; sections name places in it.
    ///
    /// While nobody has chosen an engine, the first one that plays the content is selected.
    ///
    /// - Parameters:
    ///   - content: What to play.
    ///   - sections: Named places in it, for ``seekToSection(_:)``.
    ///   - description: What remote controls show of it, as ``setNowPlaying(_:)`` says.
    /// - Throws: `CoreError` of the engine; the content is kept for another engine then. `CancellationError` when a later command has
    ///   ended the opening; the next play opens the content again.
    public func loadContent(
        _ content: MediaContent, sections: [MediaSection] = [], description: NowPlayingTrack? = nil
    ) async throws {
        try await command {
            await endPlaying(reason: "load")
            media.load(content, sections: sections, description: description)
            engines.forgetProgress()
            fitness.withLock { $0.needed = content.neededCapability }
            if !isEngineChosen, let selected = engines.selected, !canUseEngine(selected) {
                engines.selected = firstUsableEngine ?? selected
            }
            post(.contentLoaded(content))
            await setActivity(.idle)
            guard let engine = selectedEngine else { return }
            do {
                try await loadUnlessOvertaken(engine)
            } catch let error as CancellationError {
                throw error
            } catch {
                await fail(error, of: engine.identifier)
                throw error
            }
            await publish()
        }
    }

    /// Sets what remote controls show of the present content; the next ``loadContent(_:sections:description:)`` replaces it.
    ///
    /// Fields that are `nil` or empty come from the engine, such as a file's tags, or from the content's address. The identity is
    /// the controller's.
    ///
    /// - Parameter description: Title, artists, album, artwork and so on; `nil` for what the engine tells.
    public func setNowPlaying(_ description: NowPlayingTrack?) async {
        await serially {
            media.description = description
            await publish()
        }
    }

    /// Makes the selected engine and opens the content, so that ``play()`` is heard at once. The audio session is not touched.
    ///
    /// - Throws: ``MediaPlaybackError/noEngine(reason:)``, `CoreError` of the engine, or `CancellationError` when a later command has
    ///   ended the opening.
    public func preload() async throws {
        try await serially {
            let engine = try await resolve()
            if content != nil { try await loadUnlessOvertaken(engine) }
            await publish()
        }
    }

    /// Plays from the present position; starts again what was heard to its end. Harmless while playing.
    ///
    /// The audio session is activated first; if that is refused, nothing plays. A start that fails for want of a device is tried
    /// again after 100 and 300 ms.
    ///
    /// - Throws: ``MediaPlaybackError/noContent``, ``MediaPlaybackError/noEngine(reason:)``,
    ///   ``MediaPlaybackError/startFailed(engine:reason:)``, or `CoreError` when the engine cannot open the content. Also to be read
    ///   in ``errorMessage``.
    public func play() async throws {
        try await serially {
            commands.count()
            try Task.checkCancellation()
            try await begin(reason: "play")
        }
    }

    /// Freezes; harmless when nothing plays. The audio session stays active, unless its policy says otherwise.
    ///
    /// A start that is being tried ends: the content is paused where it would have begun.
    public func pause() async {
        await command {
            if commands.endsStart, content != nil, activity != .playing, activity != .buffering, activity != .failed {
                if activity != .paused { post(.paused(nil)) }
                await setActivity(.paused)
            } else {
                guard await pauseEngine(reason: "pause", cause: nil) else { return }
            }
            await session?.paused(sessionClient)
        }
    }

    /// Ends playing, returns to the beginning and deactivates the audio session; harmless when nothing plays.
    public func stop() async {
        await command {
            await endPlaying(reason: "stop")
            await returnToBeginning()
            await setActivity(.idle)
        }
    }

    /// Lets the next play begin at the beginning, also when the engine was moved and has not played.
    private func returnToBeginning() async {
        media.pending = nil
        if await progress.position > 0 { media.pending = .time(0) }
    }

    /// Ends playing on every engine that was made, and deactivates the audio session.
    public func stopAll() async {
        await command {
            await endPlaying(reason: "stop")
            for engine in engines.all where engine.identifier != engines.selected {
                await stopEngine(engine, reason: "stopAll")
            }
            await returnToBeginning()
            await setActivity(.idle)
        }
    }

    /// Pauses what plays, plays what does not.
    ///
    /// - Throws: As ``play()``.
    public func togglePlayPause() async throws {
        // A start from a pause is one that the person sees as playing.
        if commands.isStarting { return await pause() }
        switch activity {
        case .playing, .buffering, .preparing: await pause()
        case .idle, .paused, .finished, .failed: try await play()
        }
    }

    /// Sets the speed; pitch is kept. Other engines get it when they are selected.
    ///
    /// - Parameter rate: 1 is normal; engines document their range, 0.5…3 is usual.
    /// - Throws: `CoreError.invalidArgument` outside the range, `CoreError.unsupported` when the engine has one speed only; the
    ///   speed stays as it was.
    public func setRate(_ rate: Double) async throws {
        guard rate.isFinite, rate > 0 else { throw CoreError.invalidArgument("a rate of \(rate)") }
        try await serially {
            if let engine = selectedEngine { try await setRate(rate, of: engine) }
            media.rate = rate
            await publish()
        }
    }

    // MARK: Positions

    /// Moves to a position. Content that was heard to its end is paused there.
    ///
    /// - Parameter position: Where to go; clamped to the content.
    /// - Throws: ``MediaPlaybackError/noContent``, `CoreError.unsupported` for a kind of position that the engine does not know.
    public func seek(to position: MediaPosition) async throws {
        try await serially { try await move(to: position) }
    }

    /// Moves to a section.
    ///
    /// - Parameter number: Which one, from 0.
    /// - Throws: ``MediaPlaybackError/noSection(_:count:)``, or as ``seek(to:)``.
    public func seekToSection(_ number: Int) async throws {
        try await serially {
            guard media.sections.indices.contains(number) else {
                throw MediaPlaybackError.noSection(number, count: media.sections.count)
            }
            try await move(to: media.sections[number].start)
        }
    }

    /// Moves forward: in text by characters, in sound by seconds. At the end it stays there.
    ///
    /// - Parameters:
    ///   - characters: How far in text.
    ///   - seconds: How far in sound.
    /// - Throws: As ``seek(to:)``.
    public func skipForward(characters: Int = 500, seconds: TimeInterval = 15) async throws {
        try await serially { try await skip(characters, seconds) }
    }

    /// Moves backward: in text by characters, in sound by seconds. At the beginning it stays there.
    ///
    /// - Parameters:
    ///   - characters: How far in text.
    ///   - seconds: How far in sound.
    /// - Throws: As ``seek(to:)``.
    public func skipBackward(characters: Int = 500, seconds: TimeInterval = 15) async throws {
        try await serially { try await skip(0 &- characters, -seconds) }
    }

    /// Moves to the next sentence of a text; behind the last one it is finished.
    ///
    /// - Throws: ``MediaPlaybackError/noContent``, ``MediaPlaybackError/noEngine(reason:)``, `CoreError.unsupported` when the
    ///   selected engine does not read sentences, or what goes wrong in it.
    public func nextSentence() async throws { try await step("nextSentence") { try await $0.nextSentence() } }

    /// Moves to the beginning of the sentence, or to the one before when it has only just begun.
    ///
    /// - Throws: As ``nextSentence()``.
    public func previousSentence() async throws {
        try await step("previousSentence") { try await $0.previousSentence() }
    }

    private func step(
        _ action: String, _ body: nonisolated(nonsending) @escaping @Sendable (any ReadingEngine) async throws -> Void
    ) async throws {
        try await serially {
            guard content != nil else { throw MediaPlaybackError.noContent }
            let engine = try await resolve()
            guard let reading = engine as? any ReadingEngine else {
                throw CoreError.unsupported("\(engine.identifier) does not read sentences")
            }
            try await load(engine)
            await seekAsWanted(engine)
            try await call(engine, action) { try await body(reading) }
            await tellJump()
        }
    }

    private func skip(_ characters: Int, _ seconds: TimeInterval) async throws {
        let present = await progress
        if case .text(let text, _) = content, let offset = present.characterOffset {
            let step = min(max(characters, -text.utf8.count), text.utf8.count)
            try await move(to: .characterOffset(min(text.count, max(0, offset + step))))
        } else {
            let target = max(0, present.position + seconds)
            try await move(to: .time(min(target, present.duration ?? target)))
        }
    }

    private func move(to position: MediaPosition) async throws {
        guard let content else { throw MediaPlaybackError.noContent }
        let position = try Self.clamped(position, in: content)
        if let engine = selectedEngine, engines.hasLoaded(media.number, engine.identifier), activity != .idle {
            do {
                try await call(engine, "seek", fields: ["position": .open(Self.text(position))]) {
                    try await engine.seek(to: position)
                }
            } catch let error where isGivenUp(engine.identifier) {
                media.pending = position
                throw error
            }
            outage.move(to: position)
        } else {
            media.pending = position
        }
        await tellJump()
    }

    /// The longest time that a position may have, in seconds: 31 years.
    private static let latestPosition = 1e9

    /// A position of a host within limits that every sum bears.
    private static func clamped(_ position: MediaPosition, in content: MediaContent) throws -> MediaPosition {
        switch position {
        case .time(let seconds):
            guard !seconds.isNaN else { break }
            return .time(min(max(0, seconds), latestPosition))
        case .fraction(let share):
            guard !share.isNaN else { break }
            return .fraction(min(max(0, share), 1))
        case .characterOffset(let offset):
            guard case .text(let text, _) = content else { return .characterOffset(max(0, offset)) }
            return .characterOffset(min(max(0, offset), text.utf8.count))
        }
        throw CoreError.invalidArgument("a position that is not a number")
    }

    /// Content that was heard to its end is paused at the place that a seek has moved it to.
    func leaveEnd() async {
        guard activity == .finished, let engine = selectedEngine,
            let share = try? await ask(engine, "progress", .read, { await engine.progress }), share < 1
        else { return }
        post(.paused(nil))
        await setActivity(.paused)
    }

    private func tellJump() async {
        await leaveEnd()
        let now = await progress.position
        post(.didSeek(to: now))
        await publish()
        if activity.isShown { hubs.remote.post(.jumped(to: now)) }
    }

    static func text(_ position: MediaPosition) -> String {
        switch position {
        case .time(let seconds): "\((seconds * 1000).rounded() / 1000) s"
        case .fraction(let share): "\((share * 100_000).rounded() / 1000) %"
        case .characterOffset(let offset): "character \(offset)"
        }
    }

    // MARK: Steps

    /// Pauses the selected engine if it plays.
    ///
    /// - Returns: Whether it did.
    func pauseEngine(reason: String, cause: AudioSessionCause?) async -> Bool {
        guard let engine = selectedEngine, activity == .playing || activity == .buffering else { return false }
        do {
            try await call(engine, "pause", fields: [.reason: .open(reason)]) { await engine.pause() }
        } catch {
            // A hang, which is reported when the command ends.
            return false
        }
        if let lost = outage.position {
            outage.end()
            // An engine that has failed cannot go on: the content is opened again there.
            if case .failed = await state(of: engine) {
                media.pending = lost
                engines.forgetContent(of: engine.identifier)
            }
        }
        post(.paused(cause))
        await setActivity(.paused)
        return true
    }

    /// Ends what is played and the session with it; does not tell.
    func endPlaying(reason: String, keepsSession: Bool = false) async {
        outage.end()
        if let engine = selectedEngine, activity != .idle {
            await engines.left(engine.identifier, at: progress)
            await stopEngine(engine, reason: reason)
            post(.stopped)
        }
        status.activity = .idle
        status.clearFailure()
        if !keepsSession { await session?.deactivate(for: sessionClient, reason: reason) }
    }

    private func stopEngine(_ engine: any MediaEngine, reason: String) async {
        try? await call(engine, "stop", fields: [.reason: .open(reason)]) { await engine.stop() }
    }
}
