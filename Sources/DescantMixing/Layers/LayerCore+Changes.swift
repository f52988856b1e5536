internal import DescantCore

/// Changes at a frame: decks that begin, leave, are joined and end.
extension LayerCore {
    /// Makes the changes that are due at this frame.
    ///
    /// - Returns: The frames until the next change, and whether a change was made, after which the caller must look
    ///   again.
    mutating func applyChanges(within frames: Int, at frame: Int64) -> (span: Int, changed: Bool) {
        var span = Int64(frames)
        if let left = plannedStop?.framesLeft { span = min(span, left) }
        dropDeparted(at: frame)
        if let left = leaving.compactMap(\.framesToExit).min() { span = min(span, max(1, left)) }
        if repeatLeaving(within: &span) { return (0, true) }
        guard current != nil else { return (Int(span), false) }
        if enterAfterCrossfade(at: frame) { return (0, true) }
        if current?.jumpIfFaded() == true {
            markPosition(frame: frame)
            if let current { post(.didSeek(current.id, position: current.position), at: frame) }
            return (0, true)
        }
        if let left = current?.framesToJump { span = min(span, left) }
        // All other changes, such as a crossfade, depend on the new position.
        if current?.isSeekingAhead == true { return (Int(span), false) }
        if let delay = current?.loop?.delayLeft, delay > 0 { return (Int(min(span, delay)), false) }
        if current?.isExhausted == true {
            endCurrent(at: frame)
            return (0, true)
        }
        if let distance = current?.beginPassFadeOut() { span = min(span, distance) }
        if let due = crossfadeDue() {
            if due.distance <= 0 {
                beginCrossfade(frames: due.frames, curve: due.curve, at: frame)
                return (0, true)
            }
            span = min(span, due.distance)
        }
        if current?.isComplete == true, let available = current?.available { span = min(span, Int64(available)) }
        return (Int(span), false)
    }

    /// Starts the planned stop when it is due.
    mutating func stopAsPlanned(at frame: Int64) {
        guard let plan = plannedStop, plan.framesLeft <= 0 else { return }
        nextFrame = frame
        post(.plannedStopBegan(frames: max(declick, plan.fadeFrames)), at: frame)
        if let deck = stop(fadeFrames: plan.fadeFrames, curve: plan.curve) {
            released.append(ReleasedDeck(frame: frame, id: deck, decks: nil))
        }
    }

    private mutating func dropDeparted(at frame: Int64) {
        guard leaving.contains(where: { $0.framesToExit ?? 0 <= 0 }) else { return }
        let departed = leaving.filter { $0.framesToExit ?? 0 <= 0 }
        leaving.removeAll { $0.framesToExit ?? 0 <= 0 }
        for voice in departed {
            reportEnd(of: voice, at: frame)
            if voice.exit == .crossfade, let current { post(.crossfadeEnded(to: current.id), at: frame) }
            retire(voice, at: frame)
        }
        if isIdle { becomeIdle(at: frame) }
    }

    /// Continues the loops of leaving voices, so that their fades do not end at the end of a pass.
    ///
    /// - Parameter span: Shortened to the next change.
    /// - Returns: Whether a pass has begun.
    private mutating func repeatLeaving(within span: inout Int64) -> Bool {
        for voice in leaving {
            guard var loop = voice.loop else { continue }
            if loop.delayLeft > 0 {
                span = min(span, loop.delayLeft)
                continue
            }
            if voice.isExhausted {
                let goesOn = voice.failure == nil && voice.passHasSounded && loop.endPass()
                loop.delayLeft = mix.length(of: loop.plan.delay)
                voice.loop = goesOn ? loop : nil
                guard goesOn else { continue }
                voice.rewind()
                return true
            }
            if let distance = voice.beginPassFadeOut() { span = min(span, distance) }
            if voice.isComplete { span = min(span, Int64(voice.available)) }
        }
        return false
    }

    /// The frames until the crossfade into the next deck, its length and its curve; `nil` when none is planned or its
    /// position is not known yet.
    private func crossfadeDue() -> (distance: Int64, frames: Int64, curve: FadeCurve)? {
        plannedOverlap.map { ($0.remaining - $0.frames, $0.frames, $0.curve) }
    }

    /// Starts the deck that waited for the end of a crossfade; returns whether there was one.
    private mutating func enterAfterCrossfade(at frame: Int64) -> Bool {
        guard case .afterCrossfade(let seconds, let curve)? = next?.join, let queued = next?.queued,
            !leaving.contains(where: { $0.exit == .crossfade })
        else { return false }
        next = nil
        let voice = Voice(queued, mix: mix)
        fadeOutPresent(for: voice, entry: .crossfade(seconds, curve: curve), at: frame)
        begin(voice, at: frame)
        followUpIsDecided = false
        return true
    }

    /// Starts the crossfade into the next deck.
    private mutating func beginCrossfade(frames: Int64, curve: FadeCurve, at frame: Int64) {
        guard let outgoing = current, let next else { return }
        outgoing.leave(.crossfade, curve: curve, frames: frames)
        leaving.append(outgoing)
        let incoming = Voice(next.queued, mix: mix)
        incoming.fadeIn(curve: curve, frames: frames)
        self.next = nil
        post(.crossfadeStarted(from: outgoing.id, to: incoming.id, frames: frames), at: frame)
        begin(incoming, at: frame)
        followUpIsDecided = false
    }

    /// Makes a voice the present one and reports its start.
    mutating func begin(_ voice: Voice, at frame: Int64) {
        if starvedFrames > 0 {
            post(.underrun(frames: starvedFrames), at: frame)
            starvedFrames = 0
        }
        current = voice
        markPosition(frame: frame)
        post(.deckStarted(voice.id), at: frame)
    }

    /// Ends the present deck, or starts the next pass of its loop.
    private mutating func endCurrent(at frame: Int64) {
        guard let ended = current else { return }
        if var loop = ended.loop, ended.failure == nil {
            let goesOn = loop.endPass() && ended.passHasSounded
            ended.loop = loop
            post(.loopPassEnded(ended.id, passes: loop.passes), at: frame)
            if goesOn {
                ended.loop?.delayLeft = mix.length(of: loop.plan.delay)
                ended.rewind()
                current = ended
                markPosition(frame: frame)
                return
            }
        }
        reportEnd(of: ended, at: frame)
        current = nil
        if next != nil {
            join(after: ended, at: frame)
        } else {
            // Nothing ends the gap, and what is started later has none.
            starvedFrames = 0
            if !followUpIsDecided, ended.loop == nil { awaitingAfter = ended.id }
        }
        if let tail = ended.tail { ring(on: tail) }
        retire(ended, at: frame)
        if isIdle { becomeIdle(at: frame) }
    }

    /// The maximum number of voices that ring on. Effects cost the same whether they ring or sound, and short tracks end quickly.
    private static let mostRinging = 8

    /// Lets the effects of a voice that has ended ring on; the oldest one leaves when there are too many.
    private mutating func ring(on tail: VoiceTail) {
        ringing.append(tail)
        let staying = ringing.indices.filter { !ringing[$0].isLeaving }
        if staying.count > Self.mostRinging, let oldest = staying.first {
            ringing[oldest].leave(curve: .linear, frames: declick)
        }
    }

    /// Reports the end of a voice. A source that notices its end late may have cues on the last frame still.
    private mutating func reportEnd(of voice: Voice, at frame: Int64) {
        for cue in voice.takeCues(since: voice.position) { post(.cue(voice.id, number: cue.number), at: frame - 1) }
        post(.deckEnded(voice.id, end(of: voice)), at: frame)
    }

    /// Joins the next deck without a gap.
    private mutating func join(after ended: Voice, at frame: Int64) {
        guard let next else { return }
        self.next = nil
        post(.joined(from: ended.id, to: next.queued.id), at: frame)
        begin(ended.handOver() ?? Voice(next.queued, mix: mix), at: frame)
        followUpIsDecided = false
    }

    /// Completes a join whose next deck is being read already. The last two milliseconds of the present deck are in the
    /// converter, so the join cannot be undone.
    mutating func completeJoin() {
        guard let ended = current, ended.successor != nil else { return }
        reportEnd(of: ended, at: nextFrame)
        join(after: ended, at: nextFrame)
        retire(ended, at: nextFrame)
    }

    func end(of voice: Voice) -> MixEvent.DeckEnd {
        if let error = voice.failure {
            return voice.isTruncated
                ? .truncated(at: voice.position, error: error) : .failed(at: voice.position, error: error)
        }
        return voice.exit == nil || voice.exit == .crossfade ? .finished : .replaced
    }

    mutating func becomeIdle(at frame: Int64) {
        // What rings behind a pause would sound when the gate opens.
        if gate.isClosing {
            effects.reset()
            ringing.removeAll()
        }
        gate.reset()
        frozenPosition = nil
        starvedFrames = 0
        waitingGains.removeAll()
        followUpIsDecided = true
        log.mark(frame: frame, deck: nil, seconds: 0, slope: 0)
        post(.idle, at: frame)
    }

    mutating func retire(_ voice: Voice, at frame: Int64) {
        released.append(ReleasedDeck(frame: frame, id: voice.id, decks: voice.decks))
    }
}
