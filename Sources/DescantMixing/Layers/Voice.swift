internal import DescantCore

/// One deck on a layer, at the mix's sample rate: reads ahead into a queue, counts the remaining frames and applies
/// fades.
final class Voice {
    /// The reason why a voice leaves.
    enum Exit { case crossfade, cut, stop }

    let id: DeckID
    var deck: any Deck
    var standby: (any Deck)?
    let mix: PCMFormat
    var conversion: RateConversion?
    var queue: FrameQueue
    let input: InputMemory
    let log: ReadLog?
    /// The position in the log.
    private(set) var logPosition = 0
    /// The speed of the frames that were read last, relative to the source.
    var rate: Double

    /// The deck's effects, before its gains.
    var effects: EffectChain
    var gains: VoiceGains
    /// Whether a frame of the voice was rendered.
    var hasSounded = false
    /// The reason why the voice leaves; `nil` while it does not.
    var exit: Exit?
    var jump: Jump?
    /// Whether the deck seeks to the jump's target already. The queue then holds the frames that fade out, and behind
    /// them those of the target.
    var isSeekingAhead = false
    var isSeeking = false
    var loop: LoopState?

    /// The source frame that is queued next.
    var inputPosition: Int64 = 0
    var inputEnded = false
    var failure: CoreError?
    /// Whether the failure is a source that ended before its announced length.
    var isTruncated = false
    /// Whether this pass has sounded. A clip without frames is not repeated: its loop would never end.
    var passHasSounded = false
    var isDrained = false
    /// Cues of the frames that were read and not played, in order.
    var cues: [PCMCue] = []
    /// The voice that follows without a gap, once the end of this voice was read. It has taken over the converter,
    /// which delivers this voice's last frames when the first frames of the next deck go in.
    var successor: Voice?
    /// The frames of this voice that are still inside the successor's converter.
    var framesInSuccessor = 0

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

    /// All decks of this voice.
    var decks: [any Deck] { standby.map { [deck, $0] } ?? [deck] }

    // MARK: Position and length

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
    var length: Int64? { deck.frameCount.map { max(0, FrameCount(clamping: $0).value) } }

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

    // MARK: The log

    /// Leaves a step of the log behind.
    func advance() {
        guard let log else { return }
        log.pass(logPosition)
        logPosition += 1
    }

    /// Removes the steps of the log from here on: something else happens now.
    func truncateLog() {
        guard let removed = log?.truncate(at: logPosition) else { return }
        for case .handOver(_, let next, _) in removed { next.isStale = true }
        for case .nextPass in removed {
            // The second deck was read for a pass that has not begun.
            standby?.seek(toFrame: 0)
            return
        }
    }

    /// Drops the log's steps before this voice's position.
    func trimLog() {
        log?.trim(before: logPosition)
        successor?.trimLog()
    }
}

/// The memory that deck frames are converted from; used during one call only, so that copies of a voice share it.
final class InputMemory {
    let frames = 4_096
    let start: UnsafeMutablePointer<Float>

    init(channels: Int) { start = .allocate(capacity: frames * channels) }

    deinit { start.deallocate() }
}
