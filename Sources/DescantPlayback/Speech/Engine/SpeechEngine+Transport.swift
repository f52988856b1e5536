internal import DescantCore
internal import Foundation

extension SpeechEngine {
    /// How long ``play()`` waits for the first sound of a slow synthesizer, in seconds.
    private static let patience = 0.08

    /// Speaks from the present position, or from the beginning when everything was heard.
    ///
    /// Returns when the first sound is due, or after 80 ms when the synthesizer takes longer: the state is `buffering` then. For a
    /// mixer that renders offline it waits in any case.
    ///
    /// - Throws: ``CoreError/invalidState(_:)`` when there is no text, ``CoreError/ioError(underlying:)``
    ///   when there is no device, or what the synthesizer throws.
    public func play() async throws {
        let before = engineState
        logCall("play", before)
        guard !output.isShutDown, !script.withScript({ $0.utterances.isEmpty }) else {
            throw CoreError.invalidState("\(identifier): there is no text to speak; call loadContent first")
        }
        desiredState = .speaking
        switch before {
        case .playing, .buffering: return
        case .paused: try await resumeSound()
        default:
            if before == .finished { position.moveToStart() }
            try await begin(at: position.cursor)
        }
    }

    /// Freezes; harmless when not speaking. Speech goes on at the very frame, or where its ramp began.
    public func pause() async {
        logCall("pause", engineState)
        // Speech that is just being resumed shows as paused until its sound is there.
        guard desiredState == .speaking || engineState == .playing || engineState == .buffering else { return }
        desiredState = .paused
        // At once, so that a `play()` during the mixer's call resumes.
        setState(.paused)
        await commandQueue.run {
            guard desiredState == .paused, let layer = output.layer else { return }
            await mixer.pause(layer, ramp: max(0, settings.pauseRamp))
        }
    }

    /// Stops at once and returns to the beginning; never fails.
    public func stop() async {
        logCall("stop", engineState)
        await halt()
    }

    /// Ends speech and returns to the beginning.
    func halt() async {
        let before = engineState
        abandon()
        desiredState = .stopped
        position.moveToStart()
        if Self.speaks(before) { logCallback("didCancel", .idle) }
        if before != .ready { setState(.idle) }
        await commandQueue.run {
            guard desiredState == .stopped else { return }
            if let layer = output.layer { await mixer.stop(layer, fade: 0, curve: .linear) }
        }
    }

    /// Ends what the layer still has to give, unless something was begun meanwhile.
    private func silence() async {
        await commandQueue.run {
            guard desiredState == .stopped, output.stream == nil, !jumps.isBeginning, let layer = output.layer else {
                return
            }
            await mixer.stop(layer, fade: 0, curve: .linear)
        }
    }

    /// Ends what is being made and spoken, as far as this engine is concerned.
    func abandon() {
        jumps.next()
        abandonStream()
        position.forgetWord()
        scheduler.cancelAll()
    }

    /// Ends the stream, and closes a deck that was never put on the layer.
    private func abandonStream() {
        if let unplayed = output.abandon() { Task { [mixer] in await mixer.closeDeck(unplayed) } }
    }

    // MARK: Resuming

    /// Resumes paused speech.
    private func resumeSound() async throws {
        if let error = try await letSound() { throw await fail(error) }
    }

    /// - Returns: Why what had not begun cannot begin.
    private func letSound() async throws -> (any Error)? {
        try await commandQueue.run { () async throws -> (any Error)? in
            guard desiredState == .speaking else { return nil }
            // A pause that came while a jump took effect has frozen the sound from before it.
            if output.unplayedDeck != nil { await endFrozenSound() }
            guard desiredState == .speaking else { return nil }
            if let deck = output.unplayedDeck {
                do { try await sound(deck) } catch { return error }
            } else if let layer = output.layer, output.stream != nil, !jumps.isBeginning {
                do { try await mixer.resume(layer, ramp: max(0, settings.pauseRamp)) } catch {
                    // It stays frozen, as the state says.
                    if desiredState == .speaking { desiredState = .paused }
                    throw error
                }
                hasResumed()
            } else {
                // Still being made: it begins when it is there, and what was frozen before a jump is over.
                setState(.buffering)
                if let layer = output.layer { await mixer.stop(layer, fade: 0, curve: .linear) }
            }
            return nil
        }
    }

    /// Puts a deck on the layer. Called within ``commandQueue``.
    private func sound(_ deck: DeckID) async throws {
        guard let layer = output.layer else { return }
        output.startBegan()
        defer { output.startEnded() }
        try await mixer.play(deck, on: layer, entry: .cut, loop: nil)
        try await mixer.setFollowUp(.nothing, on: layer)
        if output.wasReplaced, output.deck == deck { return wasStopped() }
        // Nothing is between a mixer that renders offline and who hears it.
        let isHeardAtOnce = mixer.capabilities.contains(.rendersOffline) && desiredState == .speaking
        if isHeardAtOnce, output.deck == deck, !output.hasSounded { hasStarted() }
    }

    // MARK: Beginning

    /// Restarts at a place: speaks there, or stays paused there.
    ///
    /// - Throws: What went wrong before the first sound, as far as it is known in time.
    func begin(at cursor: TextCursor) async throws {
        abandonForJump()
        // A sound that goes on is still that of the same word.
        if case .sound = cursor.offset {} else { position.forgetWord() }
        position.cursor = cursor
        guard script.withScript({ cursor.segment < $0.segments.count }) else { return await finishAtEnd() }
        // What sounds goes on until the new sound is there.
        if desiredState == .speaking, engineState != .playing { setState(.buffering) }
        let jump = jumps.number
        let work = Task { try await self.carryOut(jump, from: cursor) }
        jumps.began(work)
        guard !mixer.capabilities.contains(.rendersOffline) else { return try await work.value }
        try await Self.wait(for: work, atMost: Self.patience)
        if jump == jumps.number, jumps.isBeginning { await silenceOldStream(jump) }
    }

    /// Ends what sounds from before a jump, when the new sound is not there soon.
    private func silenceOldStream(_ jump: UInt64) async {
        await commandQueue.run {
            guard jump == jumps.number, jumps.isBeginning, desiredState == .speaking, output.stream != nil,
                let layer = output.layer
            else { return }
            output.abandonOldStream()
            setState(.buffering)
            await mixer.stop(layer, fade: 0, curve: .linear)
        }
    }

    /// Ends what was made for another place; what sounds goes on until the new sound is there.
    private func abandonForJump() {
        jumps.next()
        output.stream?.outdate()
    }

    /// Waits for work, but no longer than a limit in seconds; the work goes on behind it.
    private static func wait(for work: Task<Void, any Error>, atMost seconds: Double) async throws {
        do {
            try await withTimeout(seconds) { try await work.value }
        } catch is TimeoutError {}
    }

    /// Has the first sound made, and lets it be heard if no other jump came in between.
    private func carryOut(_ jump: UInt64, from cursor: TextCursor) async throws {
        do {
            guard let first = try await firstSound(jump, from: cursor) else { return }
            let stream = SpeechStream(first, name: identifier, script: script, scheduler: scheduler, settings: settings)
            stream.prefetch()
            let opened = try await mixer.openDeck(.pcm(stream), gain: 1, isClip: false)
            try await commandQueue.run {
                guard jump == jumps.number else {
                    stream.abandon()
                    return await mixer.closeDeck(opened.id)
                }
                try await adopt(stream, on: opened.id)
            }
        } catch {
            guard jump == jumps.number, !(error is CancellationError) else { return }
            throw await fail(error)
        }
    }

    /// The first sound from a place on; `nil` when the jump is obsolete or there is none.
    private func firstSound(_ jump: UInt64, from cursor: TextCursor) async throws -> SpeechStream.FirstSound? {
        // A newer jump may have run before this task, and needs the sounds that it is having made.
        guard jump == jumps.number else { return nil }
        if case .sound(let piece, let clip, let frame) = cursor.offset {
            // The following sentences are synthesized with the present settings.
            let following = upcoming(from: .start(of: cursor.segment + 1), count: ahead)
            scheduler.keepOnly([piece.request] + following.map(\.request))
            return SpeechStream.FirstSound(piece: piece, clip: clip, frame: frame)
        }
        var cursor = cursor
        var pause: (segment: Int, seconds: Double)?
        if case .pause(let left) = cursor.offset {
            if left > 0 { pause = (cursor.segment, left) }
            cursor = .start(of: cursor.segment + 1)
        }
        while jump == jumps.number {
            let pieces = upcoming(from: cursor, count: 1 + ahead)
            scheduler.keepOnly(pieces.map(\.request))
            guard let piece = pieces.first else {
                await finishAtEnd()
                return nil
            }
            let clip = scheduler.clip(for: piece.request)
            if let frame = try await frame(of: cursor, in: clip), jump == jumps.number {
                return SpeechStream.FirstSound(piece: piece, clip: clip, frame: frame, pause: pause)
            }
            guard jump == jumps.number else { return nil }
            // Nothing of this segment can be spoken; its warnings say why.
            tellWarnings(of: piece, clip, frame: nil)
            tellEnds(of: piece.segment, frame: nil)
            cursor = .start(of: cursor.segment + 1)
        }
        return nil
    }

    /// How many segments are made ahead.
    private var ahead: Int { settings.prefetch.clamped(to: 0...16) }

    /// The pieces from a place on.
    private func upcoming(from cursor: TextCursor, count: Int) -> [SpokenPiece] {
        let from: Int? = if case .text(let offset) = cursor.offset { offset } else { nil }
        return script.withScript { [settings, capabilities = scheduler.capabilities] script in
            let end = min(script.segments.count, cursor.segment + count)
            guard cursor.segment < end else { return [] }
            return (cursor.segment..<end).map {
                SpokenPiece(
                    $0, from: $0 == cursor.segment ? from : nil, in: script, settings: settings,
                    capabilities: capabilities)
            }
        }
    }

    /// The frame to begin with, once the clip is far enough; `nil` for a clip without sound.
    private func frame(of cursor: TextCursor, in clip: SpeechClip) async throws -> Int? {
        if case .share = cursor.offset { await clip.waitUntilEnded() } else { await clip.waitUntilBegun() }
        if case .failed(let error)? = clip.end { throw error }
        guard clip.count > 0 else { return nil }
        switch cursor.offset {
        case .start, .text, .sound, .pause: return 0
        case .share(let share): return min(clip.count - 1, Int(share * Double(clip.count)))
        }
    }

    /// Makes a stream the present one. Called within ``commandQueue``.
    private func adopt(_ stream: SpeechStream, on deck: DeckID) async throws {
        let unplayed = output.adopt(stream, on: deck)
        jumps.ended()
        listen()
        if output.layer == nil { output.layer = await mixer.addLayer(.speech) }
        if let unplayed { await mixer.closeDeck(unplayed) }
        // A frozen layer with an old deck stays frozen with the new one.
        let isFrozen = await isLayerFrozen
        // Speech that is to be heard must not stay paused.
        if isFrozen, desiredState == .speaking, let layer = output.layer {
            await mixer.stop(layer, fade: 0, curve: .linear)
        }
        guard deck == output.deck, desiredState == .speaking || isFrozen else { return }
        try await sound(deck)
    }

    /// Ends what the layer has frozen, which would keep a new deck from being heard.
    private func endFrozenSound() async {
        guard await isLayerFrozen, let layer = output.layer else { return }
        await mixer.stop(layer, fade: 0, curve: .linear)
    }

    private var isLayerFrozen: Bool {
        get async {
            guard let layer = output.layer else { return false }
            return await mixer.status(of: layer).activity == .paused
        }
    }

    // MARK: Ends

    /// Nothing is left to speak.
    func finishAtEnd() async {
        abandon()
        let (total, count) = script.withScript { ($0.durations.total, $0.segments.count) }
        position.moveToEnd(segments: count, total: total)
        let isEnd = desiredState == .speaking || Self.speaks(engineState)
        desiredState = .stopped
        if isEnd {
            logCallback("didFinish", .finished)
            setState(.finished)
            tellEmptyUtterances(before: count, frame: nil)
            hubs.events.post(SpeechEvent(frame: nil, kind: .finished))
        }
        await silence()
    }

    /// Speech has failed; it can be begun again where it broke off.
    ///
    /// - Returns: The error for the caller.
    @discardableResult
    func fail(_ error: any Error) async -> CoreError {
        let error = error as? CoreError ?? .ioError(underlying: error)
        abandonStream()
        jumps.ended()
        position.forgetWord()
        desiredState = .stopped
        logCallback(
            "didFail", .failed(error), level: .error,
            [.errorCode: .open(error.code), .errorMessage: .open(error.message)])
        setState(.failed(error))
        hubs.events.post(SpeechEvent(frame: nil, kind: .failed(error)))
        await silence()
        return error
    }

    // MARK: Log

    /// Logs a call and the state of the engine.
    func logCall(_ action: String, _ state: EngineState) {
        logger.record(LogRecord("speech.\(action)", fields: fields(state).merging([.action: .open(action)]) { $1 }))
    }

    /// Logs a change of speech. Called before the state is posted, so that readers of the state log after it.
    func logCallback(
        _ name: String, _ state: EngineState, level: LogLevel = .info, _ more: [LogField: LogValue] = [:]
    ) {
        logger.record(LogRecord("speech.\(name)", level: level, fields: fields(state).merging(more) { $1 }))
    }

    private func fields(_ state: EngineState) -> [LogField: LogValue] {
        [
            .engine: .open(identifier), "isSpeaking": .open("\(Self.speaks(state))"),
            "isPaused": .open("\(state == .paused)"),
        ]
    }

    /// Whether there is speech to stop: heard, awaited or frozen.
    static func speaks(_ state: EngineState) -> Bool { state == .playing || state == .buffering || state == .paused }
}
