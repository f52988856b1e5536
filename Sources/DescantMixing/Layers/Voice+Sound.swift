internal import DescantCore

/// The frames that a voice adds to the mix, its effects, its gains and the fades with which it leaves.
extension Voice {
    /// Adds the next frames to a mix; missing frames are silence. Returns the number of frames added.
    func add(to buffer: UnsafeMutablePointer<Float>, frames: Int, isFirst: Bool) -> Int {
        let channels = mix.channels
        let count = min(frames, queue.frames)
        if count > 0 {
            hasSounded = true
            passHasSounded = true
        }
        if !effects.passesUntouched {
            if isFirst { buffer.update(repeating: 0, count: frames * channels) }
            addThroughEffects(to: buffer, frames: frames)
            return count
        }
        let gains = gains
        queue.consume(frames: count) { source, count in
            if isFirst {
                buffer.update(from: source, count: count * channels)
                gains.apply(to: buffer, frames: count, channels: channels)
            } else {
                gains.add(source, to: buffer, frames: count, channels: channels)
            }
        }
        if isFirst, count < frames {
            (buffer + count * channels).update(repeating: 0, count: (frames - count) * channels)
        }
        self.gains.advance(fadesWait ? count : frames)
        return count
    }

    /// Whether fades wait for data: a fade-in begins with the first frame of the new position. A fade-out continues during a seek.
    private var fadesWait: Bool { isSeeking && exit == nil && jump == nil }

    /// Adds frames that pass the effects, in which missing ones are silence. While fades wait for data, the effects ring on.
    private func addThroughEffects(to buffer: UnsafeMutablePointer<Float>, frames: Int) {
        let channels = mix.channels
        var done = 0
        while done < frames {
            let part = min(frames - done, input.frames)
            let count = min(part, queue.frames)
            queue.consume(frames: count) { source, count in
                input.start.update(from: source, count: count * channels)
            }
            (input.start + count * channels).update(repeating: 0, count: (part - count) * channels)
            gains.applyJump(to: input.start, frames: count, channels: channels)
            effects.process(input.start, frames: part)
            let passed = fadesWait ? count : part
            gains.applyRest(to: input.start, frames: part, waiting: passed, channels: channels)
            gains.advance(passed)
            let target = buffer + done * channels
            for sample in 0..<part * channels { target[sample] += input.start[sample] }
            done += part
        }
    }

    /// Adds what rings in the effects between two passes of a loop. The fades of the pass before hold until the next one begins.
    ///
    /// - Parameters:
    ///   - buffer: The mix, of interleaved frames.
    ///   - frames: How many frames; not more than are left of the delay.
    ///   - isFirst: Whether nothing was written to the mix yet.
    func ring(into buffer: UnsafeMutablePointer<Float>, frames: Int, isFirst: Bool) {
        let channels = mix.channels
        if isFirst { buffer.update(repeating: 0, count: frames * channels) }
        var done = 0
        while done < frames {
            let part = min(frames - done, input.frames)
            if !effects.isAtRest {
                input.start.update(repeating: 0, count: part * channels)
                effects.process(input.start, frames: part)
                gains.applyRest(to: input.start, frames: part, waiting: part, channels: channels)
                let target = buffer + done * channels
                for sample in 0..<part * channels { target[sample] += input.start[sample] }
            }
            gains.advance(part)
            done += part
        }
        loop?.delayLeft -= Int64(frames)
        if loop?.delayLeft ?? 0 <= 0 { changePassFades() }
    }

    /// What rings in the effects when the voice has ended; `nil` when nothing does.
    var tail: VoiceTail? {
        effects.isAtRest ? nil : VoiceTail(id: id, effects: effects, gains: gains, channels: mix.channels)
    }

    /// Sets the deck's effects: with a fade once the deck has sounded.
    func setEffects(_ plan: EffectPlan) {
        if hasSounded { effects.set(plan) } else { effects = EffectChain(mix, plan: plan) }
    }

    /// Takes the cues that were passed since a position, with their distances in output frames.
    func takeCues(since start: Double) -> [(number: UInt64, offset: Int64)] {
        guard !cues.isEmpty else { return [] }
        let end = isExhausted ? .infinity : position
        let passed = cues.prefix { Double($0.frame) / Double(deck.sampleRate) < end }
        cues.removeFirst(passed.count)
        return passed.map { cue in
            let distance = max(0, Double(cue.frame) / Double(deck.sampleRate) - start)
            return (cue.number, FrameCount(clamping: distance / slope).value)
        }
    }

    /// Changes the deck's own gain, with a ramp once the deck has sounded.
    func setDeckGain(_ gain: Double, rampFrames: Int64) {
        let isSilent = !hasSounded || isInDelay && effects.isAtRest
        gains.moveDeck(to: gain, frames: isSilent ? 0 : rampFrames)
    }

    /// The deck's own gain; `nil` while it moves.
    var steadyDeckGain: Double? { gains.steadyDeckGain }

    /// Fades in under a crossfade, which takes the place of the fade at the beginning of the first pass.
    func crossfadeIn(curve: FadeCurve, frames: Int64) {
        gains.fades.removeAll { $0.direction == .rising }
        fadeIn(curve: curve, frames: frames)
    }

    func fadeIn(curve: FadeCurve, frames: Int64) {
        if frames > 0 { gains.fades.append(Fade(.rising, curve: curve, frames: frames)) }
    }

    /// Makes the voice leave. Several exits multiply; the voice has left when the shortest one is complete.
    func leave(_ reason: Exit, curve: FadeCurve, frames: Int64) {
        gains.exits.append(Fade(.falling, curve: curve, frames: frames))
        exit = reason
        if isInDelay {
            dropPass()
            loop = nil
            return
        }
        // A gapless loop continues during every fade. A loop with a delay continues during a crossfade only: a stop does not
        // start another pass.
        let continues = loop.map { $0.joinsNextPass || reason == .crossfade && !$0.isLastPass } ?? false
        if !continues { loop = nil }
    }

    /// Whether the voice leaves with a crossfade that has not lowered it yet.
    var isBeforeCrossfade: Bool { exit == .crossfade && gains.exits.allSatisfy { $0.gain() == 1 } }

    /// Takes back the crossfade with which the voice was to leave, before it has lowered the voice.
    func stay() {
        gains.exits.removeAll()
        exit = nil
    }

    /// Forgets the frames of a pass that has been read and has not begun.
    private func dropPass() {
        queue.removeAll()
        cues.removeAll()
        inputPosition = 0
        inputEnded = true
        isDrained = true
        isSeeking = false
    }

    /// The frames until the voice has left; `nil` while it does not leave.
    var framesToExit: Int64? { gains.exits.map(\.remaining).min() }

    /// Shortens every fade to at most this many frames.
    func shortenFades(toFrames frames: Int64) { gains.shorten(toFrames: frames) }
}
