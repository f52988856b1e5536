internal import DescantCore

/// The gains and fades of a voice; they multiply. The fades of a jump lie before the effects, which ring on, and the others behind them.
struct VoiceGains {
    /// The deck's own gain, such as ReplayGain.
    private var deck: GainRamp
    /// Fades in, and fades at the end of a loop's pass.
    var fades: [Fade] = []
    /// Fades out of the layer.
    var exits: [Fade] = []
    /// The fade before a jump.
    var jump: Fade?
    /// The fade behind a jump.
    var arrival: Fade?

    init(deck: Double) { self.deck = GainRamp(deck) }

    /// Starts a ramp of the deck's own gain; with 0 frames it changes at once.
    mutating func moveDeck(to gain: Double, frames: Int64) { deck.move(to: gain, frames: frames) }

    /// The deck's own gain; `nil` while it moves.
    var steadyDeckGain: Double? { deck.isMoving ? nil : deck.value }

    private var isSteady: Bool { fades.isEmpty && exits.isEmpty && !deck.isMoving }
    private var isJumping: Bool { jump != nil || arrival != nil }

    /// The gains behind the effects.
    private func value(at frame: Int) -> Double {
        var gain = deck.value(at: frame)
        for fade in fades { gain *= fade.gain(at: frame) }
        for fade in exits { gain *= fade.gain(at: frame) }
        return gain
    }

    /// The fades of a jump.
    private func jumpValue(at frame: Int) -> Double {
        (jump?.gain(at: frame) ?? 1) * (arrival?.gain(at: frame) ?? 1)
    }

    /// Applies the fades of a jump to what enters the effects.
    func applyJump(to buffer: UnsafeMutablePointer<Float>, frames: Int, channels: Int) {
        guard isJumping else { return }
        for frame in 0..<frames {
            let gain = Float(jumpValue(at: frame))
            for sample in frame * channels..<(frame + 1) * channels { buffer[sample] *= gain }
        }
    }

    /// Applies the gains behind the effects to frames in place, which stand still for those from `waiting` on.
    func applyRest(to buffer: UnsafeMutablePointer<Float>, frames: Int, waiting: Int, channels: Int) {
        guard !isSteady || !deck.isUnity else { return }
        for frame in 0..<frames {
            let gain = Float(isSteady ? deck.value : value(at: min(frame, waiting)))
            for sample in frame * channels..<(frame + 1) * channels { buffer[sample] *= gain }
        }
    }

    /// Applies the gains to frames in place.
    func apply(to buffer: UnsafeMutablePointer<Float>, frames: Int, channels: Int) {
        if isSteady, !isJumping {
            if deck.isUnity { return }
            let gain = Float(deck.value)
            for sample in 0..<frames * channels { buffer[sample] *= gain }
            return
        }
        for frame in 0..<frames {
            let gain = Float(value(at: frame) * jumpValue(at: frame))
            for sample in frame * channels..<(frame + 1) * channels { buffer[sample] *= gain }
        }
    }

    /// Adds frames to a mix with the gains applied.
    func add(_ source: UnsafePointer<Float>, to buffer: UnsafeMutablePointer<Float>, frames: Int, channels: Int) {
        if isSteady, !isJumping {
            let gain = Float(deck.value)
            for sample in 0..<frames * channels { buffer[sample] += source[sample] * gain }
            return
        }
        for frame in 0..<frames {
            let gain = Float(value(at: frame) * jumpValue(at: frame))
            for sample in frame * channels..<(frame + 1) * channels { buffer[sample] += source[sample] * gain }
        }
    }

    mutating func advance(_ frames: Int) {
        guard !isSteady || isJumping else { return }
        deck.advance(frames)
        for index in fades.indices { fades[index].advance(frames) }
        fades.removeAll { $0.isComplete && $0.direction == .rising }
        for index in exits.indices { exits[index].advance(frames) }
        jump?.advance(frames)
        arrival?.advance(frames)
        if arrival?.isComplete == true { arrival = nil }
    }

    mutating func shorten(toFrames frames: Int64) {
        for index in fades.indices { fades[index].shorten(toFrames: frames) }
        for index in exits.indices { exits[index].shorten(toFrames: frames) }
        arrival?.shorten(toFrames: frames)
    }
}

/// The progress of a voice within its loop plan.
struct LoopState {
    var plan: LoopPlan
    /// Completed passes.
    private(set) var passes = 0
    /// Output frames of silence before the next pass.
    var delayLeft: Int64 = 0
    var isFadingOut = false

    init(plan: LoopPlan) { self.plan = plan }

    var isLastPass: Bool { plan.passes.map { passes + 1 >= $0 } ?? false }
    /// Whether the next pass follows this one without a gap.
    var joinsNextPass: Bool { !isLastPass && plan.delay == 0 }
    var fadesInThisPass: Bool { plan.fadesEveryPass || passes == 0 }
    var fadesOutThisPass: Bool { plan.fadesEveryPass || isLastPass }

    /// Ends a pass; returns whether another one follows.
    mutating func endPass() -> Bool {
        let wasLast = isLastPass
        passes += 1
        isFadingOut = false
        return !wasLast
    }
}
