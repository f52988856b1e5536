internal import DescantCore

/// Rendering a block, in parts within which nothing changes.
extension LayerCore {
    /// Renders up to `frames` frames of which the first is `frame` on the output's timeline.
    ///
    /// - Returns: The frames rendered, whether all are silent, and why there are fewer than asked for. When the layer
    ///   becomes idle, the frames up to that moment are rendered and `stall` is `nil`.
    mutating func render(
        into buffer: UnsafeMutablePointer<Float>, frames: Int, frame: Int64, stopsWhenIdle: Bool
    ) -> (frames: Int, isSilent: Bool, stall: Stall?) {
        var done = 0
        var silent = true
        nextFrame = frame
        while done < frames {
            if stopsWhenIdle, isIdle, remainingTail == 0 { break }
            let target = buffer + done * mix.channels
            let needed = frames - done
            if isSilent {
                target.update(repeating: 0, count: needed * mix.channels)
                gain.finish()
                done = frames
                break
            }
            let part = renderPart(into: target, frames: min(needed, gate.boundary), frame: frame + Int64(done))
            done += part.frames
            if part.frames > 0 { silent = false }
            if let stall = part.stall {
                nextFrame = frame + Int64(done)
                return (done, silent, stall)
            }
        }
        nextFrame = frame + Int64(done)
        return (done, silent, nil)
    }

    /// Renders frames again that are in the output already, for the state after them.
    mutating func repeatFrames(into buffer: UnsafeMutablePointer<Float>, frames: Int, frame: Int64) {
        clock?.isRepeating = true
        defer { clock?.isRepeating = false }
        _ = render(into: buffer, frames: frames, frame: frame, stopsWhenIdle: false)
    }

    /// Renders a part in which the gate does not change.
    private mutating func renderPart(
        into buffer: UnsafeMutablePointer<Float>, frames: Int, frame: Int64
    ) -> (frames: Int, stall: Stall?) {
        var count = frames
        if gate.replays {
            gate.replay(into: buffer, frames: frames)
            hasSounded = true
        } else if isIdle {
            count = min(frames, max(1, remainingTail))
            buffer.update(repeating: 0, count: count * mix.channels)
            addRinging(to: buffer, frames: count)
            effects.process(buffer, frames: count)
            hasSounded = false
        } else {
            let mixed = mixVoices(into: buffer, frames: frames, frame: frame)
            count = mixed.frames
            if count == 0 { return mixed }
            effects.process(buffer, frames: count)
        }
        if isKey, hasSounded, !gate.isClosing { noteSound(frame..<frame + Int64(count)) }
        let wasFrozen = gate.isFrozen
        gate.process(buffer, frames: count)
        // A pause that came within the ramp of a resumption begins at the end of that ramp.
        if gate.isFrozen, !wasFrozen { freezePosition(at: frame + Int64(count)) }
        gain.apply(to: buffer, frames: count, channels: mix.channels)
        if gate.isClosed {
            nextFrame = frame + Int64(count)
            settleWhenClosed()
            gate.carryOutQueued()
            // A resumption that came within the ramp of a pause begins at the end of that ramp.
            if !gate.isFrozen, !isIdle { releasePosition(at: nextFrame) }
        }
        return (count, nil)
    }

    private mutating func noteSound(_ frames: Range<Int64>) {
        if let last = soundSpans.last, last.upperBound == frames.lowerBound {
            soundSpans[soundSpans.count - 1] = last.lowerBound..<frames.upperBound
        } else {
            soundSpans.append(frames)
        }
    }

    /// Sums the voices up to the next frame at which something changes.
    private mutating func mixVoices(
        into buffer: UnsafeMutablePointer<Float>, frames: Int, frame: Int64
    ) -> (frames: Int, stall: Stall?) {
        var span = frames
        var changed = true
        clock?.frame = frame
        while changed {
            if waits, needsDecision { return (0, .decision) }
            stopAsPlanned(at: frame)
            for voice in leaving { voice.fill(frames, keepsConversion: voice.loop?.joinsNextPass ?? false) }
            fillCurrent(frames)
            if awaitsSeek, current?.isSeeking == false, current?.framesToJump == nil { markPosition(frame: frame) }
            (span, changed) = applyChanges(within: frames, at: frame)
            if isIdle { return (0, nil) }
        }
        if waits {
            if let stall = clampToData(&span) { return (0, stall) }
        }
        sum(into: buffer, frames: span, frame: frame)
        plannedStop?.framesLeft -= Int64(span)
        return (span, nil)
    }

    /// Reads the present deck's share of this many frames.
    private func fillCurrent(_ frames: Int) {
        guard let current else { return }
        current.fill(frames + holdBack, keepsConversion: keepsConversion)
        guard current.inputEnded, current.successor == nil, current.loop == nil, current.framesToJump == nil,
            current.available < frames, keepsConversion, let next
        else { return }
        current.continueInto(next.queued)
        current.fill(frames, keepsConversion: true)
    }

    /// Sums the voices.
    private mutating func sum(into buffer: UnsafeMutablePointer<Float>, frames: Int, frame: Int64) {
        var isFirst = true
        hasSounded = leaving.contains { !$0.isInDelay } || current?.isInDelay == false
        if let present = current, present.isInDelay {
            present.ring(into: buffer, frames: frames, isFirst: true)
            isFirst = false
        } else if let present = current {
            let given = add(present, to: buffer, frames: frames, isFirst: true, frame: frame)
            isFirst = false
            noteStarvation(frames - given, voice: present, frame: frame + Int64(given))
        }
        for voice in leaving {
            if voice.isInDelay {
                voice.ring(into: buffer, frames: frames, isFirst: isFirst)
            } else {
                _ = add(voice, to: buffer, frames: frames, isFirst: isFirst, frame: frame)
            }
            isFirst = false
        }
        if isFirst { buffer.update(repeating: 0, count: frames * mix.channels) }
        addRinging(to: buffer, frames: frames)
    }

    /// Adds what rings in the effects of voices that have ended.
    private mutating func addRinging(to buffer: UnsafeMutablePointer<Float>, frames: Int) {
        guard !ringing.isEmpty else { return }
        for index in ringing.indices { ringing[index].add(to: buffer, frames: frames, memory: tailMemory) }
        ringing.removeAll(where: \.isSilent)
    }

    /// Adds the next frames of a voice and reports their cues.
    ///
    /// - Returns: How many frames were there.
    private mutating func add(
        _ voice: Voice, to buffer: UnsafeMutablePointer<Float>, frames: Int, isFirst: Bool, frame: Int64
    ) -> Int {
        let start = voice.position
        if starvedFrames > 0, voice === current, voice.available > 0 { endStarvation(of: voice, at: frame) }
        let given = voice.add(to: buffer, frames: frames, isFirst: isFirst)
        for cue in voice.takeCues(since: start) {
            post(.cue(voice.id, number: cue.number), at: frame + min(cue.offset, Int64(max(0, given - 1))))
        }
        return given
    }

    /// Reports an underrun, once per gap; silence during a seek does not count.
    private mutating func noteStarvation(_ missing: Int, voice: Voice, frame: Int64) {
        guard missing > 0, !voice.isSeeking, !voice.isComplete else { return }
        if starvedFrames == 0 {
            post(.starved(voice.id), at: frame)
            log.mark(frame: frame, deck: voice.id, seconds: voice.position, slope: 0)
        }
        starvedFrames += Int64(missing)
    }

    /// Reports the end of an underrun; the position moves again.
    private mutating func endStarvation(of voice: Voice, at frame: Int64) {
        post(.underrun(frames: starvedFrames), at: frame)
        log.mark(frame: frame, deck: voice.id, seconds: voice.position, slope: voice.slope)
        starvedFrames = 0
    }

    /// Shortens a span to the frames that every voice has; returns the deck to wait for when there are none.
    private func clampToData(_ span: inout Int) -> Stall? {
        for voice in voices where !voice.isComplete && !voice.isInDelay {
            if voice.available == 0 { return .deck(voice.awaitedDeck) }
            span = min(span, voice.available)
        }
        // A crossfade or a loop's fade out of a deck of uncertain length waits for the held-back frames.
        if let current, holdBack > 0, !current.inputEnded, current.available < holdBack + span {
            let spare = current.available - holdBack
            if spare <= 0 { return .deck(current.deck) }
            span = min(span, spare)
        }
        return nil
    }

    /// Frames of the present deck that are held back, so that its end is known in time for a fade before it.
    private var holdBack: Int {
        guard let current, !current.inputEnded, !current.isJumping,
            current.remaining(keepsConversion: keepsConversion) == nil
        else {
            return 0
        }
        var frames: Int64 = 0
        if let loop = current.loop, loop.fadesOutThisPass { frames = mix.keptLength(of: loop.plan.fadeOut) }
        // The next deck follows the last pass of a loop.
        if case .crossfade(let seconds, _)? = next?.join, current.loop?.isLastPass ?? true {
            frames = max(frames, mix.keptLength(of: seconds))
        }
        return Int(frames)
    }

    /// Whether the next deck or loop pass continues in the present converter, without a gap.
    private var keepsConversion: Bool {
        if let current, let loop = current.loop { return loop.joinsNextPass }
        guard let next, let current, next.queued.deck.sampleRate == current.deck.sampleRate, current.failure == nil
        else { return false }
        // What is in a converter belongs to both decks, and effects to one of them.
        guard next.queued.effects.isEmpty, current.effects.passesUntouched else { return false }
        if case .afterCrossfade = next.join { return false }
        return plannedOverlap == nil
    }

    /// The crossfade into the next deck, which ends with the last pass of a loop; `nil` when the decks are joined
    /// without a gap, nothing follows, the end is not known yet, or the loop is endless.
    var plannedOverlap: (frames: Int64, remaining: Int64, curve: FadeCurve)? {
        guard case .crossfade(let seconds, let curve)? = next?.join,
            let remaining = current?.framesToEnd
        else { return nil }
        let frames = min(mix.length(of: seconds), remaining)
        // A crossfade shorter than 0.1 s sounds like a cut; the decks are joined without a gap instead.
        return frames >= Int64(mix.sampleRate / 10) ? (frames, remaining, curve) : nil
    }

    /// Whether an offline render must wait until the follow-up is set.
    private var needsDecision: Bool {
        guard !followUpIsDecided else { return false }
        return current.map { $0.loop == nil } ?? (awaitingAfter != nil)
    }

    /// The frames for which effects go on to sound, as far as it is known.
    private var remainingTail: Int {
        ringing.reduce(effects.remainingTail) { max($0, $1.remaining) }
    }
}
