internal import DescantCore

/// The commands of a layer. They take effect at the next frame that is rendered.
extension LayerCore {
    /// Starts a deck; returns a follow-up that is not needed any more.
    mutating func play(_ queued: QueuedDeck, entry: DeckEntry, loop: LoopPlan?) -> DeckID? {
        completeJoin()
        let frame = nextFrame
        let takenBack = takeNext()
        awaitingAfter = nil
        var queued = queued
        queued.log = clock.map(ReadLog.init)
        // A deck that was taken back may have the speed of another layer.
        if rate != 1 || queued.deck.rate != 1 { queued.setRate(rate) }
        let voice = Voice(queued, mix: mix, loop: loop)
        // A stop has ended the pause, whose ramp was not heard yet.
        let endsPause = current == nil && gate.isClosing && leaving.contains { $0.exit == .stop }
        var entry = entry
        switch entry {
        case .crossfade where gate.isClosing: takeBackCrossfade(at: frame)
        // The ramp of the resumption takes the place of a fade-in.
        case .fadeIn where gate.isClosing: entry = .cut
        default: break
        }
        if gate.isClosed, overlap(of: entry) == nil {
            dropAll(at: frame)
            gate.discardKept()
        } else {
            // On a layer that is paused, the crossfade is frozen at its first frame. The frames that the gate has kept precede it.
            fadeOutPresent(for: voice, entry: entry, at: frame)
        }
        followUpIsDecided = loop != nil
        if endsPause {
            gate.open(rampFrames: 0)
            frozenPosition = nil
        }
        begin(voice, at: frame)
        return takenBack
    }

    /// Starts a deck, at a position of it that is reached before its first frame is rendered.
    ///
    /// - Parameters:
    ///   - seconds: Where it begins; 0 or more.
    ///   - rampFrames: The ramp with which it begins within the sound.
    mutating func play(
        _ queued: QueuedDeck, entry: DeckEntry, loop: LoopPlan?, at seconds: Double, rampFrames: Int64
    ) -> DeckID? {
        let takenBack = play(queued, entry: entry, loop: loop)
        guard seconds > 0 else { return takenBack }
        let isOpen = !gate.isClosing
        pause(rampFrames: 0)
        // Refused only without a deck or for a position that is not a number.
        try? seek(to: seconds, fadeFrames: 0)
        if isOpen { resume(rampFrames: rampFrames) }
        return takenBack
    }

    /// Removes the follow-up; returns its deck, at its beginning.
    private mutating func takeNext() -> DeckID? {
        guard let queued = next?.queued else { return nil }
        next = nil
        if let log = queued.log, log.end > 0 {
            log.isStale = true
            queued.deck.seek(toFrame: 0)
            queued.standby?.seek(toFrame: 0)
        }
        return queued.id
    }

    /// Takes back a crossfade that was started on a paused layer and not heard: the outgoing voice is the present one again, so
    /// that another deck fades into what was heard last.
    private mutating func takeBackCrossfade(at frame: Int64) {
        guard let incoming = current, !incoming.hasSounded, let index = leaving.lastIndex(where: \.isBeforeCrossfade)
        else { return }
        interruptCrossfade(at: frame)
        post(.deckEnded(incoming.id, .replaced), at: frame)
        retire(incoming, at: frame)
        let outgoing = leaving.remove(at: index)
        outgoing.stay()
        current = outgoing
    }

    /// The crossfade from the present deck to one with an entry; `nil` when less than 0.1 s is left of the present deck, in the delay of a
    /// loop, which is silent already, and on a paused layer for a deck that was not heard before.
    private func overlap(of entry: DeckEntry) -> (frames: Int64, curve: FadeCurve)? {
        guard case .crossfade(let seconds, let curve) = entry, let current, !current.isInDelay,
            !gate.isClosed || current.hasSounded
        else { return nil }
        let frames = min(mix.length(of: seconds), current.framesToEnd ?? Int64.max)
        return frames >= Int64(mix.sampleRate / 10) ? (frames, curve) : nil
    }

    /// Makes the present voices leave as the entry of the new voice requires.
    mutating func fadeOutPresent(for voice: Voice, entry: DeckEntry, at frame: Int64) {
        interruptCrossfade(at: frame)
        if gate.replays { leaveWithKept() }
        for index in leaving.indices where leaving[index].framesToExit ?? .max > declick {
            leaving[index].leave(.cut, curve: .linear, frames: declick)
        }
        // What a stop fades out ends with the new deck, too.
        for index in ringing.indices where ringing[index].framesToExit ?? 0 > declick {
            ringing[index].leave(curve: .linear, frames: declick)
        }
        if case .fadeIn(let seconds, let curve) = entry { voice.fadeIn(curve: curve, frames: mix.length(of: seconds)) }
        let crossfade = overlap(of: entry)
        guard let outgoing = current else { return }
        current = nil
        if let (length, curve) = crossfade {
            outgoing.leave(.crossfade, curve: curve, frames: length)
            voice.crossfadeIn(curve: curve, frames: length)
            post(.crossfadeStarted(from: outgoing.id, to: voice.id, frames: length), at: frame)
        } else {
            outgoing.leave(.cut, curve: .linear, frames: declick)
        }
        leaving.append(outgoing)
    }

    /// Replaces the present voices by a clip of their next frames. Within the ramp after a pause these are the frames
    /// that the gate kept and those that follow.
    private mutating func leaveWithKept() {
        guard let present = current ?? leaving.last else { return }
        var samples = gate.takeKept()
        let further = max(0, Int(declick) - samples.count / mix.channels)
        samples += mixed(frames: further)
        let kept = ClipDeck(samples: samples, format: mix)
        let passed = leaving.filter { $0 !== present }
        for voice in passed {
            post(.deckEnded(voice.id, end(of: voice)), at: nextFrame)
            retire(voice, at: nextFrame)
        }
        leaving.removeAll()
        let log = clock.map(ReadLog.init)
        current = Voice(QueuedDeck(id: present.id, deck: kept, standby: present.deck, gain: 1, log: log), mix: mix)
    }

    /// The sum of the next frames of all voices.
    private func mixed(frames: Int) -> [Float] {
        var samples = [Float](repeating: 0, count: frames * mix.channels)
        samples.withUnsafeMutableBufferPointer { buffer in
            guard let base = buffer.baseAddress else { return }
            for voice in voices where !voice.isInDelay {
                voice.fill(frames, keepsConversion: false)
                _ = voice.add(to: base, frames: frames, isFirst: false)
            }
        }
        return samples
    }

    /// Reports that a running crossfade ends early.
    private mutating func interruptCrossfade(at frame: Int64) {
        if leaving.contains(where: { $0.exit == .crossfade }), let current {
            post(.crossfadeEnded(to: current.id), at: frame)
        }
    }

    /// Carries out a seek or the end of a stop that waited for the end of a pause's ramp, or for a fade that is not
    /// heard any more.
    mutating func settleWhenClosed() {
        carryOutWaitingGains()
        carryOutWaitingJump()
        if let current, current.jumpAtOnce() {
            gate.discardKept()
            markPosition(frame: nextFrame)
            post(.didSeek(current.id, position: current.position), at: nextFrame)
        }
        if current == nil, awaitingAfter == nil, !leaving.isEmpty {
            dropAll(at: nextFrame)
            becomeIdle(at: nextFrame)
        }
    }

    /// Carries out the seek that waited for the end of a pause's ramp.
    private mutating func carryOutWaitingJump() {
        guard let jump = waitingJump else { return }
        waitingJump = nil
        // The deck may have ended during the ramp.
        if current?.id == jump.deck { try? seek(to: jump.seconds, fadeFrames: 0) }
    }

    /// Sets the gains that waited for the end of a pause's ramp. The frames that the gate has kept get them, too.
    private mutating func carryOutWaitingGains() {
        guard !waitingGains.isEmpty else { return }
        let sounding = voices.filter(\.hasSounded)
        for voice in voices {
            guard let gain = waitingGains[voice.id] else { continue }
            let before = voice.steadyDeckGain
            voice.setDeckGain(gain, rampFrames: 0)
            guard voice.hasSounded, gain != before, gate.keptFrames > 0 else { continue }
            if let before, before > 0, sounding.count == 1, ringing.isEmpty, effects.passesUntouched {
                gate.scaleKept(by: gain / before)
            } else {
                // One sound of a sum cannot get another gain afterwards. The resumption begins behind the kept frames.
                gate.discardKept()
                markPosition(frame: nextFrame)
            }
        }
        waitingGains.removeAll()
    }

    /// Removes all voices without a fade; for layers that are not heard.
    private mutating func dropAll(at frame: Int64) {
        interruptCrossfade(at: frame)
        for voice in voices {
            post(.deckEnded(voice.id, .replaced), at: frame)
            retire(voice, at: frame)
        }
        leaving.removeAll()
        ringing.removeAll()
        current = nil
    }

    /// Sets what follows; returns a previous follow-up that is not needed any more.
    mutating func setFollowUp(_ queued: (QueuedDeck, DeckJoin)?, isDecided: Bool) -> DeckID? {
        completeJoin()
        let takenBack = takeNext()
        if let (deck, join) = queued {
            next = (deck, join)
            next?.queued.log = clock.map(ReadLog.init)
            if rate != 1 || deck.deck.rate != 1 { next?.queued.setRate(rate) }
        }
        followUpIsDecided = isDecided
        if isDecided, let ended = awaitingAfter {
            awaitingAfter = nil
            if let next {
                self.next = nil
                post(.joined(from: ended, to: next.queued.id), at: nextFrame)
                begin(Voice(next.queued, mix: mix), at: nextFrame)
                followUpIsDecided = false
            } else if isIdle {
                becomeIdle(at: nextFrame)
            }
        }
        return takenBack
    }

    /// Changes the join of the follow-up, when it is this deck.
    mutating func changeJoin(_ join: DeckJoin, ifNextIs deck: DeckID) -> Bool {
        completeJoin()
        guard let next, next.queued.id == deck else { return false }
        self.next = (next.queued, join)
        return true
    }

    /// Removes everything at once, for a layer whose output could not be started.
    ///
    /// - Parameter deck: The deck of the failed start; a deck that has replaced it has a start of its own.
    mutating func abandon(_ deck: DeckID) -> DeckID? {
        completeJoin()
        // Voices that were stopped meanwhile were not heard either.
        guard !isIdle, current == nil || current?.id == deck else { return nil }
        let takenBack = takeNext()
        awaitingAfter = nil
        dropAll(at: nextFrame)
        becomeIdle(at: nextFrame)
        return takenBack
    }

    mutating func pause(rampFrames: Int64) {
        pauses &+= 1
        guard !isIdle, !gate.isClosing else { return }
        let wasFrozen = gate.isFrozen
        // Within the ramp of a resumption, the pause waits for the end of that ramp.
        let firstFrame = nextFrame + gate.framesToOpen
        gate.close(rampFrames: rampFrames)
        if gate.isFrozen, !wasFrozen { freezePosition(at: firstFrame) }
        post(.paused(position: frozenPosition ?? log.position(at: firstFrame)?.seconds ?? 0), at: nextFrame)
        if gate.isClosed { settleWhenClosed() }
    }

    mutating func resume(rampFrames: Int64) {
        guard !isIdle, gate.isClosing else { return }
        let wasFrozen = gate.isFrozen
        gate.open(rampFrames: rampFrames)
        // Within the ramp of a pause, the resumption waits for the end of that ramp.
        if wasFrozen, !gate.isFrozen { releasePosition(at: nextFrame) }
        post(.resumed, at: nextFrame)
        // A pause that waited for a ramp up was cancelled while its seek was pending.
        if gate.phase != .closing {
            carryOutWaitingJump()
            for (deck, gain) in waitingGains { setDeckGain(gain, of: deck, rampFrames: declick) }
        }
    }

    /// Fades everything out and makes the layer idle; returns the follow-up.
    ///
    /// - Parameter isUnheard: Whether a fade would not be heard, so that the layer becomes idle at once.
    mutating func stop(fadeFrames: Int64, curve: FadeCurve, isUnheard: Bool = false) -> DeckID? {
        completeJoin()
        let takenBack = takeNext()
        awaitingAfter = nil
        plannedStop = nil
        // A deck that is started within the fade has no gap.
        starvedFrames = 0
        followUpIsDecided = true
        if gate.isClosed || isUnheard {
            dropAll(at: nextFrame)
        } else {
            interruptCrossfade(at: nextFrame)
            if let present = current { leaving.append(present) }
            current = nil
            let fade = max(declick, fadeFrames)
            for voice in leaving { voice.leave(.stop, curve: curve, frames: fade) }
            for index in ringing.indices { ringing[index].leave(curve: curve, frames: fade) }
        }
        if isIdle { becomeIdle(at: nextFrame) }
        return takenBack
    }

    mutating func seek(to seconds: Double, fadeFrames: Int64) throws {
        guard let deck = current?.id else {
            throw CoreError.invalidState("nothing is playing that could be moved to \(seconds) s")
        }
        guard !seconds.isNaN else { throw CoreError.invalidArgument("a position that is not a number") }
        if gate.isClosing, !gate.isClosed {
            waitingJump = (deck, seconds)
            return
        }
        waitingJump = nil
        completeJoin()
        interruptCrossfade(at: nextFrame)
        let isPaused = gate.isClosed
        for index in leaving.indices where leaving[index].exit == .crossfade {
            leaving[index].leave(.cut, curve: .linear, frames: isPaused ? 0 : max(seekFade, fadeFrames))
        }
        current?.seek(toSeconds: seconds, fadeFrames: isPaused ? 0 : max(seekFade, fadeFrames))
        guard isPaused, let current else { return }
        gate.discardKept()
        markPosition(frame: nextFrame)
        post(.didSeek(current.id, position: current.position), at: nextFrame)
    }

    mutating func shortenCrossfade(withinFrames frames: Int64) {
        guard leaving.contains(where: { $0.exit == .crossfade }) else { return }
        for index in leaving.indices where leaving[index].exit == .crossfade {
            leaving[index].shortenFades(toFrames: max(declick, frames))
        }
        current?.shortenFades(toFrames: max(declick, frames))
    }

    mutating func setGain(_ target: Double, rampFrames: Int64) {
        gain.move(to: target, frames: isSilent ? 0 : max(declick, rampFrames))
    }

    /// Sets the gain of a deck that sounds on this layer or follows. Without a ramp, it takes 10 ms within the sound; on a paused
    /// layer the deck has it from the first frame of the resumption.
    mutating func setDeckGain(_ gain: Double, of deck: DeckID, rampFrames: Int64) {
        if next?.queued.id == deck { completeJoin() }
        waitingGains[deck] = nil
        if gate.isClosing, rampFrames == 0 {
            waitingGains[deck] = gain
            if gate.isClosed { carryOutWaitingGains() }
        } else {
            for voice in voices where voice.id == deck {
                voice.setDeckGain(gain, rampFrames: max(declick, rampFrames))
            }
        }
        if next?.queued.id == deck { next?.queued.gain = gain }
    }

    /// Sets the effects of a deck that sounds on this layer or follows.
    mutating func setEffects(_ plan: EffectPlan, ofDeck deck: DeckID) {
        completeJoin()
        for voice in voices where voice.id == deck { voice.setEffects(plan) }
        if next?.queued.id == deck { next?.queued.effects = plan }
    }

    /// Sets the ducking of the layer; the level continues from its present value.
    mutating func setDucking(_ plan: DuckingPlan?) {
        if ducker == nil, let plan { ducker = Ducker(plan, sampleRate: mix.sampleRate) }
        ducker?.follow(plan)
    }

    mutating func setRate(_ rate: Double) {
        guard rate != self.rate else { return }
        completeJoin()
        self.rate = rate
        next?.queued.setRate(rate)
        guard gate.isClosed else {
            current?.setRate(rate, fadeFrames: declick)
            return
        }
        // The frames of the pause's ramp are played again at the new speed.
        current?.setRate(rate, fromSeconds: frozenPosition, fadeFrames: 0)
        gate.discardKept()
        markPosition(frame: nextFrame)
    }

    mutating func setLoop(_ plan: LoopPlan) { current?.loop?.plan = plan }

    func status(heard frame: Int64) -> LayerStatus {
        let activity: LayerStatus.Activity =
            if isIdle { .idle } else if gate.isClosing { .paused } else if current == nil, awaitingAfter == nil {
                .stopping
            } else { .playing }
        // Until the present deck is heard, its position is its beginning.
        let heard = log.position(at: frame).flatMap { $0.deck == current?.id ? $0.seconds : nil }
        let position = min(heard ?? 0, current?.duration ?? .infinity)
        let crossfade = leaving.first { $0.exit == .crossfade }?.framesToExit
        return LayerStatus(
            activity: activity, deck: current?.id ?? awaitingAfter, position: position, duration: current?.duration,
            isCrossfading: crossfade != nil, crossfadeRemaining: mix.seconds(of: crossfade ?? 0),
            plannedStopRemaining: plannedStop.map { plan in
                mix.seconds(of: plan.framesLeft + (isSilent ? 0 : max(0, nextFrame - frame)))
            },
            renderedPosition: max(position, frozenPosition ?? current?.position ?? position))
    }
}
