internal import DescantCore

/// A deck that its layer does not need any more from a frame on.
struct ReleasedDeck: Sendable {
    var frame: Int64
    var id: DeckID
    /// The decks to close; `nil` for a follow-up that did not sound and may be used again.
    var decks: [any Deck]?
}

/// Renders a layer, block by block. Not thread-safe: ``Layer`` guards it.
///
/// The signal flows voices with effects of their own → effects → pause gate → layer gain. Every decision that falls on a frame (a crossfade that is due, a
/// fade that has ended, a deck that is over) splits the block there, so transitions are exact whatever the block size.
struct LayerCore {
    /// The reason why a render is short; an offline render waits, a real-time one plays silence.
    enum Stall: Sendable {
        case deck(any Deck)
        case decision
    }

    let id: LayerID
    let mix: PCMFormat
    /// Whether missing data and undecided follow-ups stop the render rather than sound as silence.
    let waits: Bool
    /// The clock of the logs of what voices read, when the layer may be returned to an earlier frame.
    let clock: RenderClock?
    var current: Voice?
    var leaving: [Voice] = []
    /// What rings in the effects of voices that have ended.
    var ringing: [VoiceTail] = []
    private let tailMemory: InputMemory
    var next: (queued: QueuedDeck, join: DeckJoin)?
    /// Whether the host has set what follows the present deck.
    var followUpIsDecided = true
    /// The deck that ended before its follow-up was set; the layer waits in silence.
    var awaitingAfter: DeckID?
    /// The position of the pause, in seconds, from the beginning of its ramp until the ramp of the resumption begins.
    var frozenPosition: Double?
    /// Counts pauses, repeated ones included: a resumption that waits for a device must not undo a later pause.
    var pauses: UInt64 = 0
    /// A seek that waits for the end of a pause's ramp.
    var waitingJump: (deck: DeckID, seconds: Double)?
    /// Gains of decks, without a ramp, that wait for the end of a pause's ramp.
    var waitingGains: [DeckID: Double] = [:]
    /// A planned stop and the frames left before it.
    var plannedStop: (framesLeft: Int64, fadeFrames: Int64, curve: FadeCurve)?
    /// The output frame that will be rendered next.
    var nextFrame: Int64 = 0 {
        didSet { clock?.frame = nextFrame }
    }
    /// Whether the layer is to be dropped once it is idle.
    var isRemoved = false
    /// The effects. They lie before the gate, so that a pause freezes what rings in them.
    var effects: EffectChain
    var gate: PauseGate
    var gain = GainRamp(1)
    /// The ducking of the layer.
    var ducker: Ducker?
    /// Whether this layer ducks others, so that the frames of its sound are noted.
    var isKey = false
    /// The output frames in which a key layer has sounded since the last block.
    var soundSpans: [Range<Int64>] = []
    /// Whether a deck sounded in the part that was mixed last, rather than a loop's delay or the wait for a decision.
    private var hasSounded = false
    var rate = 1.0
    var log = TimelineLog()
    /// The events that were not collected yet.
    var events: [MixEvent] = []
    /// Decks that are not needed any more and were not collected yet.
    var released: [ReleasedDeck] = []
    var starvedFrames: Int64 = 0
    /// Whether the frame is still unknown at which the present deck continues after a seek.
    var awaitsSeek = false

    init(id: LayerID, mix: PCMFormat, waits: Bool, keepsLogs: Bool = false) {
        self.id = id
        self.mix = mix
        self.waits = waits
        clock = keepsLogs ? RenderClock() : nil
        effects = EffectChain(mix)
        tailMemory = InputMemory(channels: mix.channels)
        gate = PauseGate(channels: mix.channels)
    }

    /// The length of the fade at every cut, 10 ms in frames.
    var declick: Int64 { Int64(mix.sampleRate / 100) }

    /// The shortest fade before and behind a seek: both together are as long as the fade at every cut.
    var seekFade: Int64 { declick / 2 }

    /// The voices that sound: those that leave, and the present one.
    var voices: [Voice] { leaving + (current.map { [$0] } ?? []) }

    var isIdle: Bool { current == nil && leaving.isEmpty && awaitingAfter == nil }

    /// Whether an offline render must wait until the follow-up is set.
    private var needsDecision: Bool {
        guard !followUpIsDecided else { return false }
        return current.map { $0.loop == nil } ?? (awaitingAfter != nil)
    }

    /// Whether the layer has neither decks nor the sound of effects.
    var isFinished: Bool { isIdle && ringing.isEmpty && effects.isAtRest }

    /// The frames for which effects go on to sound, as far as it is known.
    private var remainingTail: Int {
        ringing.reduce(effects.remainingTail) { max($0, $1.remaining) }
    }

    /// Whether a render would give silence only.
    var isSilent: Bool { isFinished || gate.isClosed }

    /// Reads the frames of the next block, so that it begins with sound.
    ///
    /// - Returns: The deck to wait for, when it has not delivered enough and may deliver more.
    mutating func readAhead(frames: Int64) -> (any Deck)? {
        guard let current, !isSilent, !gate.replays else { return nil }
        current.readAhead(Int(frames))
        return current.inputEnded || current.available >= Int(frames) ? nil : current.deck
    }

    /// The present deck, when it has no data although it should sound.
    var starvedDeck: (any Deck)? {
        guard let current, !isSilent, starvedFrames > 0 || current.isSeeking, !current.isComplete else { return nil }
        return current.awaitedDeck
    }

    /// The first output frame that the present deck had no data for; `nil` when none is missing, and during a seek.
    var firstMissingFrame: Int64? { starvedFrames > 0 ? nextFrame - starvedFrames : nil }

    // MARK: Rendering

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
    private var plannedOverlap: (frames: Int64, remaining: Int64, curve: FadeCurve)? {
        guard case .crossfade(let seconds, let curve)? = next?.join,
            let remaining = current?.framesToEnd
        else { return nil }
        let frames = min(mix.length(of: seconds), remaining)
        // A crossfade shorter than 0.1 s sounds like a cut; the decks are joined without a gap instead.
        return frames >= Int64(mix.sampleRate / 10) ? (frames, remaining, curve) : nil
    }

    mutating func post(_ kind: MixEvent.Kind, at frame: Int64) {
        events.append(MixEvent(frame: frame, layer: id, kind: kind))
    }

    // MARK: Changes at a frame

    /// Makes the changes that are due at this frame.
    ///
    /// - Returns: The frames until the next change, and whether a change was made, after which the caller must look
    ///   again.
    private mutating func applyChanges(within frames: Int, at frame: Int64) -> (span: Int, changed: Bool) {
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

    /// A copy that renders the same sound again. The voices need logs.
    func copy() -> LayerCore {
        var copy = self
        copy.current = current?.copy()
        copy.leaving = leaving.map { $0.copy() }
        copy.ringing = ringing.map(\.snapshot)
        copy.effects = effects.snapshot
        copy.events.removeAll()
        copy.released.removeAll()
        return copy
    }

    /// Drops what only older copies would read again.
    func trimLogs() {
        current?.trimLog()
        leaving.forEach { $0.trimLog() }
    }

    // MARK: The log

    /// Notes in the log that the present voice sounds from its position at this frame on.
    mutating func markPosition(frame: Int64) {
        guard let current else { return }
        if gate.isFrozen { frozenPosition = current.position }
        // During a seek or a change of speed, position and speed are unknown until the first frames are there.
        awaitsSeek = current.isSeeking
        let stands = gate.isFrozen || current.isSeeking
        log.mark(frame: frame, deck: current.id, seconds: current.position, slope: stands ? 0 : current.slope)
    }

    /// Notes that the ramp of a pause begins at this frame, from whose position the resumption goes on.
    mutating func freezePosition(at frame: Int64) {
        let position = log.position(at: frame)?.seconds ?? 0
        frozenPosition = position
        log.mark(frame: frame, deck: current?.id, seconds: position, slope: 0)
    }

    /// Notes that the position moves again from this frame on, where the ramp of a resumption begins.
    mutating func releasePosition(at frame: Int64) {
        let position = frozenPosition ?? 0
        frozenPosition = nil
        // The position of a deck that seeks, or has no data, stands still until data is there.
        awaitsSeek = current?.isSeeking == true
        let stands = awaitsSeek || starvedFrames > 0
        // A deck that was started in the pause begins behind the frames that the gate has kept.
        let beginsLater = gate.replays && current?.hasSounded == false
        let firstFrame = frame + Int64(beginsLater ? gate.keptFrames : 0)
        if beginsLater { log.mark(frame: frame, deck: current?.id, seconds: position, slope: 0) }
        log.mark(frame: firstFrame, deck: current?.id, seconds: position, slope: stands ? 0 : current?.slope ?? 0)
    }
}
