internal import DescantCore
internal import Foundation

extension SpeechEngine {
    /// Begins to read the mixer's events; the subscription exists before anything sounds.
    func listen() {
        guard listener == nil else { return }
        let events = mixer.mixEvents.buffered(.bounded(4_096)).numbered
        listener = Task { [weak self] in
            for await event in events {
                guard let self else { return }
                await self.receive(event.event)
            }
        }
    }

    private func receive(_ event: MixEvent) async {
        if event.layer == nil { return outputReceived(event.kind) }
        guard event.layer == speechLayer else { return }
        switch event.kind {
        case .deckStarted(let started) where started == deck: if !hasSounded { hasStarted() }
        case .paused where wish == .pause: setState(.paused)
        case .resumed where beginning == nil: hasResumed()
        case .starved(let starved) where starved == deck:
            isStarved = true
            if wish == .speech { setState(.buffering) }
        case .underrun:
            isStarved = false
            if wish == .speech, beginning == nil, line != nil { setState(.playing) }
        case .cue(let sounding, let number):
            let isPresent = sounding == deck && beginning == nil
            for meaning in lines[sounding]?.takeMeanings(through: number) ?? [] {
                heard(meaning, at: event.frame, isPresent: isPresent)
            }
        case .deckEnded(let ended, let end):
            lines[ended] = nil
            guard ended == deck else { return }
            if beginning == nil { return await hasEnded(end, at: event.frame) }
            if wish == .speech { setState(.buffering) }
        default: break
        }
    }

    private func outputReceived(_ kind: MixEvent.Kind) {
        switch kind {
        case .outputLost where engineState == .playing: setState(.buffering)
        case .outputRestored where wish == .speech && beginning == nil && line != nil: setState(.playing)
        default: break
        }
    }

    /// The deck is heard.
    func hasStarted() {
        hasSounded = true
        logCallback("didStart", wish == .speech ? .playing : engineState)
        if wish == .speech { setState(.playing) }
    }

    /// Frozen speech goes on, as far as it is there.
    func hasResumed() {
        if wish == .speech { setState(isStarved ? .buffering : .playing) }
    }

    /// - Parameter isPresent: Whether it belongs to where speech is now, and not to what is on its way out after a jump.
    private func heard(_ meaning: SpeechCue, at frame: Int64, isPresent: Bool) {
        switch meaning {
        case .segment(let piece):
            let range = copy.withScript { script in
                guard script.segments.indices.contains(piece.segment), piece.isWhole else { return nil as Range<Int>? }
                return script.segments[piece.segment].beginsSentence
                    ? script.sentenceRange(from: piece.segment) : nil
            }
            guard let range else { return }
            eventHub.post(SpeechEvent(frame: frame, kind: .sentence(utf8Range: range)))
            if isPresent { sentenceHub.post(range.lowerBound) }
        case .word(let range, let isEstimated):
            if isPresent {
                currentWord = range
                passedOffset = nil
            }
            eventHub.post(SpeechEvent(frame: frame, kind: .word(utf8Range: range, isEstimated: isEstimated)))
        case .segmentEnded(let piece, let clip):
            if isPresent {
                currentWord = nil
                passedOffset = copy.withScript { $0.start(of: piece.segment + 1) }
            }
            tellWarnings(of: piece, clip, frame: frame)
            let ended = copy.withScript { script in
                script.endsUtterance(piece.segment) ? script.utterance(of: piece.segment) : nil
            }
            if let ended { eventHub.post(SpeechEvent(frame: frame, kind: .utteranceEnded(ended))) }
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
        guard let line else { return }
        switch end {
        case .finished:
            for meaning in line.takeMeanings(through: .max) { heard(meaning, at: frame, isPresent: true) }
            await goOn(behind: line, at: frame)
        case .failed(let seconds, let error), .truncated(let seconds, let error):
            if let moment = line.moment(at: seconds) {
                anchor += seconds * line.rate
                place = wordPlace(moment)
            }
            await fail(error)
        case .replaced:
            // A device that cannot be had takes the deck from the layer too; the mixer says so when it has tried.
            if isStarting { wasReplaced = true } else { wasStopped() }
        }
    }

    /// Whoever owns the mixer has stopped the layer.
    func wasStopped() {
        abandon()
        wish = .silence
        moveToStart()
        setState(.idle)
    }

    /// The line was heard to its end.
    private func goOn(behind line: SpeechStream, at frame: Int64) async {
        var next: Int?
        if case .sampleRate(let segment)? = line.ending { next = segment }
        if line.ending == .abandoned { next = line.nextSegment }
        // A text that was added when the end had been read already.
        let count = copy.withScript { $0.segments.count }
        var place = next.map { TextCursor.start(of: $0) }
        if next == nil, line.nextSegment < count { place = behind(line.nextSegment - 1) }
        guard let place, place.segment < count else { return finish(at: frame) }
        anchor = position(of: place)
        do {
            try await begin(at: place)
        } catch {
            // `begin` has told it by the state.
            logger.debug("\(identifier): speech broke off: \(error)")
        }
    }

    private func finish(at frame: Int64) {
        let (total, count) = copy.withScript { ($0.pace.total, $0.segments.count) }
        forgetLines()
        forgetWord()
        wish = .silence
        anchor = total
        reportedShare = 1
        place = .start(of: count)
        logCallback("didFinish", .finished)
        setState(.finished)
        eventHub.post(SpeechEvent(frame: frame, kind: .finished))
    }
}
