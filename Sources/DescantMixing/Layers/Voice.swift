internal import DescantCore

/// A converter with the count of what went through it, so that what comes out is exact to the frame. It may be handed
/// from one voice to the next: a gapless join of two decks of one rate is then one continuous stream.
struct ConversionLine {
    let converter: any SampleConverter
    let inputRate: Int
    let outputRate: Int
    var framesIn: Int64 = 0
    var framesOut: Int64 = 0

    /// Seconds of input that have not come out yet.
    var secondsInside: Double { Double(framesIn) / Double(inputRate) - Double(framesOut) / Double(outputRate) }

    /// Output frames still owed for what went in and so many input frames more: the whole is
    /// ceil(in × output rate / input rate).
    func framesOwed(after further: Int64) -> Int64 {
        (FrameCount(clamping: framesIn) + FrameCount(clamping: further)).converted(from: inputRate, to: outputRate)
            .value
            - framesOut
    }
}

/// A deck opened for a layer, waiting for its turn.
struct QueuedDeck {
    let id: DeckID
    let deck: any Deck
    /// A second deck on the same source, rewound, for loops of decks that cannot rewind at once.
    var standby: (any Deck)?
    var gain: Double
    /// Whether the deck was sent to its beginning at another speed, where it may not have arrived yet.
    var isLanding = false
    /// Made ahead of time, since making one takes longer than a block may.
    var line: ConversionLine?

    /// Sends the deck to its beginning at another speed.
    mutating func setRate(_ rate: Double) {
        deck.setRate(rate, fromFrame: 0)
        standby?.setRate(rate, fromFrame: 0)
        isLanding = true
    }
}

/// One deck on a layer, at the mix's rate: reads ahead into a queue, knows how much is left, and carries its fades.
final class Voice {
    /// How a voice got on its way out.
    enum Exit { case crossfade, cut, stop }

    let id: DeckID
    private(set) var deck: any Deck
    private var standby: (any Deck)?
    private let mix: PCMFormat
    private var line: ConversionLine?
    private var queue: FrameQueue
    private var input: [Float]

    private var gains: VoiceGains
    private var hasSounded = false
    /// Why the voice is on its way out, if it is.
    private(set) var exit: Exit?
    private var jump: Jump?
    /// Whether the deck was sent to the jump's target already: what fades out waits in the queue, the new place behind it.
    private(set) var isSent = false
    private(set) var isLanding = false
    var loop: LoopState?

    /// The source position of the next frame that will be put into the queue.
    private var inputPosition: Int64 = 0
    private(set) var inputEnded = false
    private(set) var failure: CoreError?
    /// Whether the failure is that the source ended before its announced length.
    private(set) var isTruncated = false
    /// Whether anything was heard of this pass: a clip without frames is not repeated, which would never end.
    private(set) var passHasSounded = false
    private var isDrained = false
    /// Cues of the source within what was read and not played, in order.
    private var cues: [PCMCue] = []
    /// What follows without a gap, once the end of this voice was read: the converter that it took over gives this voice's
    /// last frames when the first of the next deck go in.
    private(set) var successor: Voice?
    /// Frames that the successor's converter still owes this voice.
    private var debt = 0

    init(_ queued: QueuedDeck, mix: PCMFormat, inherited: ConversionLine? = nil, loop: LoopPlan? = nil) {
        id = queued.id
        deck = queued.deck
        standby = queued.standby
        isLanding = queued.isLanding
        gains = VoiceGains(deck: queued.gain)
        self.mix = mix
        line = inherited ?? queued.line
        queue = FrameQueue(channels: mix.channels)
        input = [Float](repeating: 0, count: Self.inputFrames * mix.channels)
        if let loop {
            self.loop = LoopState(plan: loop)
            beginPassFades()
        }
    }

    private static let inputFrames = 4_096

    // MARK: Reading ahead

    /// Frames ready to be played.
    var available: Int { queue.frames }

    /// Whether everything that will be played is in the queue.
    var isComplete: Bool { inputEnded && debt == 0 }

    /// Whether everything was played.
    var isExhausted: Bool { isComplete && queue.frames == 0 }

    /// The deck that the next frames come from.
    var awaitedDeck: any Deck { inputEnded ? successor?.deck ?? deck : deck }

    /// Source seconds that pass in one output frame.
    var slope: Double { deck.rate / Double(mix.sampleRate) }

    /// The source position of the next frame to be played, in seconds.
    var position: Double {
        let unplayed = Double(queue.frames - remnant + debt) / Double(mix.sampleRate) + (line?.secondsInside ?? 0)
        let end = Double(inputPosition) / Double(deck.sampleRate)
        return max(0, end - unplayed * deck.rate)
    }

    /// The source's length in seconds.
    var duration: Double? { length.map { Double($0) / Double(deck.sampleRate) } }

    /// The source's length in source frames. Files, plugins and hosts may announce anything.
    private var length: Int64? { deck.frameCount.map { max(0, FrameCount(clamping: $0).value) } }

    /// Output frames to the end of the pass, when that is certain: the source's exact length, or its end in the queue.
    ///
    /// - Parameter keepsLine: Whether what is still inside the converter at the end belongs to what follows.
    func remaining(keepsLine: Bool) -> Int64? {
        // A deck that is about to jump does not reach its end from here.
        guard !isJumping else { return nil }
        let queued = Int64(queue.frames + debt)
        let isOwed = !keepsLine && !isDrained
        if inputEnded { return queued + (isOwed ? max(0, line?.framesOwed(after: 0) ?? 0) : 0) }
        guard deck.isFrameCountExact, let count = length, !isLanding else { return nil }
        let left = FrameCount(clamping: Double(max(0, count - inputPosition)) / deck.rate)
        guard let line else { return queued + left.value }
        if isOwed { return queued + max(0, line.framesOwed(after: left.value)) }
        return queued + left.converted(from: deck.sampleRate, to: mix.sampleRate).value
    }

    /// Reads until `wanted` frames are in the queue, or nothing more is there.
    func fill(_ wanted: Int, keepsLine: Bool) {
        readAhead(wanted)
        guard inputEnded else { return }
        if successor != nil {
            borrow(wanted)
        } else if !keepsLine {
            drain()
        }
    }

    /// Reads until `wanted` frames are in the queue, without deciding what becomes of the converter's tail at the end.
    func readAhead(_ wanted: Int) {
        while queue.frames < wanted, !inputEnded {
            let missing = wanted - queue.frames
            let frames: Int
            if let line {
                // A rising rate makes many frames of each one.
                frames =
                    missing * line.inputRate / line.outputRate + 1 + 31 * line.inputRate
                    / max(line.inputRate, line.outputRate)
            } else {
                frames = missing
            }
            guard readInput(min(frames, Self.inputFrames)) else { break }
        }
    }

    /// Reads once; returns whether there may be more at once.
    private func readInput(_ frames: Int) -> Bool {
        var read = DeckRead(frames: 0, position: inputPosition, condition: .starved)
        if line == nil {
            queue.append(frames: frames) { target in
                read = deck.read(into: target, frames: frames)
                return read.frames
            }
        } else {
            input.withUnsafeMutableBufferPointer { buffer in
                if let base = buffer.baseAddress { read = deck.read(into: base, frames: frames) }
            }
            convert(frames: read.frames)
        }
        cues.append(contentsOf: read.cues)
        if read.frames > 0 {
            isLanding = false
            let span = FrameCount(clamping: Double(read.frames) * deck.rate)
            inputPosition = (FrameCount(clamping: read.position) + span).value
        }
        switch read.condition {
        case .complete: return true
        case .starved: return false
        case .ended: inputEnded = true
        case .truncated(let error):
            inputEnded = true
            failure = error
            isTruncated = true
        case .failed(let error):
            inputEnded = true
            failure = error
        }
        isLanding = false
        return false
    }

    private func convert(frames: Int) {
        guard frames > 0, var line else { return }
        let before = queue.frames
        input.withUnsafeBufferPointer { buffer in
            queue.append { line.converter.convert(buffer.baseAddress, frames: frames, appendingTo: &$0) }
        }
        line.framesIn += Int64(frames)
        line.framesOut += Int64(queue.frames - before)
        self.line = line
    }

    /// Pushes the converter's tail out with silence, to the exact number of frames owed.
    private func drain() {
        guard !isDrained, var line else { return }
        isDrained = true
        let wanted = queue.frames + Int(max(0, line.framesOwed(after: 0)))
        // In pieces: a rate that rises a thousandfold makes seconds of sound of each frame of silence.
        var silence = line.converter.latency + 1
        let piece = max(1, Self.inputFrames * line.inputRate / line.outputRate)
        while silence > 0, queue.frames < wanted {
            queue.append { line.converter.convert(nil, frames: min(piece, silence), appendingTo: &$0) }
            silence -= piece
        }
        queue.truncate(toFrames: wanted)
        line.converter.reset()
        line.framesIn = 0
        line.framesOut = 0
        self.line = line
    }

    /// Lets the next deck go on in this one's converter, when it has the same rate and nothing was drained.
    func continueInto(_ next: QueuedDeck) {
        guard let line, !isDrained, next.deck.sampleRate == line.inputRate else { return }
        self.line = nil
        debt = Int(max(0, line.framesOwed(after: 0)))
        successor = Voice(next, mix: mix, inherited: line)
    }

    /// Takes the last frames out of what the successor has converted.
    private func borrow(_ wanted: Int) {
        guard let successor else { return }
        while debt > 0, queue.frames < wanted {
            let missing = min(debt, wanted - queue.frames)
            successor.fill(missing, keepsLine: false)
            let given = min(missing, successor.queue.frames)
            successor.queue.consume(frames: given) { source, frames in
                queue.append { $0.append(contentsOf: UnsafeBufferPointer(start: source, count: frames * mix.channels)) }
            }
            debt -= given
            if successor.isExhausted { debt = 0 }
            if given < missing { return }
        }
    }

    /// Gives what is left to the successor, which begins at once.
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

    /// Adds the next frames to a mix; missing ones are silence. Returns how many were there.
    func add(to buffer: UnsafeMutablePointer<Float>, frames: Int, isFirst: Bool) -> Int {
        let channels = mix.channels
        let count = min(frames, queue.frames)
        if count > 0 {
            hasSounded = true
            passHasSounded = true
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
        // Until the first frame of a new position is there, its fade in has not begun; a fade out goes on meanwhile.
        let waits = isLanding && exit == nil && jump == nil
        self.gains.advance(waits ? count : frames)
        return count
    }

    /// The cues that were passed since a position, with the distance of each in output frames.
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

    /// Changes the deck's own gain: with a ramp once it has sounded, otherwise from its first frame.
    func setDeckGain(_ gain: Double, rampFrames: Int64) {
        let isSilent = !hasSounded || loop?.delayLeft ?? 0 > 0
        gains.moveDeck(to: gain, frames: isSilent ? 0 : rampFrames)
    }

    func fadeIn(curve: FadeCurve, frames: Int64) {
        if frames > 0 { gains.fades.append(Fade(.rising, curve: curve, frames: frames)) }
    }

    /// Sends the voice out; a second exit lies on top of the first, and the one that ends sooner decides.
    func leave(_ reason: Exit, curve: FadeCurve, frames: Int64) {
        gains.exits.append(Fade(.falling, curve: curve, frames: frames))
        exit = reason
        // What repeats without a gap goes on under the fade; a pass that would begin after a delay does not come any more.
        if loop?.joinsNextPass != true { loop = nil }
    }

    /// Frames until the voice has left; `nil` while it is not on its way out.
    var framesToExit: Int64? { gains.exits.map(\.remaining).min() }

    /// Plays the rest of every fade within at most this many frames.
    func shortenFades(toFrames frames: Int64) { gains.shorten(toFrames: frames) }

    // MARK: Position

    /// A move to another place or speed, made when the sound has faded out.
    private struct Jump {
        /// `nil` stays at the present position.
        var frame: Int64?
        var rate: Double?
        var fadeInFrames: Int64
    }

    /// The latest position that can be sought in a source of unknown length, in seconds: 31 years.
    static let latestPosition = 1e9

    /// Goes to a position, clamped to the source: at once, or at the end of a fade.
    func seek(toSeconds seconds: Double, fadeFrames: Int64) {
        let frame = FrameCount(seconds: min(max(0, seconds), Self.latestPosition), sampleRate: Double(deck.sampleRate))
            .value
        let target = min(frame, length ?? frame)
        begin(Jump(frame: target, rate: jump?.rate, fadeInFrames: fadeFrames), fadeFrames: fadeFrames)
    }

    /// Changes the speed: at once, or at the end of a fade.
    ///
    /// - Parameter seconds: Where to go on; `nil` for where it is then.
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
            isSent = false
            land()
            return
        }
        if isSent { queue.truncate(toFrames: remnant) }
        if gains.jump == nil { gains.jump = Fade(.falling, curve: .linear, frames: fadeFrames) }
        sendAhead()
    }

    /// Frames in the queue that still belong to the place before a jump.
    private var remnant: Int { isSent ? min(queue.frames, Int(gains.jump?.remaining ?? 0)) : 0 }

    /// The longest fade that is read before the deck is sent away, in seconds.
    private static let longestReadAhead = 0.02

    /// Sends the deck to its target already now, if what fades out meanwhile can be read before: the new place is then
    /// there when the fade has ended.
    private func sendAhead() {
        guard let fade = gains.jump, let jump, let target = jump.frame, jump.rate == nil, exit == nil, loop == nil
        else {
            isSent = false
            return
        }
        if !isSent {
            guard fade.remaining <= mix.length(of: Self.longestReadAhead) else { return }
            readAhead(Int(fade.remaining))
            guard successor == nil, queue.frames >= Int(fade.remaining) else { return }
            queue.truncate(toFrames: Int(fade.remaining))
            isSent = true
        }
        restart(at: target)
        deck.seek(toFrame: target)
        isLanding = true
    }

    /// Whether the deck fades out to go on at another place.
    var isJumping: Bool { jump?.frame != nil }

    /// Frames until a jump's fade has ended; `nil` without one.
    var framesToJump: Int64? { gains.jump?.remaining }

    /// Sends the deck to its target once the fade has ended, or the source; returns whether it did.
    func landIfFaded() -> Bool {
        guard let fade = gains.jump, fade.isComplete || isExhausted else { return false }
        land()
        return true
    }

    /// Goes to a jump's target without the fade before it, which nobody hears; returns whether there was one.
    func landAtOnce() -> Bool {
        guard let frame = jump?.frame else { return false }
        begin(Jump(frame: frame, rate: jump?.rate, fadeInFrames: 0), fadeFrames: 0)
        return true
    }

    private func land() {
        guard let jump else { return }
        let frame = jump.frame ?? sourceFrame(at: position)
        let isThere = isSent
        self.jump = nil
        gains.jump = nil
        // A change of speed leaves a fade into the sound alone; the end of a loop's pass is looked for anew.
        gains.fades.removeAll { jump.frame != nil || $0.direction == .falling }
        loop?.isFadingOut = false
        isSent = false
        fadeIn(curve: .linear, frames: jump.fadeInFrames)
        if isThere { return }
        queue.removeAll()
        restart(at: frame)
        if let rate = jump.rate { deck.setRate(rate, fromFrame: frame) } else { deck.seek(toFrame: frame) }
        isLanding = true
    }

    private func restart(at frame: Int64) {
        cues.removeAll()
        line?.converter.reset()
        line?.framesIn = 0
        line?.framesOut = 0
        inputPosition = frame
        inputEnded = false
        failure = nil
        isTruncated = false
        isDrained = false
        loop?.delayLeft = 0
    }

    // MARK: Loop

    /// Begins the next pass from the source's first frame.
    func rewind() {
        if deck.rewindsInstantly || standby == nil {
            deck.seek(toFrame: 0)
            isLanding = !deck.rewindsInstantly
        } else if let next = standby {
            standby = deck
            deck = next
            standby?.seek(toFrame: 0)
        }
        cues.removeAll()
        inputPosition = 0
        inputEnded = false
        isDrained = false
        passHasSounded = false
        gains.fades.removeAll { $0.direction == .falling }
        beginPassFades()
    }

    private func beginPassFades() {
        guard let loop, loop.fadesInThisPass else { return }
        fadeIn(curve: loop.plan.curve, frames: mix.length(of: loop.plan.fadeIn))
    }

    /// Begins the fade at the end of a pass when it is due; returns how many frames away it is otherwise.
    func beginPassFadeOut() -> Int64? {
        guard var loop, loop.fadesOutThisPass, !loop.isFadingOut,
            let remaining = remaining(keepsLine: loop.joinsNextPass)
        else { return nil }
        let length = mix.length(of: loop.plan.fadeOut)
        guard length > 0 else { return nil }
        if remaining > length { return remaining - length }
        gains.fades.append(Fade(.falling, curve: loop.plan.curve, frames: remaining))
        loop.isFadingOut = true
        self.loop = loop
        return nil
    }

    /// Gives every deck of this voice back, to be closed away from the rendering thread.
    var decks: [any Deck] { standby.map { [deck, $0] } ?? [deck] }
}
