internal import DescantCore
internal import Foundation

extension SpeechEngine {
    /// Begins to read the mixer's events; the subscription exists before anything sounds.
    func listen() {
        guard output.listener == nil else { return }
        let events = mixer.mixEvents.buffered(.bounded(4_096)).numbered
        output.listener = Task { [weak self] in
            for await event in events {
                guard let self else { return }
                await self.receive(event.event)
            }
        }
    }

    private func receive(_ event: MixEvent) async {
        if event.layer == nil { return outputReceived(event.kind) }
        guard event.layer == output.layer else { return }
        switch event.kind {
        case .deckStarted(let started) where started == output.deck: if !output.hasSounded { hasStarted() }
        case .paused where desiredState == .paused: setState(.paused)
        case .resumed where !jumps.isBeginning: hasResumed()
        case .starved(let starved) where starved == output.deck:
            output.isStarved = true
            if desiredState == .speaking { setState(.buffering) }
        case .underrun:
            output.isStarved = false
            if desiredState == .speaking, !jumps.isBeginning, output.stream != nil { setState(.playing) }
        case .cue(let sounding, let number):
            let isPresent = sounding == output.deck && !jumps.isBeginning
            for cue in output.takeCues(of: sounding, through: number) {
                heard(cue, at: event.frame, isPresent: isPresent)
            }
        case .deckEnded(let ended, let end):
            output.ended(ended)
            guard ended == output.deck else { return }
            if !jumps.isBeginning { return await hasEnded(end, at: event.frame) }
            if desiredState == .speaking { setState(.buffering) }
        default: break
        }
    }

    private func outputReceived(_ kind: MixEvent.Kind) {
        switch kind {
        case .outputLost where engineState == .playing: setState(.buffering)
        case .outputRestored where !jumps.isBeginning && output.stream != nil: hasResumed()
        default: break
        }
    }

    /// The deck is heard.
    func hasStarted() {
        output.hasSounded = true
        tellEmptyUtterances(before: position.cursor.segment, frame: nil)
        logCallback("didStart", desiredState == .speaking ? .playing : engineState)
        if desiredState == .speaking { setState(.playing) }
    }

    /// Frozen speech goes on, as far as it is there.
    func hasResumed() {
        if desiredState == .speaking { setState(output.isStarved ? .buffering : .playing) }
    }

    /// - Parameter isPresent: Whether it belongs to where speech is now, and not to what is on its way out after a jump.
    private func heard(_ cue: SpeechCue, at frame: Int64, isPresent: Bool) {
        switch cue {
        case .segment(let piece):
            let range = script.withScript { script in
                guard script.segments.indices.contains(piece.segment), piece.isWhole else { return nil as Range<Int>? }
                return script.segments[piece.segment].beginsSentence
                    ? script.sentenceRange(from: piece.segment) : nil
            }
            guard let range else { return }
            hubs.events.post(SpeechEvent(frame: frame, kind: .sentence(utf8Range: range)))
            if isPresent { hubs.sentences.post(range.lowerBound) }
        case .word(let range, let isEstimated):
            if isPresent {
                position.hear(range)
            }
            hubs.events.post(SpeechEvent(frame: frame, kind: .word(utf8Range: range, isEstimated: isEstimated)))
        case .segmentEnded(let piece, let clip):
            if isPresent {
                position.hearPause(before: script.withScript { $0.start(of: piece.segment + 1) })
            }
            tellWarnings(of: piece, clip, frame: frame)
            tellEnds(of: piece.segment, frame: frame)
        }
    }

    /// Tells the utterances that end with a segment.
    func tellEnds(of segment: Int, frame: Int64?) {
        tell(ended: script.withScript { $0.utterances(endingWith: segment) }, frame: frame)
    }

    /// Tells the utterances without segments between a segment and the one before it, unless they were told with that one.
    func tellEmptyUtterances(before segment: Int, frame: Int64?) {
        let ended = script.withScript { $0.emptyUtterances(before: segment) }
        tell(ended: ended.filter { $0.number >= position.nextUtterance }, frame: frame)
    }

    private func tell(ended utterances: [SpeechUtterance], frame: Int64?) {
        for utterance in utterances {
            position.nextUtterance = utterance.number + 1
            hubs.events.post(SpeechEvent(frame: frame, kind: .utteranceEnded(utterance)))
        }
    }

    /// Tells what of a piece could not be spoken.
    func tellWarnings(of piece: SpokenPiece, _ clip: SpeechClip, frame: Int64?) {
        let offset = piece.utf8Range.lowerBound
        for var warning in clip.warnings {
            let range = warning.utf8Range.clamped(to: 0..<piece.utf8Range.count)
            warning.utf8Range = offset + range.lowerBound..<offset + range.upperBound
            tell(warning, frame: frame)
        }
    }

    private func hasEnded(_ end: MixEvent.DeckEnd, at frame: Int64) async {
        guard let stream = output.stream else { return }
        switch end {
        case .finished:
            for cue in stream.takeSpeechCues(through: .max) { heard(cue, at: frame, isPresent: true) }
            await continueSpeech(behind: stream, at: frame)
        case .failed(let seconds, let error), .truncated(let seconds, let error):
            if let moment = stream.moment(at: seconds) {
                position.advance(by: seconds * stream.rate)
                position.cursor = wordCursor(at: moment)
            }
            await fail(error)
        case .replaced:
            // A device that cannot be had takes the deck from the layer too; the mixer says so when it has tried.
            if output.isStarting { output.wasReplaced = true } else { wasStopped() }
        }
    }

    /// The owner of the mixer has stopped the layer.
    func wasStopped() {
        abandon()
        desiredState = .stopped
        position.moveToStart()
        setState(.idle)
    }

    /// The stream was heard to its end.
    private func continueSpeech(behind stream: SpeechStream, at frame: Int64) async {
        var next: Int?
        if case .sampleRate(let segment)? = stream.ending { next = segment }
        if stream.ending == .abandoned { next = stream.nextSegment }
        // A text that was added when the end had been read already.
        let count = script.withScript { $0.segments.count }
        var cursor = next.map { TextCursor.start(of: $0) }
        if next == nil, stream.nextSegment < count { cursor = behind(stream.nextSegment - 1) }
        guard let cursor, cursor.segment < count else { return finish(at: frame) }
        // The position follows the sound that was read. A sum of the lengths that are known by now would give another position.
        position.advance(by: stream.secondsRead * stream.rate)
        do {
            try await begin(at: cursor)
        } catch {
            // `begin` has posted the failed state.
            logger.debug("\(identifier): speech broke off: \(error)")
        }
    }

    private func finish(at frame: Int64) {
        let (total, count) = script.withScript { ($0.durations.total, $0.segments.count) }
        // The position was that of the stream's end; the total is another sum of the same lengths, rounded in another order.
        let end = output.stream.map { position.anchor + $0.secondsRead * $0.rate } ?? 0
        output.forgetStreams()
        position.forgetWord()
        desiredState = .stopped
        position.moveToEnd(segments: count, total: max(total, end))
        logCallback("didFinish", .finished)
        setState(.finished)
        tellEmptyUtterances(before: count, frame: frame)
        hubs.events.post(SpeechEvent(frame: frame, kind: .finished))
    }
}
