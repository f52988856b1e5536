internal import DescantCore

/// Seeks and changes of speed, which are made when the sound has faded out.
extension Voice {
    /// A seek or a change of speed that is made when the sound has faded out.
    struct Jump {
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
    var remnant: Int { isSeekingAhead ? min(queue.frames, Int(gains.jump?.remaining ?? 0)) : 0 }

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
}
