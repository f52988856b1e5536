internal import DescantCore

/// One deck on a layer, at the mix's sample rate: reads ahead into a queue, counts the remaining frames and applies
/// fades.
final class Voice {
    /// The reason why a voice leaves.
    enum Exit { case crossfade, cut, stop }

    let id: DeckID
    private(set) var deck: any Deck
    private var standby: (any Deck)?
    private let mix: PCMFormat
    private var conversion: RateConversion?
    private var queue: FrameQueue
    private let input: InputMemory
    private let log: ReadLog?
    /// The position in the log.
    private(set) var logPosition = 0
    /// The speed of the frames that were read last, relative to the source.
    private var rate: Double

    /// The deck's effects, before its gains.
    var effects: EffectChain
    private var gains: VoiceGains
    /// Whether a frame of the voice was rendered.
    private(set) var hasSounded = false
    /// The reason why the voice leaves; `nil` while it does not.
    private(set) var exit: Exit?
    private var jump: Jump?
    /// Whether the deck seeks to the jump's target already. The queue then holds the frames that fade out, and behind
    /// them those of the target.
    private(set) var isSeekingAhead = false
    private(set) var isSeeking = false
    var loop: LoopState?

    /// The source frame that is queued next.
    private var inputPosition: Int64 = 0
    private(set) var inputEnded = false
    private(set) var failure: CoreError?
    /// Whether the failure is a source that ended before its announced length.
    private(set) var isTruncated = false
    /// Whether this pass has sounded. A clip without frames is not repeated: its loop would never end.
    private(set) var passHasSounded = false
    private var isDrained = false
    /// Cues of the frames that were read and not played, in order.
    private var cues: [PCMCue] = []
    /// The voice that follows without a gap, once the end of this voice was read. It has taken over the converter,
    /// which delivers this voice's last frames when the first frames of the next deck go in.
    private(set) var successor: Voice?
    /// The frames of this voice that are still inside the successor's converter.
    private var framesInSuccessor = 0

    init(_ queued: QueuedDeck, mix: PCMFormat, inherited: RateConversion? = nil, loop: LoopPlan? = nil) {
        id = queued.id
        deck = queued.deck
        standby = queued.standby
        isSeeking = queued.isSeeking
        effects = EffectChain(mix, plan: queued.effects)
        gains = VoiceGains(deck: queued.gain)
        self.mix = mix
        conversion = inherited ?? queued.conversion
        queue = FrameQueue(channels: mix.channels)
        input = InputMemory(channels: mix.channels)
        log = queued.log
        rate = queued.deck.rate
        if let log, log.isStale {
            _ = log.truncate(at: 0)
            log.isStale = false
            deck.seek(toFrame: 0)
            isSeeking = !deck.rewindsInstantly
        }
        if let loop {
            self.loop = LoopState(plan: loop)
            beginPassFades()
        }
    }

    private init(copying other: Voice) {
        id = other.id
        deck = other.deck
        standby = other.standby
        mix = other.mix
        conversion = other.conversion
        queue = other.queue
        input = other.input
        log = other.log
        logPosition = other.logPosition
        rate = other.rate
        effects = other.effects.snapshot
        gains = other.gains
        hasSounded = other.hasSounded
        exit = other.exit
        jump = other.jump
        isSeekingAhead = other.isSeekingAhead
        isSeeking = other.isSeeking
        loop = other.loop
        inputPosition = other.inputPosition
        inputEnded = other.inputEnded
        failure = other.failure
        isTruncated = other.isTruncated
        passHasSounded = other.passHasSounded
        isDrained = other.isDrained
        cues = other.cues
        successor = other.successor?.copy()
        framesInSuccessor = other.framesInSuccessor
    }

    /// A copy that renders the same sound again, whatever this voice has read meanwhile. Needs a log.
    func copy() -> Voice { Voice(copying: self) }

    /// Drops the log's steps before this voice's position.
    func trimLog() {
        log?.trim(before: logPosition)
        successor?.trimLog()
    }

    // MARK: Reading ahead

    /// Frames ready to be played.
    var available: Int { queue.frames }

    /// Whether all remaining frames are in the queue.
    var isComplete: Bool { inputEnded && framesInSuccessor == 0 }

    /// Whether all frames were played.
    var isExhausted: Bool { isComplete && queue.frames == 0 }

    /// The deck that delivers the next frames.
    var awaitedDeck: any Deck { inputEnded ? successor?.deck ?? deck : deck }

    /// Source seconds per output frame.
    var slope: Double { rate / Double(mix.sampleRate) }

    /// The source position of the next frame to be played, in seconds.
    var position: Double {
        let unplayed =
            Double(queue.frames - remnant + framesInSuccessor) / Double(mix.sampleRate)
            + (conversion?.secondsInside ?? 0)
        let end = Double(inputPosition) / Double(deck.sampleRate)
        return max(0, end - unplayed * rate)
    }

    /// The source's length in seconds.
    var duration: Double? { length.map { Double($0) / Double(deck.sampleRate) } }

    /// The source's length in source frames, clamped: files, plugins and hosts may announce any number.
    private var length: Int64? { deck.frameCount.map { max(0, FrameCount(clamping: $0).value) } }

    /// The output frames to the end of the pass; `nil` unless the length is exact or the end is in the queue.
    ///
    /// - Parameter keepsConversion: Whether the frames inside the converter at the end belong to the next deck or pass.
    func remaining(keepsConversion: Bool) -> Int64? {
        // A deck with a pending seek does not reach its end from here.
        guard !isJumping else { return nil }
        let queued = Int64(queue.frames + framesInSuccessor)
        let isDue = !keepsConversion && !isDrained
        if inputEnded { return queued + (isDue ? max(0, conversion?.framesDue(after: 0) ?? 0) : 0) }
        guard deck.isFrameCountExact, let count = length, !isSeeking else { return nil }
        let left = FrameCount(clamping: Double(max(0, count - inputPosition)) / rate)
        guard let conversion else { return queued + left.value }
        if isDue { return queued + max(0, conversion.framesDue(after: left.value)) }
        return queued + left.converted(from: deck.sampleRate, to: mix.sampleRate).value
    }

    /// The output frames to the end of the last pass, delays included; `nil` for an endless loop, and unless the length is exact.
    var framesToEnd: Int64? {
        guard let loop, !loop.isLastPass else { return remaining(keepsConversion: false) }
        guard let passes = loop.plan.passes, deck.isFrameCountExact, let count = length, let duration,
            let left = remaining(keepsConversion: loop.joinsNextPass)
        else { return nil }
        // As floating-point numbers, because hosts may ask for any number of passes.
        let following = Double(passes - loop.passes - 1)
        if loop.joinsNextPass, let conversion {
            // Passes without a delay are one stream in the converter, which is flushed behind the last pass.
            let input = Double(inputEnded ? 0 : max(0, count - inputPosition)) + following * Double(count)
            let due = conversion.framesDue(after: FrameCount(clamping: input / rate).value)
            return Int64(queue.frames) + max(0, due)
        }
        let pass = duration / rate * Double(mix.sampleRate) + Double(mix.length(of: loop.plan.delay))
        return FrameCount(clamping: Double(left) + following * pass).value
    }

    /// Reads until `needed` frames are in the queue, or the deck has no more. At the end, empties the converter.
    func fill(_ needed: Int, keepsConversion: Bool) {
        readAhead(needed)
        guard inputEnded else { return }
        if successor != nil {
            takeFromSuccessor(needed)
        } else if !keepsConversion {
            drain()
        }
    }

    /// Reads until `needed` frames are in the queue; leaves the converter's tail inside.
    func readAhead(_ needed: Int) {
        while queue.frames < needed, !inputEnded {
            let missing = needed - queue.frames
            let frames: Int
            if let conversion {
                // A rising rate makes several output frames of one input frame.
                frames =
                    missing * conversion.inputRate / conversion.outputRate + 1 + 31 * conversion.inputRate
                    / max(conversion.inputRate, conversion.outputRate)
            } else {
                frames = missing
            }
            guard readInput(min(frames, input.frames)) else { break }
        }
    }

    /// Reads once; returns whether more may be there.
    private func readInput(_ frames: Int) -> Bool {
        if log?.withholds(logPosition) == true { return false }
        switch log?.step(at: logPosition) {
        case .read(let read):
            advance()
            queue.append { $0.append(contentsOf: read.samples) }
            return apply(read)
        case nil: break
        // The seek that followed is not made any more.
        default: returnToPosition()
        }
        let before = queue.frames
        var read = readDeck(frames)
        // Reads without frames and without an end depend on the moment.
        guard let log, read.hasInput || read.condition.isFinal else { return apply(read) }
        read.samples = queue.last(queue.frames - before)
        log.append(.read(read))
        advance()
        return apply(read)
    }

    /// Reads from the deck into the queue; returns what was read, without the samples.
    private func readDeck(_ frames: Int) -> ReadLog.Read {
        var read = DeckRead(frames: 0, position: inputPosition, condition: .starved)
        if conversion == nil {
            queue.append(frames: frames) { target in
                read = deck.read(into: target, frames: frames)
                DecodedSamples.silenceInvalid(target, count: read.frames * mix.channels)
                return read.frames
            }
        } else {
            read = deck.read(into: input.start, frames: frames)
            DecodedSamples.silenceInvalid(input.start, count: read.frames * mix.channels)
            convert(frames: read.frames)
        }
        let span = FrameCount(clamping: Double(read.frames) * deck.rate)
        let end = (FrameCount(clamping: read.position) + span).value
        return ReadLog.Read(
            samples: [], cues: read.cues, condition: read.condition,
            inputPosition: read.frames > 0 ? end : inputPosition, framesIn: conversion?.framesIn ?? 0,
            framesOut: conversion?.framesOut ?? 0, rate: deck.rate, hasInput: read.frames > 0)
    }

    /// Takes a read over; returns whether more may be there.
    private func apply(_ read: ReadLog.Read) -> Bool {
        cues.append(contentsOf: read.cues)
        inputPosition = read.inputPosition
        conversion?.framesIn = read.framesIn
        conversion?.framesOut = read.framesOut
        if read.hasInput {
            isSeeking = false
            rate = read.rate
        }
        switch read.condition {
        case .complete: return true
        // In the log, the next frames may be there.
        case .starved: return log?.step(at: logPosition) != nil
        case .ended: inputEnded = true
        case .truncated(let error):
            inputEnded = true
            failure = error
            isTruncated = true
        case .failed(let error):
            inputEnded = true
            failure = error
        }
        isSeeking = false
        return false
    }

    private func convert(frames: Int) {
        guard frames > 0, var conversion else { return }
        let before = queue.frames
        queue.append { conversion.converter.convert(input.start, frames: frames, appendingTo: &$0) }
        conversion.framesIn += Int64(frames)
        conversion.framesOut += Int64(queue.frames - before)
        self.conversion = conversion
    }

    /// Leaves a step of the log behind.
    private func advance() {
        guard let log else { return }
        log.pass(logPosition)
        logPosition += 1
    }

    /// Removes the steps of the log from here on: something else happens now.
    private func truncateLog() {
        guard let removed = log?.truncate(at: logPosition) else { return }
        for case .handOver(_, let next, _) in removed { next.isStale = true }
        for case .nextPass in removed {
            // The second deck was read for a pass that has not begun.
            standby?.seek(toFrame: 0)
            return
        }
    }

    /// Continues here after a logged seek that is not made any more.
    private func returnToPosition() {
        truncateLog()
        conversion?.converter.reset()
        conversion?.framesIn = 0
        conversion?.framesOut = 0
        deck.seek(toFrame: inputPosition)
        isSeeking = true
    }

    /// Flushes the converter with silence, to the exact number of frames due.
    private func drain() {
        guard !isDrained, var conversion else { return }
        isDrained = true
        let due = Int(max(0, conversion.framesDue(after: 0)))
        defer {
            self.conversion?.framesIn = 0
            self.conversion?.framesOut = 0
        }
        switch log?.step(at: logPosition) {
        case .flush(let samples, _):
            advance()
            return queue.append { $0.append(contentsOf: samples) }
        // The next deck was joined here, or the next pass, and does not follow any more.
        case .handOver(_, _, let converter?), .nextPass(let converter?): conversion.converter = converter
        case .handOver(_, let next, nil):
            queue.append { $0.append(contentsOf: next.samples(count: due * mix.channels)) }
            truncateLog()
            return conversion.converter.reset()
        default: break
        }
        self.conversion = conversion
        let converter = log == nil ? nil : conversion.converter.copy()
        let before = queue.frames
        let needed = before + due
        // In parts: a rate that rises a thousandfold makes seconds of sound of a frame of silence.
        var silence = conversion.converter.latency + 1
        let piece = max(1, input.frames * conversion.inputRate / conversion.outputRate)
        while silence > 0, queue.frames < needed {
            queue.append { conversion.converter.convert(nil, frames: min(piece, silence), appendingTo: &$0) }
            silence -= piece
        }
        queue.truncate(toFrames: needed)
        conversion.converter.reset()
        if let log {
            truncateLog()
            log.append(.flush(queue.last(queue.frames - before), before: converter))
            advance()
        }
    }

    /// Continues the next deck in this voice's converter, when it has the same rate and the converter was not flushed.
    func continueInto(_ next: QueuedDeck) {
        guard var conversion, !isDrained, next.deck.sampleRate == conversion.inputRate else { return }
        let due = Int(max(0, conversion.framesDue(after: 0)))
        switch log?.step(at: logPosition) {
        case .handOver(_, let log, _) where log === next.log: advance()
        // The converter was flushed before the next deck was known, or handed to another deck.
        case .flush(_, before: nil), .handOver(_, _, before: nil): return drain()
        case .flush(_, let converter?), .handOver(_, _, let converter?), .nextPass(let converter?):
            conversion.converter = converter
            logHandOver(to: next, frames: due, of: converter)
        default: logHandOver(to: next, frames: due, of: conversion.converter)
        }
        self.conversion = nil
        framesInSuccessor = due
        successor = Voice(next, mix: mix, inherited: conversion)
    }

    private func logHandOver(to next: QueuedDeck, frames: Int, of converter: any SampleConverter) {
        guard let log, let nextLog = next.log else { return }
        truncateLog()
        log.append(.handOver(frames: frames, next: nextLog, before: converter.copy()))
        advance()
    }

    /// Takes this voice's last frames from the successor's queue.
    private func takeFromSuccessor(_ needed: Int) {
        guard let successor else { return }
        while framesInSuccessor > 0, queue.frames < needed {
            let missing = min(framesInSuccessor, needed - queue.frames)
            successor.fill(missing, keepsConversion: false)
            let given = min(missing, successor.queue.frames)
            successor.queue.consume(frames: given) { source, frames in
                queue.append { $0.append(contentsOf: UnsafeBufferPointer(start: source, count: frames * mix.channels)) }
            }
            framesInSuccessor -= given
            if successor.isExhausted { framesInSuccessor = 0 }
            if given < missing { return }
        }
    }

    /// Moves the queued frames to the successor, which begins at once.
    func handOver() -> Voice? {
        guard let successor else { return nil }
        successor.prepend(queue)
        return successor
    }

    private func prepend(_ earlier: FrameQueue) {
        var joined = earlier
        queue.consume(frames: queue.frames) { source, frames in
            joined.append { $0.append(contentsOf: UnsafeBufferPointer(start: source, count: frames * mix.channels)) }
        }
        queue = joined
    }

    // MARK: Sound

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

    // MARK: Position

    /// A seek or a change of speed that is made when the sound has faded out.
    private struct Jump {
        /// The target frame; `nil` for the present position.
        var frame: Int64?
        var rate: Double?
        var fadeInFrames: Int64
    }

    /// The maximum seek target in a source of unknown length, in seconds: 31 years.
    static let latestPosition = 1e9

    /// Seeks to a position, clamped to the source's length unless that is only estimated: at once, or at the end of a fade.
    func seek(toSeconds seconds: Double, fadeFrames: Int64) {
        let frame = FrameCount(seconds: min(max(0, seconds), Self.latestPosition), sampleRate: Double(deck.sampleRate))
            .value
        // A saved position may lie behind an estimate that is too low.
        let target = deck.isFrameCountEstimated ? frame : min(frame, length ?? frame)
        begin(Jump(frame: target, rate: jump?.rate, fadeInFrames: fadeFrames), fadeFrames: fadeFrames)
    }

    /// Changes the speed, at once or at the end of a fade.
    ///
    /// - Parameter seconds: The position to continue at; `nil` for the present one.
    func setRate(_ rate: Double, fromSeconds seconds: Double? = nil, fadeFrames: Int64) {
        standby?.setRate(rate, fromFrame: 0)
        let frame = jump?.frame ?? seconds.map { sourceFrame(at: $0) }
        begin(Jump(frame: frame, rate: rate, fadeInFrames: fadeFrames), fadeFrames: fadeFrames)
    }

    private func sourceFrame(at seconds: Double) -> Int64 {
        FrameCount(seconds: seconds, sampleRate: Double(deck.sampleRate)).value
    }

    private func begin(_ jump: Jump, fadeFrames: Int64) {
        self.jump = jump
        guard fadeFrames > 0 else {
            isSeekingAhead = false
            completeJump()
            return
        }
        if isSeekingAhead { queue.truncate(toFrames: remnant) }
        if gains.jump == nil { gains.jump = Fade(.falling, curve: .linear, frames: fadeFrames) }
        seekAhead()
    }

    /// Queued frames from before a jump.
    private var remnant: Int { isSeekingAhead ? min(queue.frames, Int(gains.jump?.remaining ?? 0)) : 0 }

    /// The maximum fade that is read in advance of a seek, in seconds.
    private static let longestReadAhead = 0.02

    /// Starts the deck's seek before the fade has ended, if the frames of the fade can be read in advance. The frames
    /// of the target are then there when the fade has ended.
    private func seekAhead() {
        guard let fade = gains.jump, let jump, let target = jump.frame, jump.rate == nil, exit == nil, loop == nil
        else {
            isSeekingAhead = false
            return
        }
        if !isSeekingAhead {
            guard fade.remaining <= mix.length(of: Self.longestReadAhead) else { return }
            readAhead(Int(fade.remaining))
            guard successor == nil, queue.frames >= Int(fade.remaining) else { return }
            queue.truncate(toFrames: Int(fade.remaining))
            isSeekingAhead = true
        }
        moveDeck(to: target, rate: nil)
    }

    /// Whether a seek is pending.
    var isJumping: Bool { jump?.frame != nil }

    /// The frames until a jump's fade has ended; `nil` without a jump.
    var framesToJump: Int64? { gains.jump?.remaining }

    /// Carries out the jump once the fade or the source has ended; returns whether it did.
    func jumpIfFaded() -> Bool {
        guard let fade = gains.jump, fade.isComplete || isExhausted else { return false }
        completeJump()
        return true
    }

    /// Carries out a pending jump without its fade, which is not heard; returns whether there was one.
    func jumpAtOnce() -> Bool {
        guard let frame = jump?.frame else { return false }
        begin(Jump(frame: frame, rate: jump?.rate, fadeInFrames: 0), fadeFrames: 0)
        return true
    }

    private func completeJump() {
        guard let jump else { return }
        let frame = jump.frame ?? sourceFrame(at: position)
        let isThere = isSeekingAhead
        self.jump = nil
        gains.jump = nil
        // A change of speed keeps a fade-in. The end of the loop's pass has to be found again.
        gains.fades.removeAll { jump.frame != nil || $0.direction == .falling }
        loop?.isFadingOut = false
        isSeekingAhead = false
        gains.arrival = jump.fadeInFrames > 0 ? Fade(.rising, curve: .linear, frames: jump.fadeInFrames) : nil
        if isThere { return }
        queue.removeAll()
        moveDeck(to: frame, rate: jump.rate)
    }

    /// Makes the deck continue at a frame and forgets what was read.
    private func moveDeck(to frame: Int64, rate: Double?) {
        restart(at: frame)
        isSeeking = true
        if case .seek(let logged, let speed) = log?.step(at: logPosition), logged == frame, speed == rate {
            advance()
            return
        }
        truncateLog()
        log?.append(.seek(frame: frame, rate: rate))
        advance()
        conversion?.converter.reset()
        if let rate { deck.setRate(rate, fromFrame: frame) } else { deck.seek(toFrame: frame) }
    }

    private func restart(at frame: Int64) {
        cues.removeAll()
        conversion?.framesIn = 0
        conversion?.framesOut = 0
        inputPosition = frame
        inputEnded = false
        failure = nil
        isTruncated = false
        isDrained = false
        loop?.delayLeft = 0
    }

    // MARK: Loop

    /// Whether the silence before the next pass is running.
    var isInDelay: Bool { loop?.delayLeft ?? 0 > 0 }

    /// Starts the next pass at the source's first frame.
    func rewind() {
        var isLogged = false
        switch log?.step(at: logPosition) {
        case .nextPass: isLogged = true
        // The converter was flushed here when a pause followed, or the end.
        case .flush(_, let converter?): conversion?.converter = converter
        default: break
        }
        if !isLogged { truncateLog() }
        if deck.rewindsInstantly || standby == nil {
            if !isLogged { deck.seek(toFrame: 0) }
            isSeeking = !deck.rewindsInstantly
        } else if let next = standby {
            standby = deck
            deck = next
            if !isLogged { standby?.seek(toFrame: 0) }
        }
        if !isLogged { log?.append(.nextPass(before: conversion?.converter.copy())) }
        advance()
        cues.removeAll()
        inputPosition = 0
        inputEnded = false
        isDrained = false
        passHasSounded = false
        if loop?.delayLeft ?? 0 <= 0 { changePassFades() }
    }

    /// Replaces the fades of a pass by those of the next one.
    private func changePassFades() {
        gains.fades.removeAll { $0.direction == .falling }
        beginPassFades()
    }

    private func beginPassFades() {
        guard let loop, loop.fadesInThisPass else { return }
        fadeIn(curve: loop.plan.curve, frames: mix.length(of: loop.plan.fadeIn))
    }

    /// Starts the fade at the end of a pass when it is due; otherwise returns the frames until then.
    func beginPassFadeOut() -> Int64? {
        guard var loop, loop.fadesOutThisPass, !loop.isFadingOut,
            let remaining = remaining(keepsConversion: loop.joinsNextPass)
        else { return nil }
        let length = mix.length(of: loop.plan.fadeOut)
        guard length > 0 else { return nil }
        if remaining > length { return remaining - length }
        gains.fades.append(Fade(.falling, curve: loop.plan.curve, frames: remaining))
        loop.isFadingOut = true
        self.loop = loop
        return nil
    }

    /// All decks of this voice.
    var decks: [any Deck] { standby.map { [deck, $0] } ?? [deck] }
}

/// The memory that deck frames are converted from; used during one call only, so that copies of a voice share it.
final class InputMemory {
    let frames = 4_096
    let start: UnsafeMutablePointer<Float>

    init(channels: Int) { start = .allocate(capacity: frames * channels) }

    deinit { start.deallocate() }
}
